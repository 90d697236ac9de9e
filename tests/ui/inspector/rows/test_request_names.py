"""What requests are called where one is chosen among them."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.requests_shown import many_turns, scripted_state, sent_view
from tests.fakes.sample_envelope import sample_view
from workbench.ui.inspector.rows.request_names import (
    IN_FLIGHT,
    MOST_LISTED,
    NEXT,
    in_flight_name,
    next_name,
    turn_name,
    turn_options,
    value_of,
)


def test_requests_have_values_to_choose_them_by():
    assert value_of(sample_view()) == NEXT
    assert value_of(replace(sample_view(), standing="in_flight")) == IN_FLIGHT
    assert value_of(sent_view(7)) == "7"


def test_turns_are_offered_with_the_newest_first_and_none_in_flight(monkeypatch):
    turns = scripted_state()[1].turns
    running = (*turns, replace(turns[-1], number=9, state="running"))
    options = turn_options(running)
    assert [value for value, _ in options] == ["8", "7", "6", "5", "4", "3", "2", "1"]
    assert options[0][1].startswith("Turn 8, sent ")


def test_a_thousand_turns_are_not_all_offered_but_the_one_in_view_is():
    values = [value for value, _ in turn_options(many_turns(1_000), also=3)]
    assert values[:2] == ["1000", "999"]
    assert len(values) == MOST_LISTED + 1
    assert values[-1] == "3"


def test_names():
    assert next_name() == "Next request"
    assert in_flight_name(9) == "In flight, turn 9"
    assert turn_name(8, "") == "Turn 8"
