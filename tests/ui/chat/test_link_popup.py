"""Before a link is opened, its whole address is shown; opening is only ever a wish."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.chat.link_popup import LinkPopup
from workbench.ui.chat.safe_text import BREAK

URL = "https://bank.example@evil.example/" + "x" * 300


def popup(qtbot: QtBot, url: str) -> LinkPopup:
    host = QWidget()
    qtbot.addWidget(host)
    made = LinkPopup(url, host)
    made.kept = host  # type: ignore[attr-defined]
    return made


def test_the_whole_address_and_its_real_host_are_shown(qtbot: QtBot):
    made = popup(qtbot, URL)
    assert made.title.text() == "Open evil.example?"
    assert made.address.text().replace(BREAK, "") == URL
    assert made.address.textFormat().name == "PlainText"


def test_opening_is_told_and_copying_copies(qtbot: QtBot):
    made = popup(qtbot, URL)
    made.open_at(QPoint(10, 10))
    with qtbot.waitSignal(made.opened) as told:
        made.open_button.click()
    assert told.args == [URL]
    made = popup(qtbot, URL)
    made.open_at(QPoint(5_000, 5_000))
    made.copy_button.click()
    assert QGuiApplication.clipboard().text() == URL


def test_what_may_not_be_opened_can_only_be_copied(qtbot: QtBot):
    made = popup(qtbot, "smb://server/share")
    assert not made.open_button.isEnabled()
    assert made.copy_button.isEnabled()


def test_enter_right_after_the_click_opens_nothing(qtbot: QtBot):
    made = popup(qtbot, URL)
    made.open_at(QPoint(10, 10))
    assert not made.open_button.isDefault()
    assert not made.open_button.hasFocus()
    made.close()
