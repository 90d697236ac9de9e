"""Why two requests differ, in words."""

from __future__ import annotations

from typing import get_args

import pytest

from tests.fakes.sample_envelope import sample_view
from workbench.domain.change import CauseName
from workbench.domain.shown.diff_view import DiffCause
from workbench.ui.inspector.rows.cause_words import (
    cause_icon,
    cause_line,
    cause_title,
    cause_word,
    cause_words,
    subject_name,
)
from workbench.ui.look.icons import has_icon

CAUSES: tuple[CauseName, ...] = get_args(CauseName)


@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_has_words_and_an_icon(qapp, cause: CauseName):
    assert cause_word(cause)
    assert "{" not in cause_words(cause, "docs/api.md")
    assert "{" not in cause_words(cause)
    assert has_icon(cause_icon(DiffCause(cause, "L2_PREVIOUS", "x")))


@pytest.mark.parametrize(
    ("cause", "title"),
    [
        (DiffCause("attached", "L3_TURN", "src/auth.py", "file"), "src/auth.py attached"),
        (DiffCause("detached", "L2_PREVIOUS", "src/auth.py"), "src/auth.py detached"),
        (DiffCause("file_changed", "L2_PREVIOUS", "src/auth.py"), "src/auth.py changed on disk"),
        (DiffCause("priority", "L2_PREVIOUS", "src/auth.py", numbers=(5, 10)), "Priority of src/auth.py 5 → 10"),
        (DiffCause("priority", "L2_PREVIOUS", "src/auth.py"), "Priority of src/auth.py changed"),
        (DiffCause("trimmed", "L4_STRIP", "m3", "turn", numbers=(0, 18)), "History trimmed up to message 18"),
        (DiffCause("trimmed", "L4_STRIP", "m3", "turn"), "History trimmed"),
        (DiffCause("model", "L1_SYSTEM", "openai:gpt-4.1", "model"), "Model changed to openai:gpt-4.1"),
        (DiffCause("tools", "L1_SYSTEM", "tool:edit"), "Tools changed: edit"),
        (DiffCause(None, "L4_STRIP", "m15", "turn", numbers=(8, 8)), "Turn 8 moved into history"),
        (DiffCause(None, "L4_STRIP", "m15", "turn", numbers=(3, 6)), "Turns 3–6 moved into history"),
        (
            DiffCause("turn_context", "L4_STRIP", "m15", "turn", numbers=(8, 8)),
            "Turn 8 moved into history, without what stood around it",
        ),
        (DiffCause("excluded", "L3_TURN", "docs/api.md", "file", 20, 0), "docs/api.md was left out"),
        (DiffCause("excluded", "L2_PREVIOUS", "docs/api.md", "file", 0, 20), "docs/api.md was put back"),
        (DiffCause("excluded", "L4_STRIP", "m3", "turn", 20, 0), "A message was left out"),
        (DiffCause("excluded", "L4_STRIP", "m3", "turn", 0, 20), "A message was put back"),
        (DiffCause(None, "L5_USER", "m17", "question"), "New question"),
        (DiffCause(None, "L3_TURN", "m18", "tool"), "Tools were used in this turn"),
        (DiffCause(None, "L3_TURN", "out.txt", "file"), "out.txt is new"),
    ],
)  # fmt: skip
def test_a_cause_says_what_happened(cause: DiffCause, title: str):
    assert cause_title(cause, subject_name(cause, None, {})) == title


def test_a_file_that_changed_says_when_where_that_is_known():
    cause = DiffCause("file_changed", "L2_PREVIOUS", "docs/api.md")
    title = cause_title(cause, "docs/api.md", "2026-11-12T14:02:00Z")
    assert title.startswith("docs/api.md changed on disk at ")
    assert title.endswith(":02") or ":02" in title


def test_things_are_called_as_they_are_called_elsewhere():
    view = sample_view()
    assert subject_name(DiffCause("trimmed", "L4_STRIP", "m1", "turn", numbers=(0, 4)), view, {}) == "history"
    assert subject_name(DiffCause(None, "L5_USER", "m17", "question"), view, {}) == "question"
    assert subject_name(DiffCause("settings", "L1_SYSTEM", "persona"), view, {}) == "Instructions"
    assert subject_name(DiffCause("settings", "L1_SYSTEM", "project"), view, {}) == "Project instructions"
    assert (
        subject_name(DiffCause("detached", "L2_PREVIOUS", "key-1"), view, {"key-1": "notes.md"}) == "notes.md"
    )


def test_a_name_cannot_turn_the_words_around():
    assert cause_words("attached", "a\u202egpj.exe") == "a⟨U+202E⟩gpj.exe attached"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (365, 388, "Library, 365 → 388 tokens"),
        (0, 1_310, "Library, +1,310 tokens"),
        (419, 0, "Library, −419 tokens"),
        (42, 42, "Library, 42 tokens as before"),
        (0, 0, "Library"),
    ],
)
def test_a_line_says_where_and_how_much(before: int, after: int, line: str):
    cause = DiffCause("settings", "L2_PREVIOUS", "x", before_tokens=before, after_tokens=after)
    assert cause_line(cause) == line
