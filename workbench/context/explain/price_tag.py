"""What a step costs at the cache: one function for every control, for trials and for the difference of two requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.domain.caching.forecast import CacheForecast
from workbench.domain.shown.envelope_view import EnvelopeView, SegmentRow
from workbench.domain.shown.price_tag import PriceTag


class Piece(NamedTuple):
    """A part of a request: what it stands for by `copy_name`, its tokens, and how many of them a cache serves."""

    members: tuple[str, ...]
    tokens: int
    cached_tokens: int


def price_tag(now: EnvelopeView, then: EnvelopeView, forecast: CacheForecast | None = None) -> PriceTag:
    """What the step from one request to the other costs; `forecast` is about the one that stands now."""
    known = forecast is not None and now.cached_tokens is not None
    return PriceTag(
        tokens_delta=then.total_tokens - now.total_tokens,
        reread_tokens=_reread(now, then),
        cached_tokens=now.cached_tokens,
        now_usd=_more(now.cost_usd, then.cost_usd),
        after_usd=_more(now.later_usd, then.later_usd),
        local=then.local,
        warm_s=forecast.warm_s if known and forecast is not None else None,
        cold=known and forecast is not None and forecast.limit == "cold",
        fits=not then.over_tokens,
    )


def read_again(now: Iterable[Piece], then: Iterable[Piece]) -> int:
    """Tokens that a cache would serve now, and that are read again then; what goes away is not read at all.

    What is new is not read again either: a part counts for as much as there was of it before.
    """
    held: list[int] = []
    places: dict[str, list[int]] = {}
    for place, piece in enumerate(now):
        held.append(piece.cached_tokens)
        for member in piece.members:
            places.setdefault(member, []).append(place)
    again = 0
    for piece in then:
        known = 0
        for place in dict.fromkeys(place for member in piece.members for place in places.get(member, ())):
            taken = min(held[place], piece.tokens - known)
            held[place] -= taken
            known += taken
        again += max(0, known - piece.cached_tokens)
    return again


def copy_name(key: str, digest: str, superseded: bool) -> str:
    """What a part is known by: an older copy of a file is not the file, whose newer text no cache has yet."""
    return f"{key}\0{digest}" if superseded else key


def counted_rows(view: EnvelopeView) -> Iterator[SegmentRow]:
    """The rows that go out."""
    return (row for layer in view.layers for row in layer.rows if row.counted)


def _reread(now: EnvelopeView, then: EnvelopeView) -> int | None:
    # Another model's cache holds nothing of what this one's does, whatever is known of it.
    if now.cached_tokens is None or (then.cached_tokens is None and then.model == now.model):
        return None
    return read_again(_pieces(now), _pieces(then))


def _pieces(view: EnvelopeView) -> Iterator[Piece]:
    for row in counted_rows(view):
        names = (copy_name(member, row.digest, row.superseded) for member in row.members)
        yield Piece(tuple(names), row.tokens, row.cached_tokens)


def _more(now: float | None, then: float | None) -> float | None:
    return None if now is None or then is None else then - now
