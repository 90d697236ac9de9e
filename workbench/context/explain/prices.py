"""The part of a request that a cache is expected to serve, given out along the wire: one run from the start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.context.count.measure import segment_cost
from workbench.domain.attachment import Artifact
from workbench.domain.envelope import WireMessage
from workbench.domain.forecast import CacheForecast
from workbench.domain.message import ROLES, Role
from workbench.domain.model import ModelCard
from workbench.domain.provider import RUN_HERE
from workbench.domain.segment import Segment
from workbench.domain.shown.envelope_view import CacheMark
from workbench.domain.usage import Price, Usage, cost_of
from workbench.ports.counting import TokenCounter

# What segments would cost that are not in a request, or only in part.

_ROLES: dict[str, Role] = {role: role for role in ROLES}


def whole_message_tokens(segments: Iterable[Segment], counter: TokenCounter) -> int:
    """What messages of history would cost if each was sent whole."""
    return counter.total(sum(_cost(_restored(segment), counter) for segment in segments))


def trimmed_away_tokens(segments: Iterable[Segment], counter: TokenCounter) -> int:
    """What shortening took from messages of history that are still there."""
    cut = [segment for segment in segments if segment.form in ("trimmed", "compacted")]
    whole = sum(_cost(_restored(segment), counter) for segment in cut)
    return counter.total(whole) - counter.total(sum(_cost(segment, counter) for segment in cut))


def artifact_tokens(artifact: Artifact, counter: TokenCounter) -> int:
    """What an artifact's own text costs."""
    text = Segment(artifact.key, "L3_TURN", artifact.kind, artifact.text, artifact.content_digest)
    return counter.total(segment_cost(text, counter))


def _restored(segment: Segment) -> Segment:
    return segment if segment.original is None else replace(segment, text=segment.original, form="full")


def _cost(segment: Segment, counter: TokenCounter) -> int:
    return sum(counter.costs(WireMessage(segment.id, _ROLES.get(segment.kind, "user"), (segment,))))


# What a request is expected to cost: its own tokens at a published price. What the answer will cost, nobody
# knows.


def runs_here(card: ModelCard) -> bool:
    """Whether a model runs on this computer, so that asking it costs nothing."""
    return card.provider in RUN_HERE


def request_cost(card: ModelCard, price: Price | None, forecast: CacheForecast) -> float | None:
    """US dollars for the request alone, what is read and written at its own price; None where none is known."""
    read, written = forecast.predicted_read_tokens, forecast.predicted_write_tokens
    if runs_here(card):
        return 0.0
    if price is None:
        return None
    total = read + written + forecast.fresh_tokens
    cost = cost_of(
        Usage(prompt_tokens=total, cached_tokens=read, cache_write_tokens=written, completion_tokens=0), price
    )
    return None if cost is None else cost.usd


def unforeseen(card: ModelCard, tokens: int) -> CacheForecast:
    """A request of so many tokens of which no cache has anything, or nobody knows whether it has."""
    return CacheForecast(card.provider, 0, 0, tokens)


def rereading_cost(card: ModelCard, price: Price | None, tokens: int) -> float | None:
    """What it costs more to read tokens anew that a cache would have served."""
    cases = (CacheForecast(card.provider, 0, tokens), CacheForecast(card.provider, tokens, 0))
    anew, cached = (request_cost(card, price, case) for case in cases)
    return None if anew is None or cached is None else anew - cached


class CachedRun:
    """Walks along a request; what is cached lies before one place, and nothing behind it.

    Attributes:
        read_tokens: how many tokens of the whole request are cached; None where nobody can say.
        at: how many of its tokens are behind.
    """

    def __init__(self, read_tokens: int | None, at: int = 0) -> None:
        self.read_tokens = read_tokens
        self.at = at

    def ahead(self, tokens: int) -> int | None:
        """How many of the next tokens are cached; None where nobody can say."""
        return None if self.read_tokens is None else max(0, min(tokens, self.read_tokens - self.at))

    def take(self, tokens: int) -> tuple[CacheMark, int]:
        """Go on by some tokens: whether they are cached, and how many of them."""
        cached, start = self.ahead(tokens), self.at
        self.at += tokens
        if cached is None or self.read_tokens is None:
            return "none", 0
        if start >= self.read_tokens:
            return "new", 0
        return ("hit" if cached == tokens else "part"), cached

    def take_each(self, parts: Sequence[int]) -> tuple[CacheMark, int]:
        """The same for several pieces, one behind the other."""
        return self.take(sum(parts))

    def elsewhere(self, at: int) -> CachedRun:
        """A walk along the same request that begins at another place."""
        return CachedRun(self.read_tokens, at)

    def key(self, tokens: int) -> object:
        """Everything that what is taken depends on, for so many tokens."""
        # One token further: a row without tokens is cached, too, where the run goes on behind it.
        return self.ahead(tokens + 1)


class LogRun(CachedRun):
    """Walks along one layer of a log, whose segments stand apart; `starts` are their places, in order."""

    def __init__(self, read_tokens: int | None, starts: Sequence[int]) -> None:
        super().__init__(read_tokens)
        self._starts, self._next = tuple(starts), 0

    def take(self, tokens: int) -> tuple[CacheMark, int]:
        """The next segment: whether it is cached, and how many of its tokens."""
        self.at = self._starts[self._next]
        self._next += 1
        return super().take(tokens)

    def take_each(self, parts: Sequence[int]) -> tuple[CacheMark, int]:
        """The next segments: whether all of them are cached, or some, and how many tokens."""
        taken = [self.take(tokens) for tokens in parts]
        marks = {mark for mark, _ in taken}
        mark: CacheMark = marks.pop() if len(marks) == 1 else "part"
        return mark if taken else "none", sum(cached for _, cached in taken)

    def elsewhere(self, at: int) -> CachedRun:
        """Wherever a segment stands, its place is known."""
        return self

    def key(self, tokens: int) -> object:
        """Everything that what is taken depends on."""
        return self.read_tokens, self._starts
