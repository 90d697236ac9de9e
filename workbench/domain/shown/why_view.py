"""Why something of the past is in a request: the quote with its words marked, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.domain.recall import MatchedWord, WordKind

NeighbourState = Literal["cut", "along", "recalled", "sent"]
"""Whether it stays out, comes along because a person wants it, came back by itself, or goes out anyway."""


class MarkedWord(NamedTuple):
    """A stretch of the quote that fits the question."""

    start: int
    end: int
    kind: WordKind


class Neighbour(NamedTuple):
    """The message before or after the quoted one; `tokens` is what quoting it costs."""

    id: str
    role: str
    turn: int
    text: str
    tokens: int
    state: NeighbourState = "cut"


@dataclass(frozen=True, slots=True)
class WhyView:
    """What one quote is looked at by.

    Attributes:
        id: what is quoted; text: its own words, as they are quoted.
        words: why it fits, the most important first; their parts sum up to `score`.
        place: which of all messages it is, the best being 1; 0 where nobody asked yet. messages: how many there are.
        before, after: what was said right before it and right after it.
    """

    id: str
    text: str
    score: float = 0.0
    words: tuple[MatchedWord, ...] = ()
    marks: tuple[MarkedWord, ...] = ()
    place: int = 0
    messages: int = 0
    before: Neighbour | None = None
    after: Neighbour | None = None
