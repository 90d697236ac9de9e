"""Turns of a watched chat: models in place of layouts, no chart of ours, and what a log would have cost."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.watched import watched_state
from workbench.ui.inspector.turns.page import HistoryPage, log_words
from workbench.ui.inspector.turns.table import Column, cell_text, head_text


def test_the_page_has_models_and_no_layouts(qtbot: QtBot, qapp, appearance):
    state, chat = watched_state()
    page = HistoryPage()
    qtbot.addWidget(page)
    sent: list[object] = []
    page.wishes.intent.connect(sent.append)
    page.resize(700, 600)
    page.show()
    page.show_state(state, chat)
    assert sent == []
    assert page.shares.isHidden()
    assert page.table.head.watched
    assert page.card.settings.isHidden()
    assert page.card.close_button.isHidden()
    assert (head_text(Column.LAYOUT, True), cell_text(chat.turns[0], Column.LAYOUT)) == (
        "Model",
        "claude-sonnet-4-5",
    )


def test_what_a_log_would_have_cost_is_said_where_all_prices_are_known():
    _, chat = watched_state()
    assert log_words(chat.turns) == ""
    *before, last = chat.turns
    known = (*before, replace(last, log_usd=0.12))
    assert log_words(known) == "These requests cost $0.275. Had each only added to the one before: $0.120."
    assert log_words((*before, replace(last, log_usd=0.12, cost_usd=None))) == ""
    assert log_words(()) == ""
