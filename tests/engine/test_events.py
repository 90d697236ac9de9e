"""Events: what happened, as values."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest

from workbench.engine import events
from workbench.engine.events import AnswerGrew, ChatFields, Event, ProgramFields, TurnEvent
from workbench.engine.state import ChatState, WorkbenchState


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
        for kind in vars(events).values()
        if isinstance(kind, type) and kind.__module__ == events.__name__ and is_dataclass(kind)
    }
    assert written == set(get_args(Event))


def test_equal_events_are_equal():
    assert AnswerGrew("c", "x") == AnswerGrew("c", "x")


def parts(hint: Any) -> set[Any]:
    """A type, or the types that it is one of; None apart, which a state may begin with."""
    return {*(get_args(hint) if NoneType in get_args(hint) else (hint,))} - {NoneType}


@pytest.mark.parametrize(("named", "state"), [(ChatFields, ChatState), (ProgramFields, WorkbenchState)])
def test_a_field_is_one_of_the_state_and_of_its_type(named: Any, state: Any):
    known = get_type_hints(state)
    for name, hint in get_type_hints(named, vars(events)).items():
        assert parts(hint) == parts(known[name]), name
