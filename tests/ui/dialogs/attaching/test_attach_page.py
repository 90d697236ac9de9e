"""A page is fetched only when somebody has read what will be asked."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.dialogs.attaching.attach_page import AttachPageDialog


def test_it_says_whom_it_asks_and_asks_nobody_without_an_address(qtbot: QtBot):
    dialog = AttachPageDialog()
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    for typed in ("", "example.org", "file:///etc/passwd", "ftp://example.org/a"):
        dialog.address.setText(typed)
        assert not dialog.go.isEnabled(), typed
        dialog.address.returnPressed.emit()
    assert chosen == []
    dialog.address.setText(" https://example.org/spec ")
    assert (
        dialog.asked.text() == "Only this page is asked for: from example.org, and where that redirects to."
    )
    dialog.go.click()
    assert chosen == ["https://example.org/spec"]
