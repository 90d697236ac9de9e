"""Every reason for a difference: in wire order, with what it changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, build, result, shelved, user, word_counter
from workbench.context.compare import compare
from workbench.context.explain.diff_causes import diff_causes
from workbench.domain.change import Built
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.diff_view import DiffCause
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import LibraryEntry

SETTINGS = ContextSettings(model=WORD_MODEL.name, system_prompt="Be kind.")
TALK = (user("q1", "one"), assistant("a1", "words " * 20))
ANSWERED = (*TALK, user("q2", "two?"), assistant("a2", "so be it"))
API = artifact("docs/api.md", "old " * 20)
SOURCE = artifact("src/auth.py", "code " * 30)


def turn(number: int, question: str | None, settings: ContextSettings = SETTINGS, **changes: object) -> Built:
    asked = None if question is None else user(f"q{number}", question)
    return build(settings, **{"turn": number, "history": TALK, "question": asked, **changes})  # type: ignore[arg-type]


def causes(before: Built, after: Built, lost: int = 7) -> list[DiffCause]:
    return list(diff_causes(before, after, compare(before, after, word_counter()), lost))


def told(before: Built, after: Built) -> list[tuple[object, ...]]:
    return [(c.cause, c.layer, c.subject, c.kind) for c in causes(before, after)]


def test_the_picture_of_the_diff_page():
    """A file read anew, the last turn moved into the history, a file attached, a new question: these four, so."""
    changed = artifact("docs/api.md", "old " * 20 + "new words")
    before = turn(2, "two?", library=(shelved(API, attached=True),), attached=(API,))
    after = turn(
        3, "Why does it?", history=ANSWERED, attached=(changed, SOURCE),
        library=(LibraryEntry(API, changed, True),),
    )  # fmt: skip
    first, moved, attached, asked = causes(before, after)
    assert (first.cause, first.layer, first.subject, first.kind) == (
        "file_changed", "L2_PREVIOUS", "docs/api.md", "file",
    )  # fmt: skip
    assert (first.breaks, first.lost_tokens) == (True, 7)
    assert first.after_tokens > first.before_tokens
    assert first.before_digest != first.after_digest
    assert "new words" in first.texts()[1]
    assert "new words" not in first.texts()[0]
    assert (moved.layer, moved.subject, moved.kind, moved.numbers) == ("L4_STRIP", "q2", "turn", (2, 2))
    assert (moved.before_tokens, moved.texts()) == (0, ("", "two?\n\nso be it"))
    assert (attached.cause, attached.layer, attached.subject) == ("attached", "L3_TURN", "src/auth.py")
    assert (asked.cause, asked.layer, asked.subject, asked.kind) == (None, "L5_USER", "q3", "question")
    assert asked.texts() == ("two?", "Why does it?")
    assert asked.after_tokens == asked.before_tokens + 2
    assert [one.breaks for one in (moved, attached, asked)] == [False] * 3


def test_nothing_is_told_of_two_equal_requests():
    assert causes(turn(2, "two?"), turn(2, "two?")) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"system_prompt": "Be brief."}, ("settings", "L1_SYSTEM", "system", "system")),
        ({"user_memory": "Likes tea."}, ("memory", "L1_SYSTEM", "memory", "memory")),
        ({"tools": (ToolDefinition("ls"),)}, ("tools", "L1_SYSTEM", "tool:ls", "tool")),
        ({"model": "word-2"}, ("model", "L1_SYSTEM", "word-2", "model")),
    ],
)
def test_settings_are_told_by_what_they_changed(changes: dict[str, object], expected: tuple[str, ...]):
    before, after = turn(2, "two?"), turn(3, "more?", replace(SETTINGS, **changes), history=ANSWERED)  # type: ignore[arg-type]
    first = causes(before, after)[0]
    assert (first.cause, first.layer, first.subject, first.kind) == expected
    assert first.breaks


def test_that_a_turn_is_over_is_told_once():
    """What it had attached is in the library now, and referred to: that is one thing, not three."""
    before = turn(2, "two?", attached=(API,))
    after = turn(3, None, history=ANSWERED, attached=(API,), library=(shelved(API, attached=True),))
    assert told(before, after) == [
        ("promoted", "L2_PREVIOUS", "docs/api.md", "file"),
        ("turn_context", "L4_STRIP", "q2", "turn"),
    ]


def test_what_was_taken_off_is_told():
    picked = artifact("picked", "some words", kind="selection", recoverable=False)
    before = turn(2, "two?", attached=(picked,))
    assert told(before, turn(3, "more?", history=ANSWERED))[1] == (
        "detached", "L3_TURN", "picked", "selection",
    )  # fmt: skip


def test_a_priority_is_told_with_its_numbers():
    small = replace(SETTINGS, attachment_budget_tokens=60)
    big = artifact("big.log", "line " * 30, priority=5)
    late = artifact("late.log", "line " * 30, priority=8)
    before = turn(2, None, small, attached=(big, late))
    after = turn(2, None, small, attached=(big, replace(late, priority=3)))
    found = {one.subject: one for one in causes(before, after)}
    assert (found["late.log"].cause, found["late.log"].numbers) == ("priority", (8, 3))
    assert (found["big.log"].cause, found["big.log"].after_tokens) == ("pruned", 0)


def test_what_commands_and_tools_gave_back_was_attached_by_nobody():
    chunk = EnvironmentChunk("c1", "file list", "tool_result")
    rounds = (assistant("a3", "", "x1"), result("r3", "x1", "found"))
    after = turn(3, "more?", history=ANSWERED, tool_results=(chunk,), rounds=rounds)
    rows = [one for one in causes(turn(2, "two?"), after) if one.layer == "L3_TURN"]
    assert [(one.cause, one.subject) for one in rows] == [(None, "c1"), (None, "a3")]
    assert (rows[1].kind, rows[1].texts()) == ("tool", ("", "found"))


def test_a_cause_that_no_row_shows_has_one_of_its_own():
    """A question that was edited away is in neither history: the break would have no reason."""
    before = turn(2, "two?")
    rows = causes(before, turn(3, "more?", history=(*TALK, user("other", "else?"), assistant("b", "no"))))
    broken = [one for one in rows if one.breaks]
    assert [(one.cause, one.subject) for one in broken] == [("history_edited", "q2")]
