"""A question: as it was typed, with what can be done about it, and edited in place."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import asked
from workbench.domain.secrets import FoundSecret
from workbench.ui.chat.messages.feed import Question
from workbench.ui.chat.messages.message_view import PutBackLine
from workbench.ui.chat.messages.question_view import MOST_LINES, QuestionEditor, QuestionView
from workbench.ui.chat.standing import InRequest
from workbench.ui.chat.text.ink import Ink

ITEM = Question("q", asked("q", "Is *this*\n  kept?"))


@pytest.fixture
def view(qtbot: QtBot) -> QuestionView:
    made = QuestionView(Ink())
    qtbot.addWidget(made)
    made.resize(400, 200)
    made.show()
    made.show_item(ITEM)
    return made


def test_it_shows_the_words_as_they_were_typed(view: QuestionView):
    assert view.body.text() == "Is *this*\n  kept?"
    assert view.head.words()[:2] == ("You", "14:08")
    assert view.accessibleName() == "Question, 14:08"


def test_it_names_what_was_attached(view: QuestionView):
    view.show_item(replace(ITEM, record=asked("q", attached=("a.py", "b.py", "c.py", "d\u202e.py")), turn=9))
    assert view.head.words().note == "a.py, b.py, c.py and 1 more  turn 9"


def test_left_out_it_says_so_and_can_be_put_back(view: QuestionView, qtbot: QtBot):
    view.show_item(replace(ITEM, standing=InRequest("excluded", saved_tokens=55)))
    assert view.head.words().note == "not sent, −55 tokens"
    assert view.head.words().state == "excluded"
    line = cast(PutBackLine, view.findChild(PutBackLine))
    with qtbot.waitSignal(view.asked) as told:
        line.button.click()
    assert told.args == ["put_back", "q"]
    view.show_item(ITEM)
    assert line.isHidden()
    assert not view.grab().isNull()


def test_editing_sends_another_version(view: QuestionView, qtbot: QtBot):
    view._on_chosen("edit")
    editor = view.editor()
    assert editor is not None
    assert view.body.isHidden()
    editor.text.setPlainText("Is that kept?")
    with qtbot.waitSignal(view.edited) as told:
        QTest.keyClick(editor.text, Qt.Key.Key_Return)
    assert told.args == ["q", "Is that kept?"]
    assert view.is_edited()  # until the state says that it was asked: refused, its words must not be gone
    asked = view.item
    assert asked is not None
    view.show_item(replace(asked, edit="Is that kept?"))
    view.show_item(replace(asked, edit=None))
    assert not view.is_edited()
    assert not view.body.isHidden()


def test_words_that_did_not_change_are_not_sent(view: QuestionView, qtbot: QtBot):
    view.edit()
    editor = view.editor()
    assert editor is not None
    with qtbot.assertNotEmitted(view.edited):
        QTest.keyClick(editor.text, Qt.Key.Key_Return)
    assert not view.is_edited()


def test_what_is_being_edited_survives_a_new_state(view: QuestionView):
    view.edit()
    editor = view.editor()
    assert editor is not None
    editor.text.setPlainText("half a sen")
    view.show_item(replace(ITEM, turn=4))
    assert view.editor() is editor
    assert editor.text.toPlainText() == "half a sen"


def test_it_is_copied_as_it_was_typed(view: QuestionView):
    view._on_chosen("copy_markdown")
    assert QGuiApplication.clipboard().text() == "Is *this*\n  kept?"


def test_its_menu_can_be_reached_by_keyboard(view: QuestionView):
    assert view.more.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert view.more.accessibleName() == "More for this question"
    view.more.clearFocus()
    view.more.reveal(False)
    assert not view.more.takes_room()
    view.more.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.more.takes_room()


def test_other_actions_are_asked_for(view: QuestionView, qtbot: QtBot):
    with qtbot.waitSignal(view.asked) as told:
        view._on_chosen("leave_out")
    assert told.args == ["leave_out", "q"]


def test_a_key_in_an_edit_is_said_and_marked_before_it_is_sent(view: QuestionView):
    key = FoundSecret("github", 1, 4, 8, "ghp_…")
    view.show_item(replace(ITEM, edit="the ghp_ key", secrets=(key,)))
    editor = view.editor()
    assert editor is not None
    assert editor.note.text() == "looks like a GitHub key (line 1)"
    (mark,) = editor.text.extraSelections()
    assert mark.cursor.selectedText() == "ghp_"  # type: ignore[attr-defined]
    editor.text.setPlainText("the key")
    view.show_item(replace(ITEM, edit="the key"))
    assert editor.note.text() == "makes a branch; this version stays"
    assert editor.text.extraSelections() == []


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
