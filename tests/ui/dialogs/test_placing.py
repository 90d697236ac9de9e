"""A new workspace is asked for, and what is wrong is said in place."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.dialogs.placing import NewWorkspaceDialog, TagsDialog


def test_a_name_of_its_own_and_a_folder_that_is_there(qtbot: QtBot, tmp_path: Path):
    dialog = NewWorkspaceDialog(["Auth service"])
    qtbot.addWidget(dialog)
    chosen: list[tuple[str, str]] = []
    dialog.chosen.connect(lambda name, folder: chosen.append((name, folder)))
    dialog.go.click()
    assert "needs a name" in dialog.problem.text()
    QTest.keyClicks(dialog.name, "auth SERVICE")
    assert "already" in dialog.problem.text()
    dialog.name.setText("  Thesis   2 ")
    dialog.folder.setText(str(tmp_path / "nowhere"))
    QTest.keyClick(dialog.folder, Qt.Key.Key_Return)
    assert "No such folder" in dialog.problem.text()
    assert chosen == []
    dialog.folder.setText(str(tmp_path))
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    assert chosen == [("Thesis 2", str(tmp_path))]


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
