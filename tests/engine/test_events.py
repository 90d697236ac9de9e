"""Events: what happened, as values."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import get_args

from workbench.engine import events, program_events, shown_events
from workbench.engine.events import AnswerGrew, Event, TurnEvent


def test_an_event_is_a_frozen_value():
    kinds = get_args(Event)
    assert [kind for kind in kinds if not is_dataclass(kind)] == []
    assert [kind for kind in kinds if not kind.__dataclass_params__.frozen] == []


def test_an_event_of_a_turn_says_first_which_chat_it_is_about():
    assert [kind for kind in get_args(TurnEvent) if fields(kind)[0].name != "chat"] == []


def test_every_event_can_be_told():
    """An event that is not in the union would be left out by everyone who goes through its kinds."""
    written = {
        kind
        for module in (events, program_events, shown_events)
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__ and is_dataclass(kind)
    }
    assert written == set(get_args(Event))


def test_equal_events_are_equal():
    assert AnswerGrew("c", "x") == AnswerGrew("c", "x")
