"""One control: slider and typed value."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.domain.settings.preferences import ContextSettings
from workbench.ui.inspector.what_if.controls import WhatIfChoice, WhatIfSlider
from workbench.ui.inspector.what_if.values import Room, Value, tried_settings
from workbench.ui.widgets.choice import NumberField

ROOM = Room(1_047_576, 2_000)
TRIED = tried_settings(ContextSettings)
KEEP, LAST = "history.keep_last_n_assistant", "history.last_n_messages"
PLAIN = ContextSettings()


class Moved:
    """A control, and what it told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.control = WhatIfSlider(*TRIED[KEEP])
        qtbot.addWidget(self.control)
        self.told: list[tuple[str, Value]] = []
        self.control.changed.connect(lambda name, value: self.told.append((name, value)))
        self.control.show_values(10, 10, ROOM)
        self.control.resize(150, 42)
        self.control.show()


@pytest.fixture
def moved(qtbot: QtBot) -> Moved:
    return Moved(qtbot)


def test_showing_values_tells_nobody(moved: Moved):
    """Else showing a state would send an intent, which would bring a state to be shown."""
    moved.control.show_values(10, 2, ROOM)
    moved.control.show_values(10, 400, ROOM)
    moved.control.show_values(3, 3, ROOM)
    assert moved.told == []


def test_a_changed_value_stands_beside_the_old_one(moved: Moved):
    assert moved.control.value.text() == "10"
    moved.control.show_values(10, 2, ROOM)
    assert moved.control.value.text() == "10 → 2"


def test_the_slider_is_moved_by_keys(moved: Moved):
    QTest.keyClick(moved.control.slider, Qt.Key.Key_Left)
    assert moved.told == [(KEEP, 9)]


def test_a_value_can_be_typed(moved: Moved):
    QTest.mouseClick(moved.control.value, Qt.MouseButton.LeftButton)
    field = cast(NumberField, moved.control.findChild(NumberField))
    assert field.isVisible()
    field.setValue(300)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert moved.told == [(KEEP, 300)]


def test_off_is_the_end_of_the_slider_and_below_the_least_when_typed(qtbot: QtBot):
    control = WhatIfSlider(*TRIED[LAST])
    qtbot.addWidget(control)
    told: list[Value] = []
    control.changed.connect(lambda _name, value: told.append(value))
    control.show_values(None, None, ROOM)
    assert control.value.text() == "off"
    assert control.slider.value() == control.slider.maximum()
    QTest.keyClick(control.slider, Qt.Key.Key_Left)
    assert told == [60]
    control.show_values(None, 60, ROOM)
    control.value.entered.emit(0)
    assert told == [60, None]


def test_the_parts_are_named(moved: Moved):
    assert moved.control.slider.accessibleName() == "Keep last turns"
    assert moved.control.value.accessibleName() == "Keep last turns"
    assert moved.control.slider.accessibleDescription() == "10"


def test_the_name_is_not_cut_while_something_is_tried(qtbot: QtBot):
    """ "Budget" was "Bud…" beside "1,047,576 → 200,000"; the value as it stands is told where there is room for it."""
    control = WhatIfSlider(*TRIED["context_window"])
    qtbot.addWidget(control)
    control.resize(150, 42)
    control.show()
    control.show_values(1_047_576, 200_000, ROOM)
    qtbot.waitUntil(lambda: control.name.shown_text() == "Budget")
    assert control.value.text() == "→ 200,000"
    assert control.slider.accessibleDescription() == "1,047,576 → 200,000"
    control.resize(320, 42)
    qtbot.waitUntil(lambda: control.value.text() == "1,047,576 → 200,000")
    assert control.name.shown_text() == "Budget"


@pytest.fixture
def choice(qtbot: QtBot) -> WhatIfChoice:
    made = WhatIfChoice(*TRIED["layout"])
    qtbot.addWidget(made)
    made.show_settings(PLAIN, PLAIN, ROOM)
    made.show()
    return made


def test_the_chosen_word_is_shown(choice: WhatIfChoice):
    assert choice.word.text() == "Layered"
    assert choice.word.accessibleName() == "Layout"
    assert choice.word.accessibleDescription() == "Layered"


def test_choosing_another_word_tells_its_value(choice: WhatIfChoice, qtbot: QtBot):
    actions = {action.text(): action for action in choice.open_menu().actions()}
    assert actions["Layered"].isChecked()
    with qtbot.waitSignal(choice.changed) as told:
        actions["Append-only"].trigger()
    assert told.args == ["layout", "append_only"]
    with qtbot.assertNotEmitted(choice.changed):
        actions["Layered"].trigger()


def test_the_word_is_painted_whole(choice: WhatIfChoice):
    assert choice.word.sizeHint() == choice.word.minimumSizeHint()
    choice.show_settings(PLAIN, ContextSettings(layout="auto"), ROOM)
    choice.grab()
    assert choice.word.text() == "Automatic"
