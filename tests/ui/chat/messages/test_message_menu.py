"""The menu of a message: exactly what can be done with it now."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import MODEL, answered, asked, turn
from workbench.ui.chat.messages.feed import Answer, Question
from workbench.ui.chat.messages.message_menu import (
    MenuCallbacks,
    choices_for,
    is_resumable,
    open_menu,
    why_not_continued,
)
from workbench.ui.chat.standing import InRequest
from workbench.ui.look.icons import has_icon

QUESTION = Question("q", asked("q"))
ANSWER = Answer("a", answered("a"), "q", turn=turn(1, "q", "a"))


def actions(item: Question | Answer) -> list[str]:
    return [choice.action for choice in choices_for(item) if choice.action]


def test_a_question_can_be_edited_and_an_answer_given_again(qapp: object):
    assert actions(QUESTION) == [
        "edit", "regenerate", "copy", "leave_out", "pin", "inspect", "copy_markdown", "remember", "save_prompt", "fork",
    ]  # fmt: skip
    assert actions(ANSWER) == [
        "regenerate", "edit", "copy", "leave_out", "pin", "influence", "inspect", "copy_markdown", "remember",
        "compare", "fork",
    ]  # fmt: skip
    assert "compare" not in actions(replace(ANSWER, turn=None))


def test_what_was_done_can_be_taken_back(qapp: object):
    assert "put_back" in actions(replace(QUESTION, standing=InRequest("excluded")))
    assert "unpin" in actions(replace(QUESTION, standing=InRequest(pinned=True)))
    assert "untrim" in actions(replace(ANSWER, standing=InRequest("trimmed")))


def test_only_an_answer_that_did_not_come_to_its_end_can_be_gone_on_with(qapp: object):
    assert not is_resumable(ANSWER)
    for state in ("stopped", "interrupted"):
        assert is_resumable(replace(ANSWER, record=answered("a", state=state)))
    assert is_resumable(replace(ANSWER, turn=turn(1, "q", "a", finish_reason="length")))
    assert not is_resumable(replace(ANSWER, record=answered("a", state="stopped"), ends=False))
    assert "continue" in actions(replace(ANSWER, record=answered("a", state="stopped")))


def test_an_edited_answer_is_gone_on_with_where_the_model_continues_a_begun_one(qapp: object):
    own = replace(ANSWER, edited=True)
    assert (is_resumable(own), why_not_continued(own)) == (True, "")
    mute = replace(own, not_continued_by=MODEL)
    assert why_not_continued(mute) == "gpt-4.1-mini doesn’t continue a begun answer"
    assert ("continue" in actions(own), "continue" in actions(mute)) == (True, False)
    cut = replace(ANSWER, record=answered("a", state="stopped"), not_continued_by=MODEL)
    assert why_not_continued(cut) == "", "such a model is told in words to go on with its own answer"


def test_every_choice_has_an_icon_of_ours(qapp: object):
    for item in (QUESTION, ANSWER, replace(ANSWER, standing=InRequest("trimmed", pinned=True))):
        assert all(has_icon(choice.icon) for choice in choices_for(item) if choice.action)


def test_choosing_tells_which(qtbot: QtBot):
    host = QWidget()
    qtbot.addWidget(host)
    chosen: list[str] = []
    looked: list[str] = []
    callbacks = MenuCallbacks(chosen.append, lambda action, at: looked.append(action))
    made = open_menu(host, QUESTION, QPoint(0, 0), callbacks)
    edit = next(action for action in made.actions() if action.data() == "edit")
    made.hovered.emit(edit)
    edit.trigger()
    made.close()
    assert chosen == ["edit"]
    assert looked[0] == "edit", "before the click"
    assert looked[-1] == ""
