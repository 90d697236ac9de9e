"""The card: what it says comes from the state, and each answer is one step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.recalled_chat import CHAT, FACT, SAID, fact_id, recalled_state
from workbench.domain.recall import MatchedWord
from workbench.domain.shown.influence_view import MarkedWord, Neighbour, NeighbourState, WhyView
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import LookAtQuote, TuneMessages
from workbench.ui.inspector.layers.page import LayersPage
from workbench.ui.inspector.why import (
    MOST_LINES,
    QuoteFrame,
    WhyCard,
    neighbour_note,
    parts_that_add_up,
    place_words,
    score_figure,
    word_lines,
)
from workbench.ui.wishes import ShowFound


@pytest.fixture
def chat() -> ChatState:
    return recalled_state().open[CHAT]


@pytest.fixture
def card(qtbot: QtBot, chat: ChatState) -> WhyCard:
    made = WhyCard()
    qtbot.addWidget(made)
    made.resize(720, 300)
    made.show_chat(chat, chat.view)
    return made


def test_it_says_which_quote_it_is_why_and_what_never_would_save(card: WhyCard, chat: ChatState):
    rows = chat.view.quotes if chat.view is not None else ()
    row = next(row for row in rows if row.key.id == fact_id(chat))
    assert card.isVisibleTo(card.parentWidget())
    assert card.name.text() == "turn 2, you"
    assert card.count.text() == f"{rows.index(row) + 1} of {len(rows)}"
    assert card.quote.quote.toPlainText() == FACT
    assert card.place.text() == f"best of {len(chat.records)} messages"
    assert card.saved.text() == f"never: −{row.tokens} tokens · cache not touched"
    assert sum(float(line.part) for line in card.bars.lines()) == pytest.approx(float(card.score.text()))
    assert card.above.words.text() == f"Turn 1, answer: {SAID[0][1]}"


def test_each_answer_is_one_step(card: WhyCard, chat: ChatState, qtbot: QtBot):
    key = frozenset({fact_id(chat)})
    with qtbot.waitSignal(card.wishes.step) as told:
        card.always.click()
    assert told.args[0].do == (TuneMessages(CHAT, always=key),)
    with qtbot.waitSignal(card.wishes.step) as told:
        card.never.click()
    assert told.args[0].do == (TuneMessages(CHAT, never=key),)
    assert chat.why is not None
    assert chat.why.before is not None
    with qtbot.waitSignal(card.wishes.step) as told:
        card.above.check.click()
    assert told.args[0].do == (TuneMessages(CHAT, always=frozenset({chat.why.before.id})),)


def test_it_shows_the_message_in_the_chat_with_its_words(card: WhyCard, chat: ChatState, qtbot: QtBot):
    with qtbot.waitSignal(card.wishes.wish) as told:
        card.show_it.click()
    wish = told.args[0] if told.args else None
    assert isinstance(wish, ShowFound)
    assert (wish.chat, wish.message, set(wish.words)) == (CHAT, fact_id(chat), {"spare", "key"})


def test_escape_closes_it_and_without_a_look_there_is_no_card(card: WhyCard, chat: ChatState, qtbot: QtBot):
    with qtbot.waitSignal(card.wishes.intent) as told:
        QTest.keyClick(card, Qt.Key.Key_Escape)
    assert told.args == [LookAtQuote(CHAT)]
    card.show_chat(replace(chat, why=None), chat.view)
    assert card.isHidden()
    assert card.shown_id() == ""


def test_a_request_that_was_sent_is_explained_and_nothing_about_it_can_be_decided(
    card: WhyCard, chat: ChatState
):
    assert chat.view is not None
    sent = replace(chat.view, standing="sent")
    card.show_chat(replace(chat, opened=sent), sent)
    assert not card.always.isEnabled()
    assert not card.never.isEnabled()
    assert card.saved.text() == ""


def test_w_asks_and_asks_no_longer_and_the_panels_make_room(qtbot: QtBot, chat: ChatState):
    page = LayersPage()
    qtbot.addWidget(page)
    page.resize(752, 780)
    closed = replace(chat, why=None)
    page.show_state(recalled_state(), closed)
    page.show()
    rows = chat.view.quotes if chat.view is not None else ()
    key = next(row.key for row in rows if row.key.id == fact_id(chat))
    page.tree.select(key)
    with qtbot.waitSignal(page.wishes.intent) as told:
        QTest.keyClick(page.tree, Qt.Key.Key_W)
    assert told.args == [LookAtQuote(CHAT, key.id)]
    page.show_state(recalled_state(), chat)
    assert page.why.isVisible()
    assert page.turns_fold.is_folded()
    with qtbot.waitSignal(page.wishes.intent) as told:
        QTest.keyClick(page.tree, Qt.Key.Key_W)
    assert told.args == [LookAtQuote(CHAT)]
    page.show_state(recalled_state(), closed)
    assert not page.why.isVisible()
    assert not page.turns_fold.is_folded()


PARTS = st.lists(st.floats(0.0, 50.0), max_size=12)


def test_words_are_marked_where_they_stand_exact_ones_otherwise_than_near_ones(qtbot: QtBot):
    frame = QuoteFrame()
    qtbot.addWidget(frame)
    text = "😀 the key, decided"
    frame.quote.show_quote(text, (MarkedWord(6, 9, "exact"), MarkedWord(11, 18, "near")))
    marked = frame.quote.extraSelections()
    assert [one.cursor.selectedText() for one in marked] == ["key", "decided"]  # type: ignore[attr-defined]
    styles = [one.format.underlineStyle() for one in marked]  # type: ignore[attr-defined]
    line = QTextCharFormat.UnderlineStyle
    assert styles == [line.SingleUnderline, line.DashUnderline]


@given(PARTS)
def test_rounded_parts_sum_to_the_rounded_sum_and_none_is_off_by_more_than_a_step(parts: list[float]):
    rounded = parts_that_add_up(parts)
    assert sum(rounded) == round(sum(parts) * 100)
    assert all(abs(one - part * 100) <= 1 for one, part in zip(rounded, parts, strict=True))


@given(PARTS)
def test_the_lines_add_up_to_the_score_however_many_words_there_are(qapp, parts: list[float]):
    words = tuple(MatchedWord(f"w{n}", f"w{n}", "exact", part) for n, part in enumerate(parts))
    why = WhyView("m", "text", sum(parts), words)
    lines = word_lines(why)
    assert len(lines) <= MOST_LINES
    if words:
        whole = round(sum(float(line.part) for line in lines) * 100)
        assert whole == round(float(score_figure(why)) * 100)


def test_a_place_and_a_neighbour_in_words(qapp):
    assert place_words(WhyView("m", "")) == ""
    assert place_words(WhyView("m", "", place=1, messages=40)) == "best of 40 messages"
    assert place_words(WhyView("m", "", place=3, messages=40)) == "number 3 of 40 messages"
    states: tuple[NeighbourState, ...] = ("cut", "along", "recalled", "sent")
    told = [neighbour_note(Neighbour("n", "user", 1, "Hi", 26, state)) for state in states]
    assert told == ["+26", "+26", "recalled", "sent anyway"]
