"""Links: only three schemes can be opened, and only where the address is plain."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.safe_text import BREAK, LONGEST_LINK, LinkPopup, host_of, may_open

REFUSED = (
    "javascript:alert(1)",  # DeepChat CVE-2025-55733
    "JaVaScRiPt:alert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>1</script>",
    "file:///etc/passwd",
    "file://server/share/x.png",
    "smb://server/share",
    "ms-msdt:/id PCWDiagnostic",
    "ms-officecmd:x",
    "search-ms:query=x",
    "deepchat://start?msg=x",  # DeepChat CVE-2026-43899
    "ftp://example.org/x",
    "ssh://example.org",
    "tel:112",
    "qrc:/x.png",
    "about:blank",
    "blob:https://example.org/1",
    "view-source:https://example.org",
    "jar:http://example.org/x!/",
    "vscode://file/x",
    "//example.org/x",
    "/etc/passwd",
    "../x",
    "#here",
    "\\\\server\\share\\x",
    "https:example.org",
    "https://",
    "https:///x",
    "http://a b/",
    "http://example.org/\u202egnp.exe",
    "http://еxample.org/",
    "java\nscript:alert(1)",
    "\x01javascript:alert(1)",
    " https://example.org",
    "mailto:",
    "mailto://x",
    "",
    "https://example.org/" + "a" * LONGEST_LINK,
)


@pytest.mark.parametrize("url", REFUSED)
def test_anything_else_is_only_text(url: str):
    assert not may_open(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "https://example.org/a?b=c#d",
        "HTTPS://EXAMPLE.ORG/",
        "mailto:lena@example.org",
        "https://xn--e1afmkfd.example/",
        "https://[::1]:8080/x",
        "http://example.org/%E2%80%AE",
    ],
)
def test_a_plain_address_can_be_opened(url: str):
    assert may_open(url)


def test_the_host_is_the_one_the_browser_will_ask():
    assert host_of("https://bank.example@evil.example/login") == "evil.example"
    assert host_of("mailto:lena@example.org") == "lena@example.org"
    assert host_of("https://[broken") == ""


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
