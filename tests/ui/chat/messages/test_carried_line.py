"""The line under an answer whose words are marked."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.answer_view import CarriedLine


def test_it_names_the_piece_and_without_one_is_gone(qtbot: QtBot):
    line = CarriedLine()
    qtbot.addWidget(line)
    line.show_name("src/auth.py")
    assert line.accessibleName() == line.words.text() == "carried by src/auth.py"
    assert line.isVisible()
    line.show_name("")
    assert not line.isVisible()
