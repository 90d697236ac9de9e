"""How a request differs from the previous one, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.envelope import Envelope
from workbench.domain.segment import LayerName
from workbench.domain.turn import TurnInputs

Change = Literal["first", "identical", "extended", "shrunk", "diverged"]
CauseName = Literal[
    "settings", "model", "tools", "memory", "project", "attached", "detached", "file_changed", "promoted",
    "pruned", "priority", "trimmed", "excluded", "history_edited", "rebuilt", "turn_context", "renamed", "resized",
    "recut",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Built:
    """A request together with its inputs."""

    inputs: TurnInputs
    envelope: Envelope


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason why the prefix changed; the subject is the id of what it concerns."""

    cause: CauseName
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference between two requests; `token` is the length of their common prefix."""

    layer: LayerName
    segment: str
    token: int


@dataclass(frozen=True, slots=True)
class PrefixChange:
    """What became of the previous request's prefix."""

    change: Change = "first"
    diverges_at: Divergence | None = None
    causes: tuple[Cause, ...] = ()
    reused_tokens: int = 0
