"""Controls offer their steps while somebody looks, and no longer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import point_at, point_away
from workbench.engine.intents import RenameChat
from workbench.ui.offers import Offer, Offering, offer_menu

OFFER = Offer("Pin it", (RenameChat("c", "x"),), "Sent in every turn.", "Space", "pin")
TAB = Qt.FocusReason.TabFocusReason


@pytest.fixture
def button(qtbot: QtBot) -> QPushButton:
    made = QPushButton("Pin")
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_control_offers_while_it_is_pointed_at(button: QPushButton):
    taken: list[Offer | None] = []
    Offering(button, lambda: OFFER, taken.append)
    point_at(button)
    point_away(button)
    point_away(button)
    assert len(taken) == 2, "nothing is taken back twice"
    first, last = taken
    assert first is not None
    assert last is None
    assert (first.title, first.step) == (OFFER.title, OFFER.step)
    assert first.at.size() == button.size()


def test_a_control_offers_to_who_comes_by_keyboard(button: QPushButton):
    taken: list[Offer | None] = []
    Offering(button, lambda: OFFER, taken.append)
    window = button.window()
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange, True)
    QApplication.sendEvent(button, QFocusEvent(QEvent.Type.FocusIn, TAB))
    QApplication.sendEvent(button, QFocusEvent(QEvent.Type.FocusOut, TAB))
    assert [one is not None for one in taken] == [True, False]
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange, False)
    QApplication.sendEvent(button, QFocusEvent(QEvent.Type.FocusIn, TAB))
    assert len(taken) == 2, "who clicked has seen it already"


@pytest.mark.parametrize("end", [QEvent.Type.MouseButtonPress, QEvent.Type.Hide])
def test_a_press_and_a_control_that_goes_away_end_it(button: QPushButton, end: QEvent.Type):
    taken: list[Offer | None] = []
    offering = Offering(button, lambda: OFFER, taken.append)
    point_at(button)
    assert offering.eventFilter(button, QEvent(QEvent.Type.ToolTip)), "no second tooltip"
    offering.eventFilter(button, QEvent(end))
    assert taken[-1] is None
    assert not offering.eventFilter(button, QEvent(QEvent.Type.ToolTip))


def test_what_cannot_be_pressed_or_does_nothing_offers_nothing(button: QPushButton):
    taken: list[Offer | None] = []
    Offering(button, lambda: None, taken.append)
    point_at(button)
    point_away(button)
    assert taken == []


def test_an_entry_of_a_menu_offers_while_it_is_chosen(qtbot: QtBot):
    menu = QMenu()
    qtbot.addWidget(menu)
    pin, other = menu.addAction("Pin"), menu.addAction("Copy")
    taken: list[Offer | None] = []
    offer_menu(menu, lambda action: OFFER if action is pin else None, taken.append)
    menu.hovered.emit(pin)
    menu.hovered.emit(other)
    menu.aboutToHide.emit()
    assert [one is not None for one in taken] == [True, False, False]
