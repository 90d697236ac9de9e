"""A switch between views."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from workbench.ui.widgets.segmented import Segmented


@pytest.fixture
def switch(qtbot) -> Segmented:
    made = Segmented((("messages", "Messages"), ("json", "JSON"), "curl"))
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    made.show()
    return made


def test_a_click_switches_and_tells_the_value(switch: Segmented, qtbot):
    with qtbot.waitSignal(switch.chosen) as told:
        QTest.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(switch.width() - 10, 14))
    assert told.args == ["curl"]
    assert switch.current() == "curl"


def test_a_click_on_the_current_one_tells_nothing(switch: Segmented, qtbot):
    with qtbot.assertNotEmitted(switch.chosen):
        QTest.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(10, 14))


def test_the_arrows_switch_and_stop_at_the_ends(switch: Segmented, qtbot):
    QTest.keyClick(switch, Qt.Key.Key_Right)
    assert switch.current() == "json"
    assert switch.accessibleDescription() == "JSON"
    for _ in range(3):
        QTest.keyClick(switch, Qt.Key.Key_Left)
    assert switch.current() == "messages"


def test_it_is_set_without_an_echo(switch: Segmented, qtbot):
    with qtbot.assertNotEmitted(switch.chosen):
        switch.set_current("json")
        switch.set_current("gone")
    assert switch.current() == "json"


def test_the_current_one_is_raised(switch: Segmented, theme):
    first = switch.grab().toImage()
    switch.set_current("json")
    assert switch.grab().toImage() != first
