"""Writing a question anew: Enter sends, Shift+Enter makes a line, Esc leaves it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.question_view import MOST_LINES, QuestionEditor


def editor(qtbot: QtBot, words: str = "Why?") -> QuestionEditor:
    made = QuestionEditor(words)
    qtbot.addWidget(made)
    made.show()
    return made


def test_enter_sends_what_is_written(qtbot: QtBot):
    made = editor(qtbot)
    made.text.selectAll()
    QTest.keyClicks(made.text, "How")
    with qtbot.waitSignal(made.sent) as told:
        QTest.keyClick(made.text, Qt.Key.Key_Return)
    assert told.args == ["How"]


def test_shift_enter_makes_a_line(qtbot: QtBot):
    made = editor(qtbot)
    with qtbot.assertNotEmitted(made.sent):
        QTest.keyClick(made.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert "\n" in made.text.toPlainText() or "\u2028" in made.text.toPlainText()


def test_escape_and_the_button_leave_it(qtbot: QtBot):
    made = editor(qtbot)
    with qtbot.waitSignal(made.cancelled):
        QTest.keyClick(made.text, Qt.Key.Key_Escape)
    with qtbot.waitSignal(made.cancelled):
        made.cancel.click()


def test_it_grows_with_its_lines_up_to_a_limit(qtbot: QtBot):
    short, long = editor(qtbot, "a"), editor(qtbot, "a\n" * 8)
    assert long.text.height() > short.text.height()
    assert editor(qtbot, "a\n" * 500).text.height() < (MOST_LINES + 2) * 22
