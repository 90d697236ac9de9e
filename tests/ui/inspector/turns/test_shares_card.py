"""The card with the chart, and the choice of a layout in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from tests.fakes.shares_shown import cache_shares, cache_state, cache_turns
from workbench.domain.model import ModelLearnt
from workbench.domain.shown.turn_view import LayoutShares, ShareLine
from workbench.engine.intents import ChangeSettings
from workbench.engine.state import ChatState
from workbench.ui.inspector.turns.shares_card import ShareChart, SharesCard, line_pen, turn_marks
from workbench.ui.look.theme import Theme
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
        (None, "Calculating"),
        (cache_shares(1), "One answer so far"),
        (nothing, "The cache of "),
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


@pytest.fixture
def chart(qtbot) -> ShareChart:
    made = ShareChart()
    qtbot.addWidget(made)
    made.resize(690, made.sizeHint().height())
    made.show_shares(cache_shares(), turn_marks(cache_turns()))
    made.show()
    return made


def chosen(chart: ShareChart, *keys: Qt.Key) -> list[int]:
    told: list[int] = []
    chart.chosen.connect(told.append)
    for key in keys:
        QTest.keyClick(chart, key)
    return told


def test_the_arrows_go_by_turn(chart: ShareChart):
    keys = (
        Qt.Key.Key_Left,
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Home,
        Qt.Key.Key_Left,
        Qt.Key.Key_End,
    )
    assert chosen(chart, *keys) == [14, 13, 14, 1, 14]
    assert chart.accessibleDescription().startswith("Turn 14: append-only, as sent, 94 %")


def test_a_click_chooses_and_enter_or_a_double_click_opens(chart: ShareChart):
    opened: list[int] = []
    chart.opened.connect(opened.append)
    QTest.keyClick(chart, Qt.Key.Key_Return)
    assert opened == [], "nothing is chosen yet"
    where = QPoint(round(chart.laid_out().xs[7]), 40)
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=where)
    assert chart.turn() == 8
    QTest.keyClick(chart, Qt.Key.Key_Return)
    QTest.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=where)
    assert opened == [8, 8]


def test_a_turn_that_is_not_in_the_chart_is_not_marked(chart: ShareChart):
    chart.select(99)
    assert (chart.turn(), chart.accessibleDescription()) == (None, "")
    chart.select(None)
    assert chart.turn() is None


def test_a_tooltip_says_what_a_turn_was_like(chart: ShareChart):
    at = QPoint(round(chart.laid_out().xs[5]), 30)
    QApplication.sendEvent(chart, QHelpEvent(QEvent.Type.ToolTip, at, chart.mapToGlobal(at)))
    assert "Turn 6" in QToolTip.text()
    assert "cold: free" in QToolTip.text()


def test_what_was_sent_is_drawn_in_full_and_forecasts_in_dashes(theme: Theme):
    assert line_pen("sent", theme).style() == Qt.PenStyle.SolidLine
    dashes = [tuple(line_pen(name, theme).dashPattern()) for name in ("layered", "append_only", "trim_last")]
    assert len(set(dashes)) == 3


@pytest.mark.parametrize("width", [300, 446, 690, 1_400])
def test_it_is_painted_in_both_themes_at_any_width_with_any_number_of_turns(theme: Theme, qtbot, width: int):
    made = ShareChart()
    qtbot.addWidget(made)
    made.resize(width, made.sizeHint().height())
    for count in (0, 1, 2, 14, 1_000):
        turns = tuple(range(1, count + 1))
        shares = tuple(None if turn % 7 == 0 else (turn % 10) / 10 for turn in turns)
        lines = (ShareLine("sent", shares, 0.5), ShareLine("append_only", shares, 0.5))
        made.show_shares(LayoutShares(turns, lines), turn_marks(cache_turns()))
        made.select(count or None)
        assert not made.grab().isNull()
