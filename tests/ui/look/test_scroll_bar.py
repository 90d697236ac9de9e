"""Scroll bars: the handle stands where the value is, and all the rest of the bar is its way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider

from workbench.ui.look.style_parts import BAR_LEAST, BAR_WIDTH, bar_place
from workbench.ui.look.theme import LIGHT

Part = QStyle.SubControl


@pytest.fixture(params=[Qt.Orientation.Vertical, Qt.Orientation.Horizontal], ids=["down", "across"])
def bar(request, qtbot) -> QScrollBar:
    made = QScrollBar(request.param)
    qtbot.addWidget(made)
    made.setRange(0, 300)
    made.setPageStep(100)
    made.resize(*((BAR_WIDTH, 200) if request.param is Qt.Orientation.Vertical else (200, BAR_WIDTH)))
    return made


def stretch(bar: QScrollBar, part: QStyle.SubControl) -> tuple[int, int]:
    option = QStyleOptionSlider()
    bar.initStyleOption(option)
    box = bar_place(option, part)
    down = bar.orientation() is Qt.Orientation.Vertical
    return (box.y(), box.height()) if down else (box.x(), box.width())


def test_the_handle_is_as_long_as_what_is_seen_and_moves_with_the_value(bar: QScrollBar):
    assert stretch(bar, Part.SC_ScrollBarSlider) == (0, 50)
    bar.setValue(300)
    assert stretch(bar, Part.SC_ScrollBarSlider) == (150, 50)
    assert stretch(bar, Part.SC_ScrollBarSubPage) == (0, 150)
    assert stretch(bar, Part.SC_ScrollBarAddPage) == (200, 0)
    assert stretch(bar, Part.SC_ScrollBarGroove) == (0, 200)


def test_there_are_no_buttons_and_a_handle_can_always_be_taken(bar: QScrollBar):
    assert stretch(bar, Part.SC_ScrollBarAddLine)[1] == 0
    bar.setRange(0, 1_000_000)
    assert stretch(bar, Part.SC_ScrollBarSlider)[1] == BAR_LEAST


def test_only_the_handle_is_painted(bar: QScrollBar):
    picture = bar.grab().toImage()
    down = bar.orientation() is Qt.Orientation.Vertical
    on, beside = ((5, 25), (5, 150)) if down else ((25, 5), (150, 5))
    assert picture.pixelColor(*on).name().upper() == LIGHT.line2
    assert picture.pixelColor(*beside).name().upper() == LIGHT.chrome
