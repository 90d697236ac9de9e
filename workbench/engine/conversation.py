"""A conversation between turns: everything the next request depends on, as one frozen value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.context.build.references import promote
from workbench.domain.attachment import Artifact
from workbench.domain.change import Built
from workbench.domain.envelope import TrimState
from workbench.domain.message import Entry, Message
from workbench.domain.turn import LibraryEntry, Tuning


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where a conversation stands; `previous` is the request before the next one.

    `current` is the request that was sent in this very turn, which the next round of its tools goes on from.
    """

    id: str
    turn: int = 0
    history: tuple[Entry, ...] = ()
    attached: tuple[Artifact, ...] = ()
    library: tuple[LibraryEntry, ...] = ()
    trim: TrimState = field(default_factory=TrimState)
    tuning: Tuning = field(default_factory=Tuning)
    previous: Built | None = None
    current: Built | None = None

    @property
    def last(self) -> str:
        """The id of what was said last; empty where nothing was."""
        return self.history[-1].id if self.history else ""

    @property
    def rebuild_wanted(self) -> bool:
        """Whether somebody asked for a log that is begun anew with the very next question."""
        return bool(self.history) and self.tuning.rebuild_after == self.last


def reattach(
    attached: Sequence[Artifact], detach: Sequence[str], attach: Sequence[Artifact]
) -> tuple[Artifact, ...]:
    """What is attached after some were detached and some attached; a known key keeps its place, newest content."""
    gone = set(detach)
    held = {artifact.key: artifact for artifact in attached if artifact.key not in gone}
    for artifact in attach:
        held[artifact.key] = artifact
    return tuple(held.values())


def after_turn(conversation: Conversation, built: Built, reply: Sequence[Message]) -> Conversation:
    """The conversation after a request was built and, if it had a question, sent and answered."""
    question, found = built.inputs.question, built.inputs.tool_results
    said = (*found, question, *reply) if question is not None else tuple(reply)
    sent = replace(
        conversation,
        turn=conversation.turn + 1,
        history=(*conversation.history, *said),
        trim=built.envelope.cuts.trim,
        previous=built,
    )
    return sent if question is None else replace(sent, library=_promoted(built))


def _promoted(built: Built) -> tuple[LibraryEntry, ...]:
    """Only what was really in the request is promoted."""
    layers = (built.envelope.layer("L2_PREVIOUS"), built.envelope.layer("L3_TURN"))
    shown = {segment.id for layer in layers for segment in layer.segments}
    inputs = built.inputs
    sent = [artifact for artifact in inputs.attached if artifact.key in shown]
    keys = [artifact.key for artifact in inputs.attached]
    return promote(inputs.library, sent, keys, inputs.settings.freshness)
