"""The recovery code: shown until it is kept, and written where only its owner reads it."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from workbench.domain.secrets import Secret
from workbench.ui.dialogs.protect import RecoveryCodeDialog

CODE = Secret.of_text("ABCD-EFGH-JKLM")


def test_the_code_is_there_to_read_and_copy(qtbot):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    assert dialog.words.text() == "ABCD-EFGH-JKLM"
    dialog._copy()
    assert QGuiApplication.clipboard().text() == "ABCD-EFGH-JKLM"


def test_one_goes_on_only_after_saying_that_it_is_kept(qtbot):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert not dialog.go_on.isEnabled()
    dialog.check.setChecked(True)
    with qtbot.waitSignal(dialog.kept):
        qtbot.mouseClick(dialog.go_on, Qt.MouseButton.LeftButton)


def test_a_saved_code_can_be_read_by_its_owner_only(qtbot, tmp_path: Path):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    target = tmp_path / "code.txt"
    dialog.save_to(str(target))
    assert "ABCD-EFGH-JKLM" in target.read_text(encoding="utf-8")
    if sys.platform != "win32":
        assert stat.S_IMODE(target.stat().st_mode) & 0o077 == 0


def test_a_place_that_cannot_be_written_is_said(qtbot, tmp_path: Path):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    dialog.save_to(str(tmp_path / "no" / "such" / "folder"))
    assert dialog.said.text().startswith("Not saved:")
