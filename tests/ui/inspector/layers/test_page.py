"""The Layers page and its panels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.influence_results import first_key, looked_back
from tests.fakes.sample_state import CHAT, sample_state, sample_trial
from tests.ui.chat.chat_samples import turn
from workbench.domain.answer_facts import AnswerFact, AnswerFacts, FactPlace
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import TrySettings
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.delegates import ICON_LEAD, LAYER_LEAD, NAME_LEAD
from workbench.ui.inspector.layers.page import LayersPage

STATE = sample_state()
CHAT_STATE = STATE.open[CHAT]
KEEP = "history.keep_last_n_assistant"
FILE = RowKey("L3_TURN", "src/auth.py")


@pytest.fixture
def page(qtbot: QtBot) -> LayersPage:
    made = LayersPage()
    qtbot.addWidget(made)
    made.resize(752, 780)
    made.show_state(STATE, CHAT_STATE)
    made.show()
    return made


def test_one_selection_for_tree_and_drop_order(page: LayersPage):
    page.select(FILE)
    assert page.tree.selected_key() == FILE
    assert page.rail.list.selected_key() == FILE
    page.select(RowKey("L1_SYSTEM", "persona"))
    assert page.rail.list.selected_key() is None


def test_whoever_is_chosen_is_told(page: LayersPage, qtbot: QtBot):
    with qtbot.waitSignal(page.selected) as told:
        page.rail.list.setFocus()
        QTest.keyClick(page.rail.list, Qt.Key.Key_Right)
    assert told.args == [RowKey("L3_TURN", "logs/big.log")]


def test_steps_and_intents_go_out(page: LayersPage, qtbot: QtBot):
    page.select(FILE)
    with qtbot.waitSignal(page.wishes.step):
        QTest.keyClick(page.tree, Qt.Key.Key_Space)
    with qtbot.waitSignal(page.wishes.intent) as told:
        page.what_if.controls[KEEP].changed.emit(KEEP, 2)
    assert told.args is not None
    assert isinstance(told.args[0], TrySettings)


def test_in_a_low_window_turns_and_what_if_fold_and_the_drop_order_stays(page: LayersPage):
    page.set_low(True)
    assert page.turns_fold.is_folded()
    assert page.what_if_fold.is_folded()
    assert not page.drop_fold.is_folded()
    page.set_low(False)
    assert not page.what_if_fold.is_folded()


def test_what_was_unfolded_by_hand_in_a_low_window_stays_open(page: LayersPage):
    page.set_low(True)
    page.what_if_fold.set_folded(False)
    page.set_low(True)
    assert not page.what_if_fold.is_folded()


def test_a_folded_panel_says_what_is_in_it(page: LayersPage):
    page.set_low(True)
    assert page.what_if_fold.head.note() == "nothing changed"
    page.show_state(STATE, replace(CHAT_STATE, trial=sample_trial()))
    assert page.what_if_fold.head.note() == "Keep last turns 10 → 2"


def test_more_shows_the_rarer_controls(page: LayersPage):
    QTest.mouseClick(page.more, Qt.MouseButton.LeftButton)
    assert page.what_if.controls["reserved_output_tokens"].isVisible()
    assert page.more.text() == "Less"
    QTest.mouseClick(page.more, Qt.MouseButton.LeftButton)
    assert not page.what_if.controls["reserved_output_tokens"].isVisible()


def test_in_the_lesson_cards_take_the_place_of_drop_order_and_what_if(page: LayersPage):
    page.set_lesson({"pin", "priority"})
    assert page.cards.isVisible()
    assert not page.rail.isVisible()
    assert not page.what_if.isVisible()
    page.set_lesson(())
    assert not page.cards.isVisible()
    assert page.rail.isVisible()


def test_narrow_the_heading_says_less(page: LayersPage):
    assert page.drop_fold.head.note().endswith("Drag to reorder.")
    page.setMinimumWidth(480)  # as in the pane
    page.resize(588, 600)
    assert page.drop_fold.head.note() == "first dropped at left"
    page.resize(490, 600)
    assert not page.hints.isVisible()


def test_influence_sorts_the_rows_flat_and_back(page: LayersPage):
    state, chat = looked_back()
    page.show_state(state, chat)
    tree, key = page.tree, first_key(chat)
    assert not tree.head.isSectionHidden(Column.INFLUENCE)
    assert tree.rows.index_of(key, Column.INFLUENCE).data() == "0.40"
    assert tree.rows.rowCount(tree.rows.index_of(key)) >= 2  # its sentences, and all others
    page.select(key)
    assert page.carried.isVisibleTo(page)
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_I)
    assert page.strip.sort.isChecked()
    assert page.strip.sort.icon_name() == "check"
    assert tree.rootIndex().isValid()
    assert tree.rows.row(tree.rows.index(0, 0, tree.rootIndex())).key == key  # type: ignore[union-attr]
    assert tree.selected_key() == key
    QTest.keyClick(tree, Qt.Key.Key_I)
    assert not tree.rootIndex().isValid()
    page.show_state(STATE, CHAT_STATE)
    assert tree.head.isSectionHidden(Column.INFLUENCE)
    assert not page.carried.isVisibleTo(page)
    assert not page.could_go.isVisibleTo(page)


def test_facts_of_the_opened_turns_answer_are_counted_at_their_rows(page: LayersPage):
    state, chat = looked_back()
    assert chat.opened is not None
    key = first_key(chat)
    chat = replace(chat, turns=(turn(chat.opened.turn, "q", "a"),))
    place = FactPlace(key.id, key.id, key.layer, 3, "  It lives 900 seconds.", 11, 22)
    facts = AnswerFacts(
        (
            AnswerFact("900 seconds", "number", ((0, 11),), "found", (place,)),
            AnswerFact("8443", "number", ((12, 16),)),
        ),
        "a",
        "q",
    )
    page.show_state(state, replace(chat, facts={"a": facts}))
    rows, tree = page.tree.rows, page.tree
    assert not page.tree.head.isSectionHidden(Column.FACTS)
    assert rows.index_of(key, Column.FACTS).data() == "1"

    row = rows.index_of(key)
    last = rows.rowCount(row) - 1
    page.select(key)
    line = rows.index(last, 0, row)
    assert tree.isExpanded(row)
    assert line.data() == "line 3"
    item = rows.item(line)
    assert item is not None
    assert rows.spoken_of(item).startswith("line 3: It lives 900 seconds., 1 fact")
    wanted: list[object] = []
    tree.bytes_wanted.connect(lambda *asked: wanted.extend(asked))
    tree.setCurrentIndex(line)
    assert tree.grab().width()
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert wanted == [key, "It lives 900 seconds."]

    page.show_state(STATE, CHAT_STATE)
    assert page.tree.head.isSectionHidden(Column.FACTS)


def test_the_names_of_sorted_rows_have_the_ink_of_names_not_of_their_tags(page: LayersPage):
    """A tag leaves its own ink in the painter, which is white on the darker layers."""
    state, chat = looked_back()
    page.show_state(state, chat)
    page.strip.sort.setChecked(True)
    tree = page.tree
    cell = tree.visualRect(tree.rows.index_of(first_key(chat)))
    drawn = tree.viewport().grab(cell.adjusted(NAME_LEAD + LAYER_LEAD - ICON_LEAD, 0, 0, 0)).toImage()
    lights = [
        drawn.pixelColor(x, y).lightness() for x in range(drawn.width()) for y in range(4, drawn.height() - 4)
    ]
    assert min(lights) < 110
