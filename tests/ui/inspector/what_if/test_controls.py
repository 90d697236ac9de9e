"""One control: slider and typed value."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.inspector.what_if.controls import Option, WhatIfChoice, WhatIfControl
from workbench.ui.inspector.what_if.knobs import Room, Value
from workbench.ui.widgets.choice import NumberField

ROOM = Room(1_047_576, 2_000)
OPTIONS = (Option("a", "Layered"), Option("b", "Append-only", "not in this version"), Option("c", "Frozen"))


class Turned:
    """A control, and what it told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.control = WhatIfControl("keep_last")
        qtbot.addWidget(self.control)
        self.told: list[tuple[str, Value]] = []
        self.control.turned.connect(lambda knob, value: self.told.append((knob, value)))
        self.control.show_values(10, 10, ROOM)
        self.control.resize(150, 42)
        self.control.show()


@pytest.fixture
def turned(qtbot: QtBot) -> Turned:
    return Turned(qtbot)


def test_showing_values_tells_nobody(turned: Turned):
    """Else showing a state would send an intent, which would bring a state to be shown."""
    turned.control.show_values(10, 2, ROOM)
    turned.control.show_values(10, 400, ROOM)
    turned.control.show_values(3, 3, ROOM)
    assert turned.told == []


def test_a_changed_value_stands_beside_the_old_one(turned: Turned):
    assert turned.control.value.text() == "10"
    turned.control.show_values(10, 2, ROOM)
    assert turned.control.value.text() == "10 → 2"


def test_the_slider_is_moved_by_keys(turned: Turned):
    QTest.keyClick(turned.control.slider, Qt.Key.Key_Left)
    assert turned.told == [("keep_last", 9)]


def test_a_value_can_be_typed(turned: Turned):
    QTest.mouseClick(turned.control.value, Qt.MouseButton.LeftButton)
    field = cast(NumberField, turned.control.findChild(NumberField))
    assert field.isVisible()
    field.setValue(300)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert turned.told == [("keep_last", 300)]


def test_off_is_the_end_of_the_slider_and_below_the_least_when_typed(qtbot: QtBot):
    control = WhatIfControl("last_n")
    qtbot.addWidget(control)
    told: list[Value] = []
    control.turned.connect(lambda _knob, value: told.append(value))
    control.show_values(None, None, ROOM)
    assert control.value.text() == "off"
    assert control.slider.value() == control.slider.maximum()
    QTest.keyClick(control.slider, Qt.Key.Key_Left)
    assert told == [60]
    control.show_values(None, 60, ROOM)
    control.value.entered.emit(0)
    assert told == [60, None]


def test_the_parts_are_named(turned: Turned):
    assert turned.control.slider.accessibleName() == "Keep last turns"
    assert turned.control.value.accessibleName() == "Keep last turns"
    assert turned.control.slider.accessibleDescription() == "10"


def test_the_name_is_not_cut_while_something_is_tried(qtbot: QtBot):
    """ "Budget" was "Bud…" beside "1,047,576 → 200,000"; the value as it stands is told where there is room for it."""
    control = WhatIfControl("budget")
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
    made = WhatIfChoice("Layout", "How a request is laid out.", OPTIONS)
    qtbot.addWidget(made)
    made.show_value("a", changed=False)
    made.show()
    return made


def test_the_chosen_word_is_shown(choice: WhatIfChoice):
    assert choice.word.text() == "Layered"
    assert choice.word.accessibleName() == "Layout"
    assert choice.word.accessibleDescription() == "Layered"


def test_what_cannot_be_chosen_says_why(choice: WhatIfChoice):
    actions = {action.text(): action for action in choice.open_menu().actions()}
    assert not actions["Append-only"].isEnabled()
    assert "not in this version" in actions
    assert actions["Layered"].isChecked()


def test_choosing_another_word_tells_its_value(choice: WhatIfChoice, qtbot: QtBot):
    actions = {action.text(): action for action in choice.open_menu().actions()}
    with qtbot.waitSignal(choice.chosen) as told:
        actions["Frozen"].trigger()
    assert told.args == ["c"]
    with qtbot.assertNotEmitted(choice.chosen):
        actions["Layered"].trigger()


def test_the_word_is_painted_whole(choice: WhatIfChoice):
    assert choice.word.sizeHint() == choice.word.minimumSizeHint()
    choice.show_value("c", changed=True)
    choice.grab()
    assert choice.word.text() == "Frozen"
