"""Words that the chosen piece carried, marked in the transcript."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.influence_results import first_key, looked_back, measuring
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.feed import key_of
from workbench.ui.chat.transcript.transcript import CarriedWords, Transcript


def test_choosing_a_piece_marks_its_words_and_choosing_nothing_takes_them_off(qtbot: QtBot):
    state, chat = looked_back()
    transcript = Transcript()
    qtbot.addWidget(transcript)
    transcript.resize(600, 700)
    transcript.show()
    transcript.show_state(state, chat)
    assert isinstance(transcript.carried, CarriedWords)
    transcript.select(first_key(chat))
    assert chat.influence is not None
    view = transcript.column.view(key_of(transcript.column.items(), chat.influence.message))
    assert isinstance(view, AnswerView)
    assert view.carried is not None
    assert view.carried.isVisibleTo(view)
    marked = [one for each in view.body._browsers() for one in each.extraSelections()]
    assert len(marked) == 2
    transcript.select(None)
    assert not [one for each in view.body._browsers() for one in each.extraSelections()]
    assert not view.carried.isVisibleTo(view)
    transcript.select(first_key(chat))
    transcript.show_state(state, replace(chat, opened=None))
    assert not view.carried.isVisibleTo(view)


def test_marks_stay_while_a_second_round_is_offered(qtbot: QtBot):
    """What was measured a moment ago is not kept in the state of the chat before its turn is opened again."""
    state, chat = looked_back()
    assert chat.influence is not None
    done = measuring(state, chat, stage="done", result=chat.influence.result)
    kept = replace(chat.influence, result=None)
    chat = replace(chat, influence=kept)
    transcript = Transcript()
    qtbot.addWidget(transcript)
    transcript.resize(600, 700)
    transcript.show()
    transcript.show_state(done, chat)
    transcript.select(first_key(chat))
    view = transcript.column.view(key_of(transcript.column.items(), kept.message))
    assert isinstance(view, AnswerView)
    transcript.show_state(measuring(state, chat, stage="offered"), chat)
    assert view.carried is not None
    assert view.carried.isVisibleTo(view)
