"""What all messages have in common."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.message_view import MessageView, PutBackLine
from workbench.ui.chat.text.ink import Ink


def test_it_can_be_marked_and_says_so(qtbot: QtBot):
    made = MessageView(Ink())
    qtbot.addWidget(made)
    assert not made.is_marked()
    made.set_marked(True)
    assert made.is_marked()
    made.read_all()


def test_what_it_shows_is_for_its_kinds_to_say(qtbot: QtBot):
    made = MessageView(Ink())
    qtbot.addWidget(made)
    with pytest.raises(NotImplementedError):
        made.show_item(object())


def test_the_button_tells(qtbot: QtBot):
    made = PutBackLine()
    qtbot.addWidget(made)
    with qtbot.waitSignal(made.pressed):
        made.button.click()
