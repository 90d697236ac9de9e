"""The two events that replace fields of the state: every field they may name is there, and of the same type."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest

from workbench.engine import shown_events
from workbench.engine.shown_events import (
    ChatFields,
    ChatShown,
    ProgramFields,
    ProgramShown,
    chat_shows,
    program_shows,
)
from workbench.engine.state import ChatState, WorkbenchState


def parts(hint: Any) -> set[Any]:
    """A type, or the types that it is one of; None apart, which a state may begin with."""
    return {*(get_args(hint) if NoneType in get_args(hint) else (hint,))} - {NoneType}


@pytest.mark.parametrize(("named", "state"), [(ChatFields, ChatState), (ProgramFields, WorkbenchState)])
def test_a_field_is_one_of_the_state_and_of_its_type(named: Any, state: Any):
    known = get_type_hints(state)
    for name, hint in get_type_hints(named, vars(shown_events)).items():
        assert parts(hint) == parts(known[name]), name


def test_an_event_has_what_it_was_given_and_nothing_else():
    assert chat_shows("talk", trial=None) == ChatShown("talk", {"trial": None})
    assert program_shows(chats=(), folder=None) == ProgramShown({"chats": (), "folder": None})
