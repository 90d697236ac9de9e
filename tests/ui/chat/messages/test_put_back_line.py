"""Under what is left out: the way back."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.put_back_line import PutBackLine


def test_the_button_tells(qtbot: QtBot):
    made = PutBackLine()
    qtbot.addWidget(made)
    with qtbot.waitSignal(made.pressed):
        made.button.click()
