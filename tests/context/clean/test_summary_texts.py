"""Summaries go through the same cleaners as everything else that is sent."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.turns import turn_inputs
from workbench.context.clean.neutralise import Neutraliser
from workbench.context.clean.redact import Rewriter, redacted
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning

KEY = "sk-very-secret-key-1234"
INPUTS = turn_inputs(tuning=Tuning(summaries=(Summary("s", f"The key is {KEY}.", ("u1",)),)))


def test_a_key_in_a_summary_is_not_sent():
    cleaner = Neutraliser()
    cleaner.hide(KEY)
    for _ in range(2):
        clean, changed = cleaner.apply(INPUTS)
        assert KEY not in clean.tuning.summaries[0].text
        assert changed == ("s",)
    assert INPUTS.tuning.summaries[0].text == f"The key is {KEY}."


def test_a_redactor_sees_it_and_what_has_none_stays_the_same_object():
    assert redacted(INPUTS, str.upper).tuning.summaries[0].text == f"THE KEY IS {KEY.upper()}."
    plain = replace(INPUTS, tuning=Tuning(pinned=frozenset({"a"})))
    assert Rewriter().apply(plain, str.upper)[0] is plain
