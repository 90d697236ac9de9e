"""Before a link is opened, its whole address is shown; opening is only ever a wish."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.safe_text import BREAK, LinkPopup

URL = "https://bank.example@evil.example/" + "x" * 300


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_the_whole_address_and_its_real_host_are_shown(host: QWidget):
    made = LinkPopup(URL, host)
    assert made.title.text() == "Open evil.example?"
    assert made.address.text().replace(BREAK, "") == URL
    assert made.address.textFormat().name == "PlainText"


def test_opening_is_told_and_copying_copies(qtbot: QtBot, host: QWidget):
    made = LinkPopup(URL, host)
    made.open_at(QPoint(10, 10))
    with qtbot.waitSignal(made.opened) as told:
        made.open_button.click()
    assert told.args == [URL]
    made = LinkPopup(URL, host)
    made.open_at(QPoint(5_000, 5_000))
    made.copy_button.click()
    assert QGuiApplication.clipboard().text() == URL


def test_what_may_not_be_opened_can_only_be_copied(host: QWidget):
    made = LinkPopup("smb://server/share", host)
    assert not made.open_button.isEnabled()
    assert made.copy_button.isEnabled()


def test_enter_right_after_the_click_opens_nothing(host: QWidget):
    made = LinkPopup(URL, host)
    made.open_at(QPoint(10, 10))
    assert not made.open_button.isDefault()
    assert not made.open_button.hasFocus()
    made.close()
