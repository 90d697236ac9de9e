"""How a request differs from the previous one, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from workbench.domain.envelope import Envelope
from workbench.domain.segment import LayerName
from workbench.domain.turn import TurnInputs, beginning_in

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

    @property
    def without_beginning(self) -> Built:
        """The request up to where the answer began, as what comes after goes on from: the answer has all of that."""
        begun = beginning_in(self.inputs.rounds)
        if begun is None:
            return self
        layers = tuple(layer.without(begun.id) for layer in self.envelope.layers)
        envelope = replace(
            self.envelope,
            layers=layers,
            messages=tuple(message for message in self.envelope.messages if message.id != begun.id),
            total_tokens=sum(layer.total_tokens for layer in layers),
        )
        return Built(replace(self.inputs, rounds=self.inputs.rounds[:-1]), envelope)


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
