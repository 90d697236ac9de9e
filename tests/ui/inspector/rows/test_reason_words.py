"""Reasons in words."""

from __future__ import annotations

from typing import get_args

import pytest

from workbench.domain.shown.envelope_view import Reason, ReasonCode
from workbench.ui.inspector.rows.row_words import reason_words


def test_the_words_of_the_picture():
    assert reason_words(Reason("unchanged", number=1)) == "unchanged since turn 1"
    assert reason_words(Reason("over_budget", number=10)) == "over budget, priority 10"
    assert reason_words(Reason("boundary", number=12)) == "trimmed up to message 12"


@pytest.mark.parametrize("code", get_args(ReasonCode))
def test_every_reason_has_words_without_gaps(code: ReasonCode):
    for reason in (Reason(code), Reason(code, "grep", 7)):
        words = reason_words(reason)
        assert bool(words) == bool(code)
        assert "{" not in words
        assert not words.endswith(" ")


def test_a_reason_without_its_number_does_not_speak_of_turn_0():
    assert reason_words(Reason("unchanged")) == "unchanged"


def test_a_foreign_subject_cannot_reorder_the_line():
    assert reason_words(Reason("tool_call", "\u202egrep")) == "calls ⟨U+202E⟩grep"
