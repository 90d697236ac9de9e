"""A trajectory: a whole conversation as data, parsed and resolved, ready to be replayed turn by turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.domain.envelope import TrimState
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.settings.context_settings import ContextSettings


@dataclass(frozen=True, slots=True)
class TrajectoryTurn:
    """One turn: what the user changed, asked and was answered.

    Attributes:
        settings: everything in effect in this turn, overrides included.
        detach: comes before `attach`; an id in `attach` that is attached already means new content.
        library: attached as well, and standing in the library from the first request on.
        question: None where the request is built and reported, but not sent.
        prefill: how the answer begins, where its model goes on with that.
    """

    settings: ContextSettings = field(default_factory=ContextSettings)
    detach: tuple[str, ...] = ()
    attach: tuple[Artifact, ...] = ()
    library: tuple[Artifact, ...] = ()
    exclude_messages: tuple[str, ...] = ()
    include_messages: tuple[str, ...] = ()
    pin_messages: tuple[str, ...] = ()
    unpin_messages: tuple[str, ...] = ()
    now: str | None = None
    reload: bool = False
    cold: bool = False
    rebuild: bool = False
    question: Message | None = None
    prefill: str = ""
    reply: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A conversation from its first history entry to its last turn."""

    conversation: str
    history: tuple[Entry, ...] = ()
    trim: TrimState = field(default_factory=TrimState)
    turns: tuple[TrajectoryTurn, ...] = ()
