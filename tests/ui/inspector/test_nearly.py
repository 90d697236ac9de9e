"""What was nearly quoted from followed folders: listed with its cost, ticked on top of the share, left out for good."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from tests.fakes.recalled_chat import CHAT, recalled_state
from workbench.domain.recall import Found, MatchedWord
from workbench.domain.shown.envelope_view import EnvelopeView, NearlyTaken
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.inspector.nearly import NearlyCard
from workbench.ui.steps import Step

WORDS = (
    MatchedWord("Index", "index", "exact", 2.0, "index"),
    MatchedWord("arrays", "array", "exact", 1.0, "arrai"),
)
FOUND = Found(
    "/docs/gin.html#L3-9",
    3.0,
    "quoted",
    WORDS,
    "text",
    place="GIN",
    artifact="/docs/gin.html",
    folder="/docs",
)
NEARLY = (
    NearlyTaken(replace(FOUND, reserved=True), 6, 583, 190),
    NearlyTaken(replace(FOUND, id="/docs/a.md#L1-2", artifact="/docs/a.md", place="lines 1–2"), 7, 90, 190),
)


@pytest.fixture
def chat() -> ChatState:
    return recalled_state().open[CHAT]


@pytest.fixture
def card(qtbot: QtBot) -> NearlyCard:
    made = NearlyCard()
    qtbot.addWidget(made)
    made.resize(620, 260)
    return made


def view_of(chat: ChatState) -> EnvelopeView:
    assert chat.view is not None
    return replace(chat.view, nearly=NEARLY)


def test_where_nothing_fits_it_opens_and_a_tick_is_one_step(card: NearlyCard, chat: ChatState):
    done: list[Step] = []
    card.wishes.step.connect(done.append)
    card.show_chat(chat, view_of(chat))
    assert not card.isHidden()
    assert card.about.text() == "nothing here fits"
    assert card.share.text() == "190 of the share left"
    first, second = card.lines
    assert (first.name.text(), first.words.text(), first.over.text(), first.tokens.text()) == (
        "gin.html › GIN", "index, arrays", "393 over the share", "+583",
    )  # fmt: skip
    assert second.over.text() == "fits the share"
    assert not first.tick.isChecked()
    first.tick.click()
    card.leave_out.click()
    assert [step.do for step in done] == [
        (TuneMessages(CHAT, always=frozenset({FOUND.id})),),
        (TuneMessages(CHAT, never=frozenset({FOUND.id})),),
    ]


def test_it_stays_closed_where_it_was_closed_and_shows_nothing_of_a_request_that_was_sent(
    card: NearlyCard, chat: ChatState
):
    card.show_chat(chat, view_of(chat))
    card.close_button.click()
    card.show_chat(chat, view_of(chat))
    assert card.isHidden()
    card.show_card()
    assert not card.isHidden()
    card.show_chat(chat, replace(view_of(chat), standing="sent"))
    assert card.isHidden()
    assert card.lines == []


def test_where_nothing_else_fits_it_says_so_when_asked(card: NearlyCard, chat: ChatState):
    """The key that rows name did nothing at all."""
    assert chat.view is not None
    assert chat.view.quotes
    card.show_chat(chat, replace(chat.view, nearly=()))
    assert card.isHidden()
    card.show_card()
    assert not card.isHidden()
    assert card.about.text() == "nothing else fits the question"
    assert card.leave_out.isHidden()
    card.show_card()
    assert card.isHidden()
