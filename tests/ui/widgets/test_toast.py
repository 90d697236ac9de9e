"""Toasts: one at a time, in the corner, with a way back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from tests.ui.widgets.children import children
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.toast import Toast


@pytest.fixture
def pane(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


@pytest.fixture
def toast(pane: QWidget) -> Toast:
    return Toast(pane)


def buttons(toast: Toast) -> dict[str, QAbstractButton]:
    return {each.accessibleName(): each for each in children(toast, QAbstractButton)}


def seen_right(toast: Toast) -> int:
    return toast.geometry().right() + 1 - MARGIN


def test_it_lies_in_the_corner_and_stays_there(toast: Toast, pane: QWidget):
    toast.say("eye-off", "Left out, −55 tokens")
    assert seen_right(toast) == 600 - 16
    pane.resize(800, 500)
    assert seen_right(toast) == 800 - 16
    assert toast.geometry().bottom() + 1 - MARGIN == 500 - 16


def test_what_does_not_fit_into_one_line_takes_another(toast: Toast, pane: QWidget):
    toast.say("check", "Short")
    one = toast.height()
    toast.say(
        "check", "There are 6 variants already. Remove one of them first, then add another one." * 2, "Undo"
    )
    assert toast.height() > one
    assert toast.geometry().left() + MARGIN >= 16, "all of it lies in the pane"
    assert toast.geometry().bottom() + 1 - MARGIN == 400 - 16


def test_its_way_back_is_taken_once(toast: Toast):
    undone: list[bool] = []
    toast.say("eye-off", "Left out", "Undo", lambda: undone.append(True))
    QTest.mouseClick(buttons(toast)["Undo"], Qt.MouseButton.LeftButton)
    assert undone == [True]
    assert toast.isHidden()


def test_a_new_one_replaces_the_old_one(toast: Toast):
    toast.say("check", "First", "Undo")
    toast.say("check", "Second")
    assert toast.text() == "Second"
    assert toast.accessibleName() == "Second"
    assert all(button.isHidden() for name, button in buttons(toast).items() if name != "Dismiss")


def test_it_can_be_sent_away(toast: Toast):
    toast.say("check", "Copied")
    QTest.mouseClick(buttons(toast)["Dismiss"], Qt.MouseButton.LeftButton)
    assert toast.isHidden()


def test_it_goes_away_by_itself(toast: Toast, qtbot):
    toast.say("check", "Copied")
    assert toast._timer.interval() == 6000
    toast._timer.setInterval(20)
    toast._timer.start()
    qtbot.waitUntil(toast.isHidden)


def test_it_stays_while_the_pointer_is_over_it(toast: Toast):
    toast.say("check", "Copied")
    place = QPointF(5, 5)
    QApplication.sendEvent(toast, QEnterEvent(place, place, place))
    assert not toast._timer.isActive()
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert toast._timer.isActive()


def test_it_fades_in_and_out(toast: Toast, moving, qtbot):
    toast.say("check", "Copied")
    assert toast.opacity < 1.0
    qtbot.waitUntil(lambda: toast.opacity == 1.0)
    toast.dismiss()
    qtbot.waitUntil(toast.isHidden)


def test_a_long_text_stays_inside_of_its_pane(toast: Toast, pane: QWidget):
    toast.say("warn", "a very long sentence " * 20, "Undo")
    assert toast.x() + MARGIN >= 0
    assert toast.width() - 2 * MARGIN <= 600
