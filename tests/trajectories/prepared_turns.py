"""A trajectory's requests themselves, for tests of what is shown of them besides their reports."""

from __future__ import annotations

from tests.trajectories.support import Json, builder
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import after_turn
from workbench.engine.replay import play_turn, start


def prepared_turns(document: Json) -> list[Prepared]:
    """Every request of a trajectory, in order."""
    trajectory = parse_trajectory(document)
    conversation, made = start(trajectory), []
    for turn in trajectory.turns:
        conversation, prepared = play_turn(conversation, turn, builder())
        made.append(prepared)
        conversation = after_turn(conversation, prepared.built, turn.reply)
    return made
