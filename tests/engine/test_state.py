"""The state is one frozen value."""

from __future__ import annotations

import pytest

from workbench.engine.state import ChatState, Notice, RunningTurn, ToolCard, WorkbenchState


def test_at_first_there_is_nothing():
    state = WorkbenchState()
    assert (state.chats, dict(state.open), dict(state.away), state.notices) == ((), {}, {}, ())


@pytest.mark.parametrize("kind", [WorkbenchState, ChatState, RunningTurn, ToolCard, Notice])
def test_nobody_changes_a_state_in_place(kind: type):
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
