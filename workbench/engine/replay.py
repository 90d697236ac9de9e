"""A whole trajectory through the same builder that feeds the window and the wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.context.build.wire import Json
from workbench.context.report import REPORT_FORMAT
from workbench.domain.trajectory import Trajectory, TrajectoryTurn
from workbench.domain.turn import Tuning
from workbench.engine.build.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, after_turn, reattach


def replay(trajectory: Trajectory, builder: Builder) -> Json:
    """The report of every turn, in order, as one document."""
    return whole_report(list(replay_turns(trajectory, builder)))


def replay_turns(trajectory: Trajectory, builder: Builder) -> Iterator[Json]:
    """The report of one turn after the other: a long conversation's together would not fit into memory."""
    conversation = start(trajectory)
    for turn in trajectory.turns:
        conversation, prepared = play_turn(conversation, turn, builder)
        yield prepared.report
        conversation = after_turn(conversation, prepared.built, turn.reply)


def start(trajectory: Trajectory) -> Conversation:
    """The conversation before its first turn."""
    return Conversation(trajectory.conversation, history=trajectory.history, trim=trajectory.trim)


def play_turn(
    conversation: Conversation, turn: TrajectoryTurn, builder: Builder
) -> tuple[Conversation, Prepared]:
    """The conversation with what the user did before asking, and the request that makes."""
    old = conversation.tuning
    tuning = Tuning(
        pinned=(old.pinned | set(turn.pin_messages)) - set(turn.unpin_messages),
        excluded=(old.excluded | set(turn.exclude_messages)) - set(turn.include_messages),
    )
    attached = reattach(conversation.attached, turn.detach, turn.attach)
    opened = replace(conversation, attached=attached, tuning=tuning)
    return opened, prepare_turn(opened, Ask(turn.settings, turn.question, turn.now), builder)


def whole_report(reports: Sequence[Json]) -> Json:
    """The reports of all turns as one document."""
    return {"format": REPORT_FORMAT, "turns": list(reports)}
