"""The plain editor in place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.workspace.sections import InlineEditor


def test_it_keeps_with_a_key_and_leaves_at_once_what_was_not_changed(qtbot: QtBot):
    editor = InlineEditor("Text", "Name")
    qtbot.addWidget(editor)
    editor.open("old", "Review")
    with qtbot.waitSignal(editor.saved) as saved:
        QTest.keyClick(editor.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert saved.args == ["Review", "old", ""]
    with qtbot.waitSignal(editor.left):
        QTest.keyClick(editor.name, Qt.Key.Key_Escape)
    assert editor.isHidden()
