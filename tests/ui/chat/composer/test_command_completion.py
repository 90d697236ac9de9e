"""Commands offered while one is being typed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.composer.text import ComposerText


def typing(qtbot: QtBot, words: str) -> ComposerText:
    text = ComposerText()
    qtbot.addWidget(text)
    text.resize(400, 40)
    text.show()
    text.setFocus()
    QTest.keyClicks(text, words)
    return text


def popup(text: ComposerText) -> object:
    return text.commands._completer.popup()


def test_an_at_sign_offers_the_commands_and_enter_takes_one(qtbot: QtBot):
    text = typing(qtbot, "look: @re")
    sent: list[int] = []
    text.submitted.connect(lambda: sent.append(1))
    assert text.commands.is_open()
    QTest.keyClick(text.commands._completer.popup(), Qt.Key.Key_Return)
    assert text.text() == "look: @read "
    assert sent == []


def test_escape_closes_the_list_and_stops_nothing(qtbot: QtBot):
    text = typing(qtbot, "@")
    stopped: list[int] = []
    text.stopped.connect(lambda: stopped.append(1))
    QTest.keyClick(text.commands._completer.popup(), Qt.Key.Key_Escape)
    assert not text.commands.is_open()
    assert stopped == []
    assert text.text() == "@"


def test_an_address_of_a_person_is_no_command(qtbot: QtBot):
    assert not typing(qtbot, "lena@re").commands.is_open()
    assert not typing(qtbot, "@lena").commands.is_open()
    assert not typing(qtbot, "plain words").commands.is_open()


def test_a_whole_command_needs_no_offer(qtbot: QtBot):
    assert not typing(qtbot, "@ls").commands.is_open()
