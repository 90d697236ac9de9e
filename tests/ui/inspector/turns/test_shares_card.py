"""The card with the chart, and the choice of a layout in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtTest import QTest

from tests.fakes.shares_shown import cache_shares, cache_state, cache_turns
from workbench.domain.models.learnt import ModelLearnt
from workbench.domain.shown.shares_view import LayoutShares, ShareLine
from workbench.engine.intents import ChangeSettings
from workbench.engine.state import ChatState
from workbench.ui.inspector.turns.shares_card import SharesCard
from workbench.ui.steps import Step
from workbench.ui.wishes import Wishes


@pytest.fixture
def card(qtbot) -> SharesCard:
    made = SharesCard(Wishes())
    qtbot.addWidget(made)
    made.resize(720, 260)
    made.show()
    made.show_chat(chat())
    return made


def chat(**changes: object) -> ChatState:
    return cache_state(**changes)[1]


def test_it_says_what_was_spared_over_the_chart(card: SharesCard):
    assert card.lead.text() == "auto saved 61,652 tokens, $0.0694"
    assert card.rest.text() == "against layered. Append-only until a rebuild is due, or free."
    assert card.chart.isVisible()
    assert not card.none.isVisible()
    assert card.choice.chosen() == "auto"


def test_choosing_a_layout_really_changes_the_chat_and_can_be_taken_back(card: SharesCard):
    steps: list[Step] = []
    card.wishes.step.connect(steps.append)
    card.choice.setCurrentIndex(card.choice.findData("layered"))
    card.choice.activated.emit(card.choice.currentIndex())
    (step,) = steps
    before = chat().chat.settings
    layered = replace(before, layout="layered")
    assert step.do == (ChangeSettings(step.chat, layered, before),)
    assert step.undo == (ChangeSettings(step.chat, before, layered),)
    assert step.title == "Layout: layered"
    card.choice.choose("auto")
    card.choice.activated.emit(card.choice.currentIndex())
    assert len(steps) == 1, "what holds already is no step"


def test_without_lines_it_says_why_and_still_offers_a_layout(card: SharesCard):
    rows = cache_turns()[:2]
    nothing = LayoutShares((1, 2), (ShareLine("sent", (None, None)),))
    for shares, words in (
        (None, "Being worked out"),
        (cache_shares(1), "One answer so far"),
        (nothing, "Nothing is known of a cache"),
    ):
        card.show_chat(chat(turns=rows, shares=shares))
        assert card.none.text().startswith(words)
        assert card.none.isVisible()
        assert not card.chart.isVisible()
        assert not card.lead.isVisible()
        assert card.choice.isVisible()
    card.show_chat(chat(shares=cache_shares(9, 5)))
    assert card.waiting.text() == "5 turns to go"
    assert card.chart.isVisible()


def test_what_is_the_same_is_not_painted_again(card: SharesCard):
    shown = chat()
    card.show_chat(shown)
    told: list[object] = []
    card.chart.show_shares = lambda *_: told.append(1)  # type: ignore[method-assign]
    card.show_chat(replace(shown, draft="words"))
    assert told == []
    card.show_chat(replace(shown, shares=cache_shares(3)))
    assert told == [1]


def test_the_icon_is_a_check_only_where_something_was_spared(card: SharesCard):
    image = card.icon.grab().toImage()
    lost = cache_shares()
    assert lost.saving is not None
    card.show_chat(chat(shares=replace(lost, saving=replace(lost.saving, tokens=-5, usd=None))))
    QTest.qWait(1)
    assert card.icon.grab().toImage() != image


def test_how_often_forecasts_came_true_is_said_where_any_was_judged(card: SharesCard):
    assert not card.accuracy.isVisible()
    card.show_chat(chat(), ModelLearnt(32, 31))
    assert card.accuracy.text() == "Forecasts of gpt-5.1: 31 of 32 within 1 % of the request."
    assert card.accuracy.isVisible()
    card.show_chat(chat(), ModelLearnt())
    assert not card.accuracy.isVisible()
