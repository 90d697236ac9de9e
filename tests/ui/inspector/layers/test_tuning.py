"""The tree-table under hand: keys, clicks and the menu."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.envelope_view import Reason, RowKey, SegmentRow
from workbench.engine.tuning_intents import AttachedChange, TuneAttached, TuneMessages
from workbench.ui.inspector.layers import painting as strokes
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.tuning import EnvelopeTree, RowMenuActions, row_menu, summary_words
from workbench.ui.offers import Offer
from workbench.ui.steps import Step

CHAT_STATE = sample_state().open[CHAT]
FILE = RowKey("L3_TURN", "src/auth.py")
TURN = RowKey("L4_STRIP", "turn 7")
LOCKED = RowKey("L1_SYSTEM", "persona")


class Hand:
    """A tree, and what was done in it."""

    def __init__(self, tree: EnvelopeTree) -> None:
        self.tree = tree
        self.steps: list[Step] = []
        self.bytes: list[RowKey] = []
        tree.wishes.step.connect(self.steps.append)
        tree.bytes_wanted.connect(lambda key, _words: self.bytes.append(key))

    def press(self, key: RowKey, *keys: Qt.Key | str) -> None:
        self.tree.select(key)
        for each in keys:
            if isinstance(each, str):
                QTest.keyClicks(self.tree, each)
            else:
                QTest.keyClick(self.tree, each)

    def priority(self, number: int = -1, name: str = "src/auth.py") -> int:
        change = cast(TuneAttached, self.steps[number].do[0])
        after = change.of(CHAT_STATE.conversation.attached)
        return next(artifact.priority for artifact in after if artifact.key == name)

    def cell(self, key: RowKey, column: Column) -> QRectF:
        return QRectF(self.tree.visualRect(self.tree.rows.index_of(key, column)))

    def click(self, at: QPointF) -> None:
        QTest.mouseClick(
            self.tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at.toPoint()
        )

    def double_click(self, at: QPointF) -> None:
        QTest.mouseDClick(
            self.tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at.toPoint()
        )


@pytest.fixture
def hand(qtbot: QtBot) -> Hand:
    tree = EnvelopeTree()
    qtbot.addWidget(tree)
    tree.resize(752, 500)
    tree.show_request(CHAT_STATE, CHAT_STATE.view)
    tree.show()
    made = Hand(tree)
    return made


def test_space_pins(hand: Hand):
    hand.press(FILE, Qt.Key.Key_Space)
    assert hand.steps[0].do == (TuneAttached(CHAT, (AttachedChange("src/auth.py", pinned=True),)),)
    assert hand.steps[0].title == "Pin src/auth.py"


def test_space_pins_the_messages_of_a_turn(hand: Hand):
    hand.press(TURN, Qt.Key.Key_Space)
    assert cast(TuneMessages, hand.steps[0].do[0]).pin == {"m13", "m14"}


def test_plus_and_minus_change_the_priority(hand: Hand):
    hand.press(FILE, "+", "-")
    assert [hand.priority(0), hand.priority(1)] == [6, 4]


def test_digits_type_a_priority(hand: Hand):
    hand.press(FILE, "8")
    assert hand.priority() == 8
    hand.press(FILE, "10")
    assert [len(hand.steps), hand.priority()] == [2, 10]


def test_a_one_that_waits_is_typed_before_the_next_row_is_chosen(hand: Hand):
    hand.press(FILE, "1")
    assert hand.steps == []
    QTest.keyClick(hand.tree, Qt.Key.Key_Down)
    assert hand.priority() == 1


def test_del_leaves_out(hand: Hand):
    hand.press(FILE, Qt.Key.Key_Delete)
    assert cast(TuneMessages, hand.steps[0].do[0]).leave_out == {"src/auth.py"}


def test_enter_asks_for_the_bytes(hand: Hand):
    hand.press(FILE, Qt.Key.Key_Return)
    assert hand.bytes == [FILE]
    assert hand.steps == []


@pytest.mark.parametrize("keys", [" ", "+", "-", "7"])
def test_what_is_locked_cannot_be_tuned(hand: Hand, keys: str):
    hand.press(LOCKED, keys)
    assert hand.steps == []


def test_a_turn_has_no_priority_to_change(hand: Hand):
    hand.press(TURN, "+", "3")
    assert hand.steps == []


def test_the_arrows_move_and_fold(hand: Hand):
    tree = hand.tree
    tree.select(RowKey("L1_SYSTEM", "persona"))
    QTest.keyClick(tree, Qt.Key.Key_Left)
    system = tree.currentIndex()
    assert str(system.data()) == "System"
    QTest.keyClick(tree, Qt.Key.Key_Left)
    assert not tree.isExpanded(system)
    QTest.keyClick(tree, Qt.Key.Key_Down)
    assert str(tree.currentIndex().data()) == "Library"
    QTest.keyClick(tree, Qt.Key.Key_Up)
    QTest.keyClick(tree, Qt.Key.Key_Right)
    assert tree.isExpanded(system)
    QTest.keyClick(tree, Qt.Key.Key_Right)
    assert str(tree.currentIndex().data()) == "Instructions"


def test_enter_and_space_fold_a_layer(hand: Hand):
    tree = hand.tree
    tree.setCurrentIndex(tree.rows.index(0, 0))
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert not tree.isExpanded(tree.rows.index(0, 0))
    QTest.keyClick(tree, Qt.Key.Key_Space)
    assert tree.isExpanded(tree.rows.index(0, 0))


def test_a_click_on_a_pin_pins(hand: Hand):
    hand.click(hand.cell(FILE, Column.PIN).center())
    assert [step.title for step in hand.steps] == ["Pin src/auth.py"]


def test_a_first_click_only_chooses_then_minus_and_plus_step(hand: Hand):
    """The stepper is not there yet when the row is clicked for the first time: nobody aimed at it."""
    box = strokes.stepper_rect(hand.cell(FILE, Column.PRIORITY), "5")
    less = QPointF(box.left() + 4, box.center().y())
    more = QPointF(box.right() - 4, box.center().y())
    hand.click(less)
    assert hand.steps == []
    assert hand.tree.selected_key() == FILE
    hand.click(less)
    hand.click(more)
    assert [hand.priority(0), hand.priority(1)] == [4, 6]


def test_two_quick_clicks_on_plus_are_two_steps(hand: Hand):
    hand.tree.select(FILE)
    box = strokes.stepper_rect(hand.cell(FILE, Column.PRIORITY), "5")
    more = QPointF(box.right() - 4, box.center().y())
    hand.click(more)
    hand.double_click(more)
    assert len(hand.steps) >= 2


def test_a_double_click_on_the_number_opens_a_field(hand: Hand, qtbot: QtBot):
    hand.tree.select(FILE)
    hand.double_click(hand.cell(FILE, Column.PRIORITY).center() + QPointF(10, 0))
    field = cast(QSpinBox, hand.tree.findChild(QSpinBox))
    field.setValue(9)
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(hand.steps))
    assert hand.priority() == 9


def test_a_double_click_on_a_name_asks_for_the_bytes(hand: Hand):
    hand.double_click(hand.cell(FILE, Column.SEGMENT).center())
    assert hand.bytes == [FILE]


def test_a_chevron_folds_with_one_click_a_layer_with_two(hand: Hand):
    tree = hand.tree
    layer = tree.rows.index(0, 0)
    rect = tree.visualRect(layer)
    hand.click(QPointF(16, rect.center().y()))
    assert not tree.isExpanded(layer)
    hand.double_click(QPointF(100, rect.center().y()))
    assert tree.isExpanded(layer)


def test_a_row_has_a_menu_and_a_layer_has_none(hand: Hand):
    row = hand.tree.rows.row(hand.tree.rows.index_of(FILE))
    assert row is not None
    menu = hand.tree.menu_for(row)
    assert menu is not None
    assert len(menu.actions()) >= 5
    menu.close()


def test_without_a_chat_nothing_is_done(hand: Hand):
    hand.tree.show_request(None, CHAT_STATE.view)
    hand.press(FILE, Qt.Key.Key_Space, "+", "7")
    assert hand.steps == []


def test_a_point_without_a_row_is_no_row(hand: Hand):
    assert not hand.tree.indexAt(QPoint(10, 498)).isValid()
    hand.click(QPointF(10, 498))
    assert hand.steps == []


VIEW = sample_view()


class Done:
    """What the menu called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []
        self.actions = RowMenuActions(
            lambda row, act: self.calls.append((row.key.id, act)),
            lambda row, priority: self.calls.append((row.key.id, priority)),
            lambda row: self.calls.append((row.key.id, "bytes")),
        )


def row(layer: str, name: str) -> SegmentRow:
    return next(row for each in VIEW.layers for row in each.rows if row.key == (layer, name))


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def actions(menu: QMenu) -> dict[str, QAction]:
    return {action.text().split("\t")[0]: action for action in menu.actions() if action.text()}


def test_a_file_can_be_tuned_in_every_way(parent: QWidget):
    done = Done()
    menu = row_menu(parent, row("L3_TURN", "src/auth.py"), done.actions)
    found = actions(menu)
    assert list(found) == [
        "Pin, never dropped", "Priority", "Leave out", "Show in the payload", "Copy digest",
    ]  # fmt: skip
    found["Pin, never dropped"].trigger()
    found["Leave out"].trigger()
    found["Show in the payload"].trigger()
    assert done.calls == [("src/auth.py", "pin"), ("src/auth.py", "leave_out"), ("src/auth.py", "bytes")]


def test_a_priority_is_chosen_by_its_meaning(parent: QWidget):
    done = Done()
    menu = row_menu(parent, row("L3_TURN", "src/auth.py"), done.actions)
    below = actions(menu)["Priority"].menu()
    assert isinstance(below, QMenu)
    choices = actions(below)
    assert [text for text, action in choices.items() if action.isChecked()] == ["5, as usual"]
    choices["10, dropped first"].trigger()
    assert done.calls == [("src/auth.py", 10)]


def test_what_is_locked_can_only_be_looked_at(parent: QWidget):
    menu = row_menu(parent, row("L1_SYSTEM", "persona"), Done().actions)
    assert list(actions(menu)) == ["Show in the payload", "Copy digest"]


def test_an_entry_is_offered_while_it_is_chosen(parent: QWidget):
    chosen: list[object] = []
    offering = Done().actions._replace(
        offer=lambda row, act: Offer(f"{act} {row.key.id}", ()),
        take=lambda offer: chosen.append(None if offer is None else offer.title),
    )
    menu = row_menu(parent, row("L3_TURN", "src/auth.py"), offering)
    found = actions(menu)
    below = found["Priority"].menu()
    assert isinstance(below, QMenu)
    menu.hovered.emit(found["Leave out"])
    menu.hovered.emit(found["Copy digest"])
    below.hovered.emit(actions(below)["10, dropped first"])
    menu.aboutToHide.emit()
    assert chosen == ["leave_out src/auth.py", None, "10 src/auth.py", None]


def test_a_digest_is_copied_in_full(parent: QWidget):
    found = row("L3_TURN", "src/auth.py")
    menu = row_menu(parent, found, Done().actions)
    actions(menu)["Copy digest"].trigger()
    assert QGuiApplication.clipboard().text() == found.digest


def test_turns_and_texts_can_be_summarised_and_a_summary_undone(parent: QWidget):
    turn = SegmentRow(RowKey("L4_STRIP", "u1"), ("u1", "a1"), "turn", "", 9, "sent", tunable=True)
    summary = replace(turn, kind="summary", tunable=False)
    short = replace(turn, key=RowKey("L3_TURN", "a.md"), kind="file", reason=Reason("as_summary"))
    within = replace(turn, tunable=False, counted=False)  # in a summary already
    assert [summary_words(one) for one in (turn, summary, short, within)] == [
        "Summarise up to here…", "Undo this summary", "Undo this summary", "",
    ]  # fmt: skip
    done = Done()
    summarising = done.actions._replace(summarise=lambda row: done.calls.append((row.key.id, "summarise")))
    made = row_menu(parent, turn, summarising)
    next(action for action in made.actions() if action.text() == "Summarise up to here…").trigger()
    assert done.calls == [("u1", "summarise")]


def test_where_no_summary_can_be_made_the_menu_says_why(parent: QWidget):
    """It was offered and then refused, or was not there at all."""
    turn = SegmentRow(
        RowKey("L4_STRIP", "u1"), ("u1",), "turn", "", 9, "sent", tunable=True, first_turn=3, last_turn=3
    )
    rows = {
        "": turn,
        "newest turn": replace(turn, first_turn=5, last_turn=5),
        "unpin": replace(turn, pinned=True),
        "put it back": replace(turn, state="excluded", counted=False),
        "nothing to shorten": replace(turn, state="dropped", counted=False),
    }
    acts = Done().actions._replace(summarise=lambda row: None, newest=5)
    for words, one in rows.items():
        made = row_menu(parent, one, acts)
        action = next(action for action in made.actions() if action.text() == "Summarise up to here…")
        assert action.isEnabled() is not bool(words)
        assert words in action.toolTip()
