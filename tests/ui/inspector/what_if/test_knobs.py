"""The settings that can be tried out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import SETTINGS
from workbench.domain.envelope import budget_for
from workbench.domain.settings.preferences import ContextSettings, HistorySettings
from workbench.ui.inspector.what_if.knobs import (
    CAN_BE_OFF,
    KNOBS,
    Knob,
    Room,
    place_of,
    read,
    room_of,
    stops,
    turned,
    turned_from,
    typed_range,
)

ROOM = Room(1_047_576, 2_000)
PLAIN = ContextSettings()


def test_the_values_of_the_picture():
    assert {knob: read(SETTINGS, knob, ROOM) for knob in KNOBS} == {
        "budget": 16_000,
        "trim_at": 80,
        "keep_last": 10,
        "last_n": None,
        "reserve": 2_000,
        "attachments": None,
    }


@pytest.mark.parametrize("knob", KNOBS)
def test_what_a_knob_is_turned_to_is_what_it_reads(knob: Knob):
    values = [value for value in stops(knob, ROOM) if value != 0]
    for value in (values[0], values[len(values) // 2], values[-1]):
        for settings in (SETTINGS, PLAIN):
            assert read(turned(settings, knob, value, ROOM), knob, ROOM) == value


@given(st.integers(1_000, 2_000_000), st.one_of(st.none(), st.integers(0, 50_000)))
def test_every_budget_can_be_had_whatever_the_reserve(budget: int, reserve: int | None):
    settings = ContextSettings(reserved_output_tokens=reserve)
    tried = turned(settings, "budget", budget, ROOM)
    assert budget_for(tried, 0).window_tokens == budget


@pytest.mark.parametrize("knob", KNOBS)
@pytest.mark.parametrize("base", [SETTINGS, PLAIN])
def test_turning_back_leaves_no_trace(knob: Knob, base: ContextSettings):
    """Else a control moved forth and back would leave a change to be applied that nobody can see."""
    there = turned_from(base, base, knob, 7_777 if knob in ("budget", "reserve", "attachments") else 3, ROOM)
    assert there != base
    assert turned_from(base, there, knob, read(base, knob, ROOM), ROOM) == base


def test_turning_one_back_keeps_the_others():
    two = turned_from(SETTINGS, turned(SETTINGS, "keep_last", 2, ROOM), "trim_at", 50, ROOM)
    back = turned_from(SETTINGS, two, "trim_at", 80, ROOM)
    assert back == turned(SETTINGS, "keep_last", 2, ROOM)


@pytest.mark.parametrize("knob", KNOBS)
@pytest.mark.parametrize("window", [0, 2_048, 8_192, 1_047_576])
def test_stops_rise_and_end_with_off_where_there_is_off(knob: Knob, window: int):
    found = stops(knob, Room(window), read(SETTINGS, knob, Room(window)))
    numbers = [value for value in found if value is not None]
    assert numbers == sorted(set(numbers))
    assert len(numbers) > 1
    assert (found[-1] is None) == (knob in CAN_BE_OFF)


def test_a_value_that_stands_is_a_stop_however_odd():
    assert 16_384 in stops("budget", ROOM, 16_384)
    assert 37 in stops("keep_last", ROOM, 37)


def test_a_value_has_its_place_on_the_slider():
    found = stops("budget", ROOM, 16_000)
    assert found[place_of(found, 16_000)] == 16_000
    share = place_of(found, 16_000) / (len(found) - 1)
    assert 0.35 < share < 0.45
    assert place_of(stops("last_n", ROOM), None) == len(stops("last_n", ROOM)) - 1
    assert place_of(found, 10**9) == len(found) - 1


def test_what_is_typed_stays_within_the_models_window():
    assert typed_range("budget", ROOM) == (1_000, 1_045_576)
    assert typed_range("trim_at", ROOM) == (10, 100)
    assert all(typed_range(knob, ROOM)[0] < typed_range(knob, ROOM)[1] for knob in KNOBS)


def test_the_room_is_the_models_window_or_the_one_in_use():
    view = sample_view()
    assert room_of(view, None) == Room(18_000, 2_000)
    assert room_of(view, 128_000) == Room(128_000, 2_000)
    assert room_of(view, 4_096) == Room(18_000, 2_000)


def test_a_threshold_keeps_its_fraction_while_it_is_not_touched():
    odd = replace(PLAIN, history=HistorySettings(threshold=0.825))
    tried = turned_from(odd, turned(odd, "keep_last", 2, ROOM), "trim_at", read(odd, "trim_at", ROOM), ROOM)
    assert tried.history.threshold == 0.825


def test_the_reserve_can_be_what_it_is():
    """With 60,000 of 100,000 kept for the reply, slider and field ended at 20,000 and 40,000."""
    kept = replace(PLAIN, context_window=100_000, reserved_output_tokens=60_000)
    room = Room(100_000, 60_000)
    assert read(kept, "reserve", room) == 60_000
    least, most = typed_range("reserve", room)
    assert least <= 60_000 <= most
    values = stops("reserve", room)
    assert (values[0], values[-1]) == (least, most)
