"""How well what is attached fits the question that is being written, and the priorities that this suggests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Another priority for an attachment; nothing is done before somebody accepts it."""

    key: str
    now: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the chat's model is to say about priorities, has said, or could not.

    `tokens` and `cost_usd` are what asking costs; no cost where no price is known.
    """

    stage: Literal["offered", "asking", "done", "failed"]
    model: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Relevance:
    """What is known of one question while it is written.

    Attributes:
        shares: by attachment from 0 to 1, against the one that fits best; what has no words is not in it.
        open: whether suggestions are looked at: until they are all accepted, or dismissed.
        opinion: what was asked of the model; None where nothing was.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    suggestions: tuple[Suggestion, ...] = ()
    open: bool = False
    opinion: Opinion | None = None
