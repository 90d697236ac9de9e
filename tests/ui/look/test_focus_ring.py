"""The focus ring: for those who use the keyboard, and only for them."""

from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QStringListModel, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView, QPlainTextEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from workbench.ui.look.focus_ring import FocusFollower, focus_chain, wants_ring
from workbench.ui.look.space import rows
from workbench.ui.look.theme import LIGHT
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.choice import Field


@pytest.fixture
def follower(qapp: QApplication) -> FocusFollower:
    return next(iter(qapp.findChildren(FocusFollower)))


@pytest.fixture
def window(qtbot) -> tuple[QWidget, Button, Button]:
    made = QWidget()
    qtbot.addWidget(made)
    down = rows(made, (20, 20, 20, 20), 20)
    first, second = button("First"), button("Second", "primary")
    down.addWidget(first)
    down.addWidget(second)
    made.resize(200, 140)
    made.show()
    made.activateWindow()
    first.setFocus()
    qtbot.waitUntil(first.hasFocus)
    return made, first, second


def test_tab_brings_the_ring(window, follower: FocusFollower):
    made, _, second = window
    assert follower.ringed() is None
    QTest.keyClick(made, Qt.Key.Key_Tab)
    assert second.hasFocus()
    assert follower.ringed() is second


def test_the_ring_lies_outside_of_the_button(window, follower: FocusFollower):
    made, _, second = window
    QTest.keyClick(made, Qt.Key.Key_Tab)
    QApplication.processEvents()
    outside = second.mapTo(made, QPoint(second.width() // 2, -2))
    assert made.grab().toImage().pixelColor(outside) == QColor(LIGHT.accent)


def test_a_click_shows_no_ring(window, follower: FocusFollower):
    made, first, second = window
    QTest.keyClick(made, Qt.Key.Key_Tab)
    QTest.mousePress(first, Qt.MouseButton.LeftButton)
    assert first.hasFocus()
    assert follower.ringed() is None
    QTest.mouseRelease(first, Qt.MouseButton.LeftButton)
    assert not second.hasFocus()


def test_the_ring_comes_back_after_its_window_has_gone(window, follower: FocusFollower, qtbot):
    """It is a child of the window that it was last in."""
    made, first, second = window
    other = QWidget()
    down = rows(other)
    inside, beside = button("Inside"), button("Beside")
    down.addWidget(inside)
    down.addWidget(beside)
    other.show()
    other.activateWindow()
    inside.setFocus()
    qtbot.waitUntil(inside.hasFocus)
    QTest.keyClick(other, Qt.Key.Key_Tab)
    assert follower.ringed() is beside
    delete(other)
    made.activateWindow()
    first.setFocus()
    qtbot.waitUntil(first.hasFocus)
    QTest.keyClick(made, Qt.Key.Key_Tab)
    assert follower.ringed() is second


@pytest.mark.parametrize("kind", [Field, QPlainTextEdit, QSpinBox, QListView])
def test_fields_and_lists_show_their_focus_themselves(qtbot, kind):
    parent = QWidget()
    qtbot.addWidget(parent)
    widget = kind()
    widget.setParent(parent)
    assert not wants_ring(widget)


def test_a_widget_may_decline(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    widget = QWidget(parent)
    assert wants_ring(widget)
    widget.setProperty("ring", False)
    assert not wants_ring(widget)


def test_the_row_that_the_keyboard_comes_to_is_brought_into_sight(qtbot, follower: FocusFollower):
    made = QWidget()
    qtbot.addWidget(made)
    view = QListView()
    view.setModel(QStringListModel([str(n) for n in range(200)]))
    rows(made).addWidget(view)
    made.resize(200, 140)
    made.show()
    made.activateWindow()
    view.setCurrentIndex(view.model().index(150, 0))
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    view.scrollToTop()
    view.clearFocus()
    view.setFocus(Qt.FocusReason.ShortcutFocusReason)
    assert follower.ringed() is None, "its row has one"
    assert view.viewport().rect().contains(view.visualRect(view.currentIndex()))


def test_who_was_passed_by_tab_is_freed(qtbot: QtBot):
    """PySide took the next one for its child; messages whose neighbour went before them stayed in memory for good."""
    window = QWidget()
    qtbot.addWidget(window)
    buttons = [QPushButton(window) for _ in range(3)]
    gone = weakref.ref(buttons[2])
    for place in (1, 1):
        assert list(focus_chain(window)) == buttons
        buttons.pop(place).deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert gone() is None
