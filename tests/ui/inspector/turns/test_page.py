"""The history page: choosing a turn opens it, and its card follows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import AUTH, many_turns, scripted_state, sent_view
from tests.fakes.sample_state import CHAT
from tests.fakes.shares_shown import cache_shares, cache_state
from workbench.engine.intents import CompareLayouts, CompareTurns, OpenTurn
from workbench.engine.state import WorkbenchState
from workbench.ui.inspector.turns.page import HistoryPage
from workbench.ui.inspector.turns.table import HEAD_HEIGHT, ROW_HEIGHT, Column


@pytest.fixture
def page(qtbot) -> HistoryPage:
    made = HistoryPage()
    qtbot.addWidget(made)
    made.resize(752, 600)
    made.show()
    made.show_state(*scripted_state())
    return made


def test_nothing_is_opened_before_someone_chooses(page: HistoryPage, qtbot):
    """A list that gets the focus makes its first row current by itself: that is no choice."""
    assert page.hint.isVisible()
    assert not page.card.isVisible()
    page.activateWindow()
    page.table.setFocus()
    qtbot.waitUntil(page.table.hasFocus)
    assert not page._settle.isActive()


def test_choosing_a_turn_opens_it_and_holding_a_key_opens_only_the_last(page: HistoryPage, qtbot):
    intents: list[object] = []
    page.wishes.intent.connect(intents.append)
    page.table.select(8)
    for _ in range(4):
        QTest.keyClick(page.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: bool(intents))
    assert intents == [OpenTurn(CHAT, 4)]


def test_the_turn_that_is_opened_has_its_card(page: HistoryPage):
    state, chat = scripted_state()
    page.show_state(state, replace(chat, turns=page._turns or (), opened=sent_view(7)))
    assert page.card.isVisible()
    assert page.card.title.text() == "Turn 7"
    assert [index.data() for index in page.table.selectedIndexes() if index.column() == 0] == ["7"]
    page.show_state(state, chat)
    assert not page.card.isVisible()
    assert page.table.selectedIndexes() == []


def test_a_turn_that_is_open_already_is_not_asked_for_again(page: HistoryPage):
    state, chat = scripted_state()
    page.show_state(state, replace(chat, opened=sent_view(7)))
    page.table.picked.emit(7)
    assert not page._settle.isActive()


def test_enter_opens_it_in_the_layers_at_once(page: HistoryPage):
    told: list[object] = []
    page.wishes.intent.connect(told.append)
    page.wishes.wish.connect(told.append)
    page.table.opened.emit(6)
    assert told == [OpenTurn(CHAT, 6), "layers"]


def test_the_card_leads_to_layers_payload_a_comparison_and_back(page: HistoryPage):
    state, chat = scripted_state()
    page.show_state(state, replace(chat, opened=sent_view(7)))
    told: list[object] = []
    page.wishes.intent.connect(told.append)
    page.wishes.wish.connect(told.append)
    for button in (page.card.layers, page.card.payload, page.card.compare, page.card.close_button):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert told == ["layers", "payload", CompareTurns(CHAT, 7, None), "diff", OpenTurn(CHAT, None)]


def test_before_the_first_answer_it_says_what_will_be_here(page: HistoryPage):
    state, chat = scripted_state()
    page.show_state(state, replace(chat, turns=()))
    assert page.empty.isVisible()
    page.show_state(WorkbenchState(), None)
    assert page.empty.isVisible()


def test_a_thousand_turns_are_listed_and_the_card_keeps_its_place(page: HistoryPage):
    state, chat = scripted_state()
    page.show_state(state, replace(chat, turns=many_turns(1_000), opened=sent_view(7)))
    assert page.table.model().rowCount() == 1_000
    assert page.card.isVisible()
    assert page.card.geometry().bottom() < page.height()


def test_a_row_of_a_request_marks_nothing_here(page: HistoryPage):
    page.select(AUTH)
    page.select(None)
    assert page.table.selectedIndexes() == []


def test_a_page_that_gets_the_focus_hands_it_to_what_can_be_read(page: HistoryPage):
    assert page.focusProxy() is page.table


def test_other_turns_have_their_layouts_compared_once(qtbot):
    page = HistoryPage()
    qtbot.addWidget(page)
    intents: list[object] = []
    page.wishes.intent.connect(intents.append)
    state, chat = cache_state(shares=None)
    page.show_state(state, chat)
    page.show_state(state, replace(chat, draft="x"))
    page.show_state(state, replace(chat, shares=cache_shares()))
    assert intents == [CompareLayouts(CHAT)]
    page.show_state(state, replace(chat, turns=chat.turns[:3]))
    assert intents == [CompareLayouts(CHAT)] * 2
    page.show_state(state, replace(chat, turns=()))
    assert len(intents) == 2


def test_a_turn_that_is_chosen_in_the_chart_is_the_one_in_the_table(page: HistoryPage, qtbot):
    page.resize(752, 900)
    page.show_state(*cache_state())
    intents: list[object] = []
    page.wishes.intent.connect(intents.append)
    chart = page.shares.chart
    page.table.select(9)
    page.table.picked.emit(9)
    assert chart.selected() == 9
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert [index.data() for index in page.table.selectedIndexes() if index.column() == 0] == ["8"]
    qtbot.waitUntil(lambda: OpenTurn(CHAT, 8) in intents)
    page.show_state(*cache_state(opened=sent_view(6)))
    assert chart.selected() == 6


def test_in_a_low_window_table_and_chart_share_the_room(page: HistoryPage, qtbot):
    page.show_state(*cache_state())
    page.resize(480, 330)
    qtbot.waitUntil(lambda: page.height() == 330)
    assert page.table.height() >= HEAD_HEIGHT + 2 * ROW_HEIGHT
    assert page.under.height() >= 100
    assert page.under.verticalScrollBar().maximum() > 0
    page.resize(752, 900)
    qtbot.waitUntil(lambda: page.under.verticalScrollBar().maximum() == 0)
    assert page.table.height() == HEAD_HEIGHT + 14 * ROW_HEIGHT


def test_another_layout_is_said_with_the_sums(page: HistoryPage):
    page.show_state(*cache_state())
    assert page.sums.words(Column.SENT) == "turns, layout auto"
    state, chat = cache_state()
    settings = replace(chat.chat.settings, layout="layered")
    page.show_state(state, replace(chat, chat=replace(chat.chat, settings=settings)))
    assert page.sums.words(Column.SENT) == "turns, layout layered"
