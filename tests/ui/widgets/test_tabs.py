"""Tabs: they do not jump, and may have counts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.tabs import Tabs


@pytest.fixture
def tabs(qtbot) -> Tabs:
    made = Tabs(("Layers", "Payload", "Diff", "History"))
    qtbot.addWidget(made)
    made.resize(400, 36)
    made.show()
    return made


def test_tabs_stay_where_they_are_when_another_one_becomes_current(tabs: Tabs):
    before = [tabs.tabRect(index) for index in range(4)]
    tabs.setCurrentIndex(2)
    assert [tabs.tabRect(index) for index in range(4)] == before


def test_the_current_tab_is_underlined(tabs: Tabs, theme: Theme):
    image = tabs.grab().toImage()
    first, second = tabs.tabRect(0).center().x(), tabs.tabRect(1).center().x()
    assert image.pixelColor(first, 35) == QColor(theme.accent)
    assert image.pixelColor(second, 35) != QColor(theme.accent)


def test_a_count_takes_its_room_and_gives_it_back(tabs: Tabs):
    before = tabs.tabRect(2).width()
    tabs.set_count(2, 3)
    assert tabs.tabRect(2).width() > before + 15
    assert tabs.count_of(2) == 3
    tabs.set_count(2, 0)
    assert tabs.tabRect(2).width() == before


def test_the_keyboard_changes_tabs(tabs: Tabs):
    QTest.keyClick(tabs, Qt.Key.Key_Right)
    assert tabs.currentIndex() == 1


def test_a_click_changes_tabs(tabs: Tabs):
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(3).center())
    assert tabs.currentIndex() == 3


def test_tabs_are_painted(tabs: Tabs, theme: Theme):
    tabs.set_count(1, 1200)
    QTest.mouseMove(tabs, tabs.tabRect(1).center())
    assert not tabs.grab().isNull()
