"""The state is one frozen value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT, sample_state, sample_trial
from workbench.engine.state import ChatState, EditedQuestion, Notice, RunningTurn, ToolCard, WorkbenchState

OPEN = replace(sample_state().open[CHAT], draft="")
FLYING = replace(sample_view(), standing="in_flight")
SENT = replace(sample_view(), standing="sent", turn=3)


def test_at_first_there_is_nothing():
    state = WorkbenchState()
    assert (state.chats, dict(state.open), dict(state.away), state.notices) == ((), {}, {}, ())


@pytest.mark.parametrize("kind", [WorkbenchState, ChatState, RunningTurn, ToolCard, Notice])
def test_nobody_changes_a_state_in_place(kind: type):
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_the_request_being_answered_is_the_newest_until_something_is_written_tried_or_tuned():
    answering = replace(OPEN, in_flight=FLYING)
    assert (OPEN.newest, answering.newest) == (OPEN.view, FLYING)
    for busy in ({"draft": "next"}, {"trial": sample_trial()}, {"ahead": True}):
        assert replace(answering, **busy).newest is OPEN.view


def test_which_request_is_looked_at_has_one_answer():
    """It had four: head, payload, composer and diff disagreed with an old turn opened."""
    edited = replace(sample_view(), turn=2)
    edit = EditedQuestion("m3", "other words", edited)
    assert OPEN.shown is OPEN.view
    assert replace(OPEN, in_flight=FLYING).shown is FLYING
    assert replace(OPEN, in_flight=FLYING, edits={"m3": edit}).shown is edited
    assert replace(OPEN, edits={"m3": replace(edit, view=None)}).shown is OPEN.view
    assert replace(OPEN, in_flight=FLYING, edits={"m3": edit}, opened=SENT).shown is SENT
