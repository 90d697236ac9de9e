"""A trajectory is a value: frozen, empty by default, equal when its parts are."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from workbench.domain.envelope import TrimState
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.trajectory import Trajectory, TrajectoryTurn


def test_a_turn_changes_and_asks_nothing_by_default() -> None:
    turn = TrajectoryTurn()

    assert turn.settings == ContextSettings()
    assert (turn.detach, turn.attach, turn.reply) == ((), (), ())
    assert (turn.exclude_messages, turn.include_messages) == ((), ())
    assert (turn.pin_messages, turn.unpin_messages) == ((), ())
    assert (turn.now, turn.question) == (None, None)


def test_a_trajectory_is_empty_by_default() -> None:
    assert Trajectory("c") == Trajectory("c", history=(), trim=TrimState(), turns=())


def test_a_trajectory_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Trajectory("c").conversation = "d"  # type: ignore[misc]
