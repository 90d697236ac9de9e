"""The line of a tool: what it did; unfolded, what it was given and gave back."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.domain.message import ToolCall
from workbench.ui.chat.messages.tool_line import ToolLine, call_words
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink

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
