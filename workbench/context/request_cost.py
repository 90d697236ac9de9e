"""The expected cost of a request and of its segments; the answer's cost is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.context.assembly.render import QUESTION_LABEL, artifact_segment
from workbench.context.count.measure import segment_cost
from workbench.domain.caching import CacheForecast
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import ROLES, Role
from workbench.domain.model import ModelCard
from workbench.domain.provider import RUN_HERE
from workbench.domain.segment import Segment
from workbench.domain.usage import Price, Usage, cost_of
from workbench.ports.counting import TokenCounter


def runs_here(card: ModelCard) -> bool:
    """Whether a model runs on this computer, so that asking it costs nothing."""
    return card.provider in RUN_HERE


def request_cost(card: ModelCard, price: Price | None, forecast: CacheForecast) -> float | None:
    """US dollars for the request alone, with cached and written tokens at their prices; None without a price."""
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


def uncached_forecast(card: ModelCard, tokens: int) -> CacheForecast:
    """The forecast for a request of which nothing is known to be cached."""
    return CacheForecast(card.provider, 0, 0, tokens)


def rereading_cost(card: ModelCard, price: Price | None, tokens: int) -> float | None:
    """The extra cost of reading tokens again that a cache would have served."""
    cases = (CacheForecast(card.provider, 0, tokens), CacheForecast(card.provider, tokens, 0))
    anew, cached = (request_cost(card, price, case) for case in cases)
    return None if anew is None or cached is None else anew - cached


_ROLES: dict[str, Role] = {role: role for role in ROLES}


def whole_message_tokens(segments: Iterable[Segment], counter: TokenCounter) -> int:
    """Tokens of history messages if each was sent whole."""
    return counter.total(sum(_cost(_restored(segment), counter) for segment in segments))


def trimmed_away_tokens(segments: Iterable[Segment], counter: TokenCounter) -> int:
    """Tokens that trimming removed from history messages that are still there."""
    cut = [segment for segment in segments if segment.form in ("trimmed", "compacted")]
    whole = sum(_cost(_restored(segment), counter) for segment in cut)
    return counter.total(whole) - counter.total(sum(_cost(segment, counter) for segment in cut))


def artifact_tokens(artifact: Artifact, counter: TokenCounter) -> int:
    """The tokens of an artifact's own text."""
    text = Segment(artifact.key, "L3_TURN", artifact.kind, artifact.text, artifact.content_digest)
    return counter.total(segment_cost(text, counter))


def _restored(segment: Segment) -> Segment:
    return segment if segment.original is None else replace(segment, text=segment.original, form="full")


def _cost(segment: Segment, counter: TokenCounter) -> int:
    return sum(counter.costs(WireMessage(segment.id, _ROLES.get(segment.kind, "user"), (segment,))))


# What an artifact costs by itself: its block in this turn's message, without what a message costs anyway.


# What stands first carries what a message costs by itself, which is no attachment's.
_BEFORE = Segment(id="", layer="L3_TURN", kind="file", text="\n", content_digest="")


def attached_tokens(artifact: Artifact, counter: TokenCounter) -> int:
    """The tokens that attaching it in full adds to a request."""
    message = WireMessage("alone", "user", (_BEFORE, artifact_segment(artifact)))
    return counter.total(counter.costs(message)[1])


_ANY = Artifact("any", "file", "any\n")


def first_place_tokens(counter: TokenCounter) -> int:
    """The framing tokens that count with the first segment of this turn's message."""
    message = WireMessage("alone", "user", (artifact_segment(_ANY),))
    return counter.total(sum(counter.costs(message))) - attached_tokens(_ANY, counter)


def opening_tokens(question: str, counter: TokenCounter) -> int:
    """The extra tokens of the first attachment: the question's label, or the message itself."""
    if not question:
        return first_place_tokens(counter)
    asked = Segment(id="asked", layer="L5_USER", kind="user", text=question, content_digest="")
    bare = WireMessage("alone", "user", (asked,))
    both = WireMessage("alone", "user", (artifact_segment(_ANY), replace(asked, lead=QUESTION_LABEL)))
    more = counter.total(sum(counter.costs(both))) - counter.total(sum(counter.costs(bare)))
    return more - attached_tokens(_ANY, counter)
