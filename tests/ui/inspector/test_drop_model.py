"""The model of the drop order."""

from __future__ import annotations

import random  # noqa: TID251 - seeded
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import DropCard, DropOrder, RowKey
from workbench.ui.inspector.drop_order import (
    CARD_HEIGHT,
    GAP,
    DropDelegate,
    DropList,
    DropModel,
    PinnedCard,
    card_height,
)
from workbench.ui.look.theme import Theme

ORDER = sample_view().drop_order
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def model(qtbot: QtBot) -> DropModel:
    made = DropModel()
    made.show_order(ORDER)
    return made


def lines(model: DropModel) -> list[tuple[str, str]]:
    found = []
    for place in range(model.rowCount()):
        entry = model.item(model.index(place))
        assert entry is not None
        found.append((model.title(entry), model.line(entry)))
    return found


def test_the_cards_of_the_picture(model: DropModel):
    assert lines(model) == [
        ("logs/big.log", "out, needs +14,486"),
        ("src/auth.py", "frees 6,120"),
        ("docs/api.md", "frees 365"),
        ("project-spec.md", "frees 419"),
        ("3 pinned", "1,102 tokens"),
    ]


def test_what_is_out_without_a_way_back_is_just_out(model: DropModel):
    card = replace(ORDER.cards[0], back_with_tokens=0)
    assert model.line(card) == "dropped"


def test_what_is_pinned_is_no_card(model: DropModel):
    last = model.index(4)
    assert isinstance(model.item(last), PinnedCard)
    assert model.card(last) is None
    assert not model.flags(last) & Qt.ItemFlag.ItemIsSelectable


def test_without_pins_there_is_no_last_card(model: DropModel):
    model.show_order(replace(ORDER, pinned=0))
    assert model.rowCount() == 4


def test_a_card_that_moves_keeps_the_others_in_place(model: DropModel, qtbot: QtBot):
    removed: list[tuple[int, int]] = []
    model.rowsRemoved.connect(lambda _parent, first, last: removed.append((first, last)))
    first, *rest = ORDER.cards
    model.show_order(replace(ORDER, cards=(*rest, first)))
    assert removed == [(0, 0)]
    assert [card.name for card in model.cards()] == [card.name for card in (*rest, first)]


def test_a_changed_card_is_told_alone(model: DropModel):
    told: list[tuple[int, int]] = []
    sizes: list[bool] = []
    model.dataChanged.connect(lambda top, bottom: told.append((top.row(), bottom.row())))
    model.resized.connect(lambda: sizes.append(True))
    out = replace(ORDER.cards[0], back_with_tokens=14_487)
    model.show_order(replace(ORDER, cards=(out, *ORDER.cards[1:])))
    assert told == [(0, 0)]
    assert sizes == []  # the words are as wide as before
    model.show_order(ORDER)
    model.show_order(ORDER)
    assert told == [(0, 0), (0, 0)]


def test_a_card_whose_words_grow_is_laid_out_anew(model: DropModel, qtbot: QtBot):
    grown = replace(ORDER.cards[1], tokens=16_120)
    with qtbot.waitSignal(model.resized):
        model.show_order(replace(ORDER, cards=(ORDER.cards[0], grown, *ORDER.cards[2:])))


def test_cards_are_spoken_with_their_place(model: DropModel):
    told = model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert told == "2: src/auth.py, frees 6,120, priority 5"


def test_cards_are_found_by_their_keys(model: DropModel):
    assert model.index_of(RowKey("L2_PREVIOUS", "docs/api.md")).row() == 2
    assert not model.index_of(RowKey("L3_TURN", "gone")).isValid()
    assert model.item(QModelIndex()) is None


@pytest.mark.parametrize("seed", range(4))
def test_whatever_changes_qt_finds_no_fault(model: DropModel, seed: int):
    tester = QAbstractItemModelTester(model, FATAL)
    dice = random.Random(seed)
    names = [f"f{number}.py" for number in range(12)]
    for _ in range(15):
        chosen = dice.sample(names, dice.randint(0, 12))
        cards = tuple(DropCard(RowKey("L3_TURN", name), name, dice.randint(1, 900), 5) for name in chosen)
        model.show_order(DropOrder(cards, dice.choice((0, 3)), 10))
        assert model.cards() == list(cards)
    tester.deleteLater()


@pytest.fixture
def rail(qtbot: QtBot) -> DropList:
    made = DropList()
    qtbot.addWidget(made)
    made.resize(720, CARD_HEIGHT)
    made.cards.show_order(sample_view().drop_order)
    made.show()
    return made


def image_of(rail: DropList, place: int) -> QImage:
    return rail.viewport().grab(rail.visualRect(rail.cards.index(place))).toImage()


def colours(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_all_cards_of_the_picture_fit_into_the_pane(rail: DropList):
    assert rail.visualRect(rail.cards.index(4)).right() < 720


def test_a_card_is_as_wide_as_its_words_and_the_last_has_no_gap(rail: DropList):
    delegate = rail.itemDelegate()
    assert isinstance(delegate, DropDelegate)
    widths = [
        delegate.sizeHint(QStyleOptionViewItem(), rail.cards.index(place)).width() for place in range(5)
    ]
    assert widths[0] > widths[3] > widths[1]
    assert all(width > GAP for width in widths)
    assert card_height() == CARD_HEIGHT


def test_what_fell_has_a_red_dashed_border_and_a_red_name(rail: DropList, theme: Theme):
    found = colours(image_of(rail, 0))
    assert QColor(theme.err).name() in found
    assert QColor(theme.err).name() not in colours(image_of(rail, 1))
    top = image_of(rail, 0)
    dashes = {top.pixelColor(x, 0).name() == QColor(theme.errline).name() for x in range(20, 140)}
    assert dashes == {True, False}


def test_what_is_pinned_lies_lower(rail: DropList, theme: Theme):
    assert image_of(rail, 4).pixelColor(60, 2).name() == QColor(theme.sunken).name()


def test_the_chosen_card_has_the_grounds_of_a_chosen_row(rail: DropList, theme: Theme):
    rail.select(RowKey("L3_TURN", "src/auth.py"))
    assert QColor(theme.sel).name() in colours(image_of(rail, 1))


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
