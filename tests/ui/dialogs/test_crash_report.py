"""The report of a crash can be read, copied and saved; it is sent by nobody."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication

from tests.fakes.widgets import button_with
from workbench.ui.dialogs.crash_report import CrashDialog, NoticeDialog

TEXT = "Context Workbench 1\nbuiltins.ValueError\n  workbench/ui/app.py:3 in live"


def test_the_report_is_copied_and_saved_as_it_is_shown(qtbot, tmp_path: Path):
    dialog = CrashDialog(TEXT)
    qtbot.addWidget(dialog)
    button_with("Copy", dialog).click()
    assert QGuiApplication.clipboard().text() == TEXT
    dialog.save_to(str(tmp_path / "report.txt"))
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == TEXT


def test_a_notice_is_read_and_gone(qtbot):
    dialog = NoticeDialog("Cannot open", "Another window has it.")
    qtbot.addWidget(dialog)
    dialog.open()
    with qtbot.waitSignal(dialog.read):
        button_with("Close", dialog).click()
