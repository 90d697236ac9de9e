"""The look of the cards."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.drop.cards import DropList
from workbench.ui.inspector.drop.delegate import CARD_HEIGHT, GAP, DropDelegate, card_height
from workbench.ui.look.theme import Theme


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
