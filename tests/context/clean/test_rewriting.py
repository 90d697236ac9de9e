"""Turns with other texts: what did not change stays the very object it was."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.turns import artifact, turn_inputs, user
from workbench.context.clean.redact import Rewriter

INPUTS = turn_inputs(
    history=(user("earlier", "said before"),),
    attached=(artifact("a.md", "one secret"), artifact("b.md", "nothing")),
    question=user("q", "a secret"),
)


def _hide(text: str) -> str:
    return text.replace("secret", "word")


def test_what_changed_is_named_and_the_rest_is_the_same_object():
    changed, keys = Rewriter().apply(INPUTS, _hide)
    assert keys == ("a.md", "q")
    assert [one.text for one in changed.attached] == ["one word", "nothing"]
    assert changed.attached[1] is INPUTS.attached[1]
    assert changed.history is INPUTS.history


def test_a_turn_with_nothing_to_change_is_itself():
    assert Rewriter().apply(INPUTS, lambda text: text) == (INPUTS, ())


def test_only_what_is_new_is_gone_through_again():
    seen: list[str] = []

    def note(text: str) -> str:
        seen.append(text)
        return text

    rewriter = Rewriter()
    rewriter.apply(INPUTS, note)
    seen.clear()
    rewriter.apply(replace(INPUTS, question=user("q", "another")), note)
    assert "another" in seen
    assert "one secret" not in seen
    rewriter.forget()
    rewriter.apply(INPUTS, note)
    assert "one secret" in seen
