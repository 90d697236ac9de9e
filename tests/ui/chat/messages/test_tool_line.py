"""The line of a tool: what it did; unfolded, what it was given and gave back."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_texts import EDIT_DIFF
from tests.ui.chat.chat_samples import result
from workbench.domain.message import ToolCall
from workbench.domain.tool import ToolOutcome
from workbench.engine.turn.tools import _REFUSED
from workbench.ui.chat.messages.tool_line import (
    MOST_DIFF_LINES,
    ToolLine,
    call_words,
    diff_lines,
    fate_of_outcome,
    fate_of_record,
    target_of,
)
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.widgets.code_view import DiffLine

CALL = ToolCall("c", "read", '{"path": "docs/api.md"}')


def line(qtbot: QtBot, ink: Ink, result: str = "# API") -> ToolLine:
    made = ToolLine(ink)
    qtbot.addWidget(made)
    made.resize(400, 32)
    made.show()
    made.show_call(call_words(CALL, "returned", result), CALL.arguments, result, undoable=False)
    return made


def test_folded_it_is_32_high_and_says_everything(qtbot: QtBot):
    made = line(qtbot, Ink())
    assert made.heightForWidth(400) == 32
    assert made.line.accessibleName() == "read returned docs/api.md 5 characters"
    assert not made.grab().isNull()


def test_unfolded_it_shows_what_was_given_and_given_back(qtbot: QtBot):
    made = line(qtbot, Ink())
    QTest.keyClick(made.line, Qt.Key.Key_Space)
    details = cast(BlockStack, made.findChild(BlockStack))
    assert details.text() == '{"path": "docs/api.md"}\n\n# API'
    assert made.heightForWidth(400) > 100
    QTest.mouseClick(made.line, Qt.MouseButton.LeftButton)
    assert made.heightForWidth(400) == 32


def test_another_result_folds_it_again(qtbot: QtBot):
    made = line(qtbot, Ink())
    made.line.click()
    made.show_call(call_words(CALL, "failed", "gone"), CALL.arguments, "gone", undoable=False)
    assert made.heightForWidth(400) == 32
    assert made.line.words().icon == "x"


def test_undoing_is_a_button_of_its_own(qtbot: QtBot):
    made = line(qtbot, Ink())
    made.show_call(call_words(CALL, "changed"), CALL.arguments, "", undoable=True)
    assert not made.line.undo.isHidden()
    with qtbot.waitSignal(made.undo_wished):
        made.line.undo.click()
    assert not made.line.unfolded


EDIT = ToolCall("c", "edit", '{"path": "src/auth.py", "old": "x"}')


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ('{"path": "a.py"}', "a.py"),
        ('{"x": 1, "query": "words"}', "words"),
        ('{"path": ["a"]}', ""),
        ("[1]", ""),
        ("not json", ""),
        ("", ""),
        ("[" * 100_000, ""),
        ('{"path": "../../etc/\\u202egnp"}', "../../etc/⟨U+202E⟩gnp"),  # LibreChat GHSA-qrm5-r67f-6692
    ],
    ids=str,
)
def test_the_target_is_what_the_arguments_name(arguments: str, target: str):
    assert target_of(ToolCall("c", "t", arguments)) == target


def test_what_came_of_a_call_is_read_from_what_was_kept():
    assert fate_of_record(None) == "waiting"
    assert fate_of_record(result("r", "c")) == "returned"
    assert fate_of_record(result("r", "c", undo={"path": "x"})) == "changed"
    assert fate_of_record(result("r", "c", undo={"path": "x"}, undone="2026-11-12")) == "undone"
    assert fate_of_record(result("r", "c", "No such file", failed=True)) == "failed"
    assert fate_of_record(result("r", "c", _REFUSED, failed=True)) == "denied"


def test_what_came_of_a_call_that_still_runs():
    assert fate_of_outcome(ToolOutcome("x")) == "returned"
    assert fate_of_outcome(ToolOutcome("x", undo={})) == "changed"
    assert fate_of_outcome(ToolOutcome("x", failed=True)) == "failed"
    assert fate_of_outcome(ToolOutcome(_REFUSED, failed=True)) == "denied"


def test_a_call_in_words(qapp: object):
    words = call_words(EDIT, "denied", "", "2026-11-12T14:05:00Z")
    assert (words.name, words.verb, words.target) == ("edit", "did nothing", "src/auth.py")
    assert words.note == "not allowed at 14:05"
    assert call_words(EDIT, "returned", "x" * 1_204).note == "1,204 characters"
    assert call_words(EDIT, "changed").note == ""


@pytest.mark.parametrize("fate", ["changed", "undone", "returned", "failed", "denied", "waiting"])
def test_no_fate_is_told_by_colour_alone(qapp: object, fate: str):
    words = call_words(EDIT, fate)  # type: ignore[arg-type]
    assert words.icon
    assert words.verb


def test_a_unified_diff_becomes_numbered_lines():
    assert diff_lines(EDIT_DIFF) == (
        DiffLine(88, None, "-", "        lock = asyncio.Lock()"),
        DiffLine(None, 88, "+", "        lock = self._lock"),
        DiffLine(91, None, "-", "        if token.expires_at < datetime.now():"),
        DiffLine(None, 91, "+", "        if token.expires_at - SKEW <= now(UTC):"),
    )


def test_context_lines_count_on_both_sides():
    diff = "--- a\n+++ b\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n\\ No newline at end of file\n"
    assert [(line.old, line.new, line.sign) for line in diff_lines(diff)] == [
        (1, 1, " "), (2, None, "-"), (None, 2, "+"), (3, 3, " "),
    ]  # fmt: skip


def test_a_removed_line_that_looks_like_a_head_is_a_removed_line():
    assert diff_lines("@@ -1 +1 @@\n-a\n--- b\n")[1] == DiffLine(2, None, "-", "-- b")


def test_a_diff_without_end_is_cut():
    assert len(diff_lines("@@ -1 +1 @@\n" + "+x\n" * 100_000)) < MOST_DIFF_LINES
