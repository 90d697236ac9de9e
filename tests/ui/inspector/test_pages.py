"""The pages under the tabs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.diff.page import DiffPage
from workbench.ui.inspector.pane import PAGES, PageName, Pages, first_operable
from workbench.ui.inspector.payload.page import PayloadPage
from workbench.ui.inspector.turns.page import HistoryPage
from workbench.ui.look.space import rows
from workbench.ui.scenes.sample_state import CHAT, sample_state

STATE = sample_state()
CHAT_STATE = STATE.open[CHAT]
FILE = RowKey("L3_TURN", "src/auth.py")


@pytest.fixture
def pages(qtbot: QtBot) -> Pages:
    made = Pages()
    qtbot.addWidget(made)
    made.resize(752, 780)
    made.show_state(STATE, CHAT_STATE, CHAT_STATE.view)
    made.show()
    return made


def made_pages(pages: Pages) -> list[type]:
    return [type(pages.widget(place)) for place in range(pages.count())]


def test_only_layers_is_made_at_first(pages: Pages):
    """The other pages cost more than all the rest of the inspector, and the first paint waits for it."""
    assert pages.count() == 1
    assert pages.currentWidget() is pages.layers


def test_a_page_is_made_once(pages: Pages):
    for name in (*PAGES, *PAGES):
        pages.turn_to(name)
        pages.show_state(STATE, CHAT_STATE, CHAT_STATE.view)
        assert pages.name() == name
    assert made_pages(pages)[1:] == [PayloadPage, DiffPage, HistoryPage]


def test_a_page_that_is_made_late_knows_what_is_selected(pages: Pages, qtbot: QtBot):
    pages.select(FILE)
    pages.turn_to("payload")
    pages.show_state(STATE, CHAT_STATE, CHAT_STATE.view)
    assert pages.layers.tree.selected_key() == FILE
    assert pages.payload.isVisible()


def test_what_a_page_tells_is_handed_on(pages: Pages, qtbot: QtBot):
    for page in (pages.layers, pages.payload, pages.diff, pages.history):
        with qtbot.waitSignal(pages.wishes.wish) as told:
            page.wishes.wish.emit("payload")
        assert told.args == ["payload"]
        for source, target in ((page.wishes.intent, pages.wishes.intent), (page.selected, pages.selected)):
            with qtbot.waitSignal(target) as told:
                source.emit(FILE)
            assert told.args == [FILE]


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_something_to_operate(pages: Pages, name: PageName):
    pages.turn_to(name)
    pages.show_state(STATE, CHAT_STATE, CHAT_STATE.view)
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
    assert first_operable(page) is field
    field.setEnabled(False)
    assert first_operable(page) is page
