"""The controls of What if: the numbers behind them, slider and typed value, and a choice."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import SETTINGS
from workbench.domain.envelope import budget_for
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.settings.control import Setting
from workbench.ui.inspector.what_if.controls import WhatIfChoice, WhatIfSlider
from workbench.ui.inspector.what_if.values import (
    RESERVE,
    WINDOW,
    Value,
    WindowSize,
    can_be_off,
    is_number,
    slider_steps,
    step_index,
    tried_settings,
    typed_range,
    value_of,
    window_size_of,
    with_value,
)
from workbench.ui.widgets.choice import NumberField

SIZE = WindowSize(1_047_576, 2_000)
PLAIN = ContextSettings()
TRIED = tried_settings(ContextSettings)
NUMBERS = {name: setting for name, (setting, _) in TRIED.items() if is_number(setting)}
KEEP, TRIM, LAST = "history.keep_last_n_assistant", "history.threshold", "history.last_n_messages"
each_number = pytest.mark.parametrize("setting", NUMBERS.values(), ids=NUMBERS)


def steps(name: str, size: WindowSize = SIZE, *included: Value) -> tuple[Value, ...]:
    return slider_steps(*TRIED[name], size, *included)


def changed(settings: ContextSettings, name: str, value: Value) -> ContextSettings:
    return with_value(settings, settings, NUMBERS[name], value, SIZE)


def test_the_values_of_the_picture():
    assert {name: value_of(SETTINGS, setting, SIZE) for name, setting in NUMBERS.items()} == {
        WINDOW: 16_000, TRIM: 80, KEEP: 10, LAST: None, RESERVE: 2_000, "attachment_budget_tokens": None,
    }  # fmt: skip


@each_number
def test_what_is_set_is_what_is_shown(setting: Setting):
    values = [value for value in steps(setting.name) if value != 0]
    for value in (values[0], values[len(values) // 2], values[-1]):
        for settings in (SETTINGS, PLAIN):
            assert value_of(changed(settings, setting.name, value), setting, SIZE) == value


@given(st.integers(1_000, 2_000_000), st.one_of(st.none(), st.integers(0, 50_000)))
def test_every_budget_can_be_had_whatever_the_reserve(budget: int, reserve: int | None):
    tried = changed(ContextSettings(reserved_output_tokens=reserve), WINDOW, budget)
    assert budget_for(tried, SIZE.window_tokens).window_tokens == budget


@each_number
@pytest.mark.parametrize("base", [SETTINGS, PLAIN])
def test_moving_back_leaves_no_trace(setting: Setting, base: ContextSettings):
    """Else a control moved forth and back would leave a change to be applied that nobody can see."""
    there = changed(base, setting.name, 7_777 if "." not in setting.name else 3)
    assert there != base
    assert with_value(base, there, setting, value_of(base, setting, SIZE), SIZE) == base


def test_moving_one_back_keeps_the_others():
    keep_2 = changed(SETTINGS, KEEP, 2)
    two = with_value(SETTINGS, keep_2, NUMBERS[TRIM], 50, SIZE)
    assert two != keep_2
    assert with_value(SETTINGS, two, NUMBERS[TRIM], 80, SIZE) == keep_2


@each_number
@pytest.mark.parametrize("window", [0, 2_048, 8_192, 1_047_576])
def test_steps_rise_and_end_with_off_where_there_is_off(setting: Setting, window: int):
    found = steps(setting.name, WindowSize(window), value_of(SETTINGS, setting, WindowSize(window)))
    numbers = [value for value in found if value is not None]
    assert numbers == sorted(set(numbers))
    assert len(numbers) > 1
    assert (found[-1] is None) == (setting.name in (TRIM, LAST, "attachment_budget_tokens"))
    assert can_be_off(setting) == (found[-1] is None)


def test_a_value_that_is_set_is_a_step_however_odd():
    assert 16_384 in steps(WINDOW, SIZE, 16_384)
    assert 37 in steps(KEEP, SIZE, 37)


def test_a_value_has_its_place_on_the_slider():
    found = steps(WINDOW, SIZE, 16_000)
    assert found[step_index(found, 16_000)] == 16_000
    share = step_index(found, 16_000) / (len(found) - 1)
    assert 0.35 < share < 0.45
    assert step_index(steps(LAST), None) == len(steps(LAST)) - 1
    assert step_index(found, 10**9) == len(found) - 1


def test_what_is_typed_stays_within_the_models_window():
    assert typed_range(*TRIED[WINDOW], SIZE) == (1_000, 1_045_576)
    assert typed_range(*TRIED[TRIM], SIZE) == (10, 100)
    assert typed_range(*TRIED[KEEP], SIZE) == (0, 9_999)


def test_the_size_is_that_of_the_models_window_or_the_one_in_use():
    view = sample_view()
    assert window_size_of(view, None) == WindowSize(18_000, 2_000)
    assert window_size_of(view, 128_000) == WindowSize(128_000, 2_000)
    assert window_size_of(view, 4_096) == WindowSize(18_000, 2_000)


def test_a_threshold_keeps_its_fraction_while_it_is_not_touched():
    odd = replace(PLAIN, history=HistorySettings(threshold=0.825))
    shown = value_of(odd, NUMBERS[TRIM], SIZE)
    tried = with_value(odd, changed(odd, KEEP, 2), NUMBERS[TRIM], shown, SIZE)
    assert tried.history.threshold == 0.825


def test_the_reserve_can_be_what_it_is():
    """With 60,000 of 100,000 kept for the reply, slider and field ended at 20,000 and 40,000."""
    kept = replace(PLAIN, context_window=100_000, reserved_output_tokens=60_000)
    size = WindowSize(100_000, 60_000)
    assert value_of(kept, NUMBERS[RESERVE], size) == 60_000
    least, most = typed_range(*TRIED[RESERVE], size)
    assert least <= 60_000 <= most
    values = steps(RESERVE, size)
    assert (values[0], values[-1]) == (least, most)


class Moved:
    """A control, and what it told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.control = WhatIfSlider(*TRIED[KEEP])
        qtbot.addWidget(self.control)
        self.told: list[tuple[str, Value]] = []
        self.control.changed.connect(lambda name, value: self.told.append((name, value)))
        self.control.show_values(10, 10, SIZE)
        self.control.resize(150, 42)
        self.control.show()


@pytest.fixture
def moved(qtbot: QtBot) -> Moved:
    return Moved(qtbot)


def test_showing_values_tells_nobody(moved: Moved):
    """Else showing a state would send an intent, which would bring a state to be shown."""
    moved.control.show_values(10, 2, SIZE)
    moved.control.show_values(10, 400, SIZE)
    moved.control.show_values(3, 3, SIZE)
    assert moved.told == []


def test_a_changed_value_stands_beside_the_old_one(moved: Moved):
    assert moved.control.value.text() == "10"
    moved.control.show_values(10, 2, SIZE)
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
    control.show_values(None, None, SIZE)
    assert control.value.text() == "off"
    assert control.slider.value() == control.slider.maximum()
    QTest.keyClick(control.slider, Qt.Key.Key_Left)
    assert told == [60]
    control.show_values(None, 60, SIZE)
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
    control.show_values(1_047_576, 200_000, SIZE)
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
    made.show_settings(PLAIN, PLAIN, SIZE)
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
    choice.show_settings(PLAIN, ContextSettings(layout="auto"), SIZE)
    choice.grab()
    assert choice.word.text() == "Automatic"
