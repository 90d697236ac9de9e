"""An answer that broke off: why, and two ways out."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.answer_view import BrokenBar


def test_it_says_why_and_asks_what_to_do(qtbot: QtBot):
    made = BrokenBar()
    qtbot.addWidget(made)
    made.show_words("The line is down.")
    assert made.words.text() == "Interrupted. The line is down."
    for button, action in ((made.resume, "continue"), (made.again, "regenerate")):
        with qtbot.waitSignal(made.asked) as told:
            button.click()
        assert told.args == [action]


def test_long_words_wrap(qtbot: QtBot):
    made = BrokenBar()
    qtbot.addWidget(made)
    made.show_words("words " * 40)
    assert made.heightForWidth(300) > made.heightForWidth(900)
    made.resize(300, made.heightForWidth(300))
    assert not made.grab().isNull()
