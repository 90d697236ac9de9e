"""The pages under the tabs."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import partial
from weakref import ref

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.compare.page import ComparePage
from workbench.ui.inspector.diff.page import DiffPage
from workbench.ui.inspector.layers.page import LayersPage
from workbench.ui.inspector.pages import Pages, PageSpec, first_tab_stop
from workbench.ui.inspector.payload.page import PayloadPage
from workbench.ui.inspector.turns.page import HistoryPage
from workbench.ui.look.space import rows
from workbench.ui.wishes import Wishes

STATE = sample_state()
CHAT_STATE = STATE.open[CHAT]
FILE = RowKey("L3_TURN", "src/auth.py")
SPECS = (
    PageSpec("layers", "Layers", LayersPage),
    PageSpec("payload", "Payload", PayloadPage),
    PageSpec("diff", "Diff", DiffPage),
    PageSpec("history", "History", HistoryPage),
    PageSpec("compare", "Compare", ComparePage),
)


@pytest.fixture
def pages(qtbot: QtBot) -> Pages:
    made = Pages(SPECS, Wishes())
    qtbot.addWidget(made)
    made.resize(752, 780)
    made.show_state(STATE, CHAT_STATE)
    made.show()
    return made


def made_pages(pages: Pages) -> list[type]:
    return [type(pages.widget(place)) for place in range(pages.count())]


def test_only_layers_is_made_at_first(pages: Pages):
    """The other pages cost more than all the rest of the inspector, and the first paint waits for it."""
    assert pages.count() == 1
    assert isinstance(pages.currentWidget(), LayersPage)


def test_a_page_is_made_once(pages: Pages):
    for name in (*pages.names(), *pages.names()):
        pages.turn_to(name)
        pages.show_state(STATE, CHAT_STATE)
        assert pages.name() == name
    assert made_pages(pages)[1:] == [PayloadPage, DiffPage, HistoryPage, ComparePage]


class Facts(dict[str, AnswerFacts]):
    """A part of a chat's state that weak references can be made to."""


@pytest.mark.parametrize("name", ["payload", "diff", "history", "compare"])
def test_a_hidden_page_does_not_hold_a_chat_that_was_closed(pages: Pages, name: str):
    """All messages of the chat that was last looked at in Payload stayed in memory with it."""
    view = CHAT_STATE.view
    assert view is not None
    wire = partial(view.wire)
    closed = replace(CHAT_STATE, facts=Facts(), view=replace(view, wire=wire))
    held = ref(closed.facts), ref(wire)
    pages.turn_to(name)
    pages.show_state(STATE, closed)
    pages.turn_to("layers")
    pages.show_state(STATE, None)
    QApplication.processEvents()
    del closed, wire
    gc.collect()
    assert [one() for one in held] == [None, None]
    pages.turn_to(name)
    pages.show_state(STATE, CHAT_STATE)


def test_a_page_that_is_made_late_knows_what_is_selected(pages: Pages, qtbot: QtBot):
    pages.select(FILE)
    pages.turn_to("payload")
    pages.show_state(STATE, CHAT_STATE)
    layers = pages.page("layers")
    assert isinstance(layers, LayersPage)
    assert layers.tree.selected_key() == FILE
    assert pages.page("payload").isVisible()


def test_what_a_page_selects_is_handed_on(pages: Pages, qtbot: QtBot):
    for name in pages.names():
        with qtbot.waitSignal(pages.selected) as told:
            pages.page(name).selected.emit(FILE)
        assert told.args == [FILE]


@pytest.mark.parametrize("name", [spec.name for spec in SPECS])
def test_every_page_has_something_to_operate(pages: Pages, name: str):
    pages.turn_to(name)
    pages.show_state(STATE, CHAT_STATE)
    entry = pages.entry()
    assert entry.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_first_thing_to_operate_is_found(qtbot: QtBot):
    page = QWidget()
    qtbot.addWidget(page)
    hidden, field = QLineEdit(), QLineEdit()
    down = rows(page)
    for widget in (QLabel("words"), hidden, field):
        down.addWidget(widget)
    hidden.hide()
    assert first_tab_stop(page) is field
    field.setEnabled(False)
    assert first_tab_stop(page) is page
