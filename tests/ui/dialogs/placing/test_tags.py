"""Tags are typed or pressed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.dialogs.placing.tags import TagsDialog


def test_tags_are_typed_with_commas_and_known_ones_are_pressed(qtbot: QtBot):
    dialog = TagsDialog(("auth",), ("auth", "release"), 2)
    qtbot.addWidget(dialog)
    dialog.offered[1].click()
    dialog.offered[0].click()
    dialog.field.setText(dialog.field.text() + ", #bug,  bug")
    with qtbot.waitSignal(dialog.chosen) as chosen:
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert chosen.args == [("release", "bug")]
    assert "2 chats" in dialog.windowTitle()
