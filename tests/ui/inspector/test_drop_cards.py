"""The row of cards under hand."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.drop_order import DropList

LOG = RowKey("L3_TURN", "logs/big.log")
SOURCE = RowKey("L3_TURN", "src/auth.py")
API = RowKey("L2_PREVIOUS", "docs/api.md")
SPEC = RowKey("L2_PREVIOUS", "project-spec.md")
LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


class Hand:
    """The list, and what was told."""

    def __init__(self, rail: DropList) -> None:
        self.rail = rail
        self.moves: list[tuple[RowKey, RowKey | None]] = []
        self.acts: list[tuple[RowKey, str]] = []
        self.chosen: list[RowKey] = []
        rail.moved.connect(lambda key, before: self.moves.append((key, before)))
        rail.wanted.connect(lambda key, act: self.acts.append((key, act)))
        rail.selected.connect(self.chosen.append)

    def middle(self, place: int) -> QPoint:
        return self.rail.visualRect(self.rail.cards.index(place)).center()

    def drag(self, place: int, to: QPoint, drop: bool = True) -> None:
        port = self.rail.viewport()
        QTest.mousePress(port, LEFT, NONE, self.middle(place))
        QTest.mouseMove(port, self.middle(place) + QPoint(QApplication.startDragDistance() + 2, 0))
        QTest.mouseMove(port, to)
        if drop:
            QTest.mouseRelease(port, LEFT, NONE, to)


@pytest.fixture
def hand(qtbot: QtBot) -> Hand:
    rail = DropList()
    qtbot.addWidget(rail)
    rail.resize(720, 40)
    rail.cards.show_order(sample_view().drop_order)
    rail.show()
    return Hand(rail)


def test_the_arrows_choose_cards_and_stop_at_the_ends(hand: Hand):
    for _ in range(6):
        QTest.keyClick(hand.rail, Qt.Key.Key_Right)
    assert hand.chosen == [LOG, SOURCE, API, SPEC]
    for _ in range(6):
        QTest.keyClick(hand.rail, Qt.Key.Key_Left)
    assert hand.rail.selected_key() == LOG


def test_alt_and_an_arrow_move_a_card(hand: Hand):
    hand.rail.select(SOURCE)
    alt = Qt.KeyboardModifier.AltModifier
    QTest.keyClick(hand.rail, Qt.Key.Key_Right, alt)
    QTest.keyClick(hand.rail, Qt.Key.Key_Left, alt)
    assert hand.moves == [(SOURCE, SPEC), (SOURCE, LOG)]


def test_the_last_card_moves_to_the_end(hand: Hand):
    hand.rail.select(API)
    QTest.keyClick(hand.rail, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert hand.moves == [(API, None)]
    hand.rail.select(SPEC)
    QTest.keyClick(hand.rail, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert hand.moves == [(API, None)]


def test_keys_tune_the_chosen_card(hand: Hand):
    hand.rail.select(SOURCE)
    QTest.keyClicks(hand.rail, " +-")
    QTest.keyClick(hand.rail, Qt.Key.Key_Delete)
    assert hand.acts == [(SOURCE, act) for act in ("pin", "earlier", "later", "leave_out")]


def test_a_card_is_dragged_before_another_one(hand: Hand):
    hand.drag(3, hand.middle(0) - QPoint(60, 0))
    assert hand.moves == [(SPEC, LOG)]
    assert hand.rail.dragged() is None


def test_a_card_is_dragged_to_the_end(hand: Hand):
    hand.drag(0, hand.middle(3) + QPoint(60, 0))
    assert hand.moves == [(LOG, None)]


def test_a_card_that_is_put_back_has_not_moved(hand: Hand):
    hand.drag(1, hand.middle(1) + QPoint(20, 0))
    assert hand.moves == []


def test_esc_puts_a_dragged_card_back(hand: Hand):
    hand.drag(0, hand.middle(3), drop=False)
    assert hand.rail.dragged() == LOG
    hand.rail.grab()  # the lifted card and its mark can be painted
    QTest.keyClick(hand.rail, Qt.Key.Key_Escape)
    QTest.mouseRelease(hand.rail.viewport(), LEFT, NONE, hand.middle(3))
    assert hand.moves == []


def test_what_is_pinned_cannot_be_dragged(hand: Hand):
    hand.drag(4, hand.middle(0))
    assert hand.moves == []


def test_the_wheel_scrolls_sideways_until_the_end(hand: Hand, qtbot: QtBot):
    hand.rail.resize(300, 40)
    bar = hand.rail.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)

    def turn() -> QWheelEvent:
        event = QWheelEvent(
            QPointF(50, 20), QPointF(50, 20), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(hand.rail.viewport(), event)
        return event

    turn()
    assert bar.value() > 0
    while bar.value() < bar.maximum():
        turn()
    assert bar.value() == bar.maximum()


def test_choosing_from_outside_tells_nobody(hand: Hand):
    hand.rail.select(API)
    hand.rail.select(None)
    assert hand.chosen == []
    assert hand.rail.selected_key() is None
