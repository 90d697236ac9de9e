"""Two requests side by side: where they part, what that costs, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from workbench.context.count.measure import in_wire_order
from workbench.context.explain.diff_causes import Priced, diff_causes
from workbench.context.explain.row_facts import CachedRun
from workbench.context.request_cost import rereading_cost
from workbench.context.watch.prefix import reread_tokens
from workbench.domain.caching import CacheForecast
from workbench.domain.change import Built, PrefixChange
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.shown.envelope_view import EnvelopeView, PriceTag, SegmentRow
from workbench.domain.usage import Price

# What a step costs at the cache: one function for every control, for trials and for the difference of two requests.


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
    return read_again(_priced_pieces(now), _priced_pieces(then))


def _priced_pieces(view: EnvelopeView) -> Iterator[Piece]:
    for row in counted_rows(view):
        names = (copy_name(member, row.digest, row.superseded) for member in row.members)
        yield Piece(tuple(names), row.tokens, row.cached_tokens)


def _more(now: float | None, then: float | None) -> float | None:
    return None if now is None or then is None else then - now


class TimedRequest(NamedTuple):
    """A request, and when it was sent; not at all where that is empty. `name`: what a variant is called.

    `lost_tokens` is what was noted as lost of the request before, where that is the one it is compared with.
    """

    built: Built
    sent_utc: str = ""
    name: str = ""
    lost_tokens: int | None = None


def diff_view(
    before: TimedRequest, after: TimedRequest, change: PrefixChange, price: Price | None
) -> DiffView:
    """How a request differs from an earlier one; `change` is what `compare` says about the two."""
    lost = after.lost_tokens
    if lost is None:
        watched = after.built.inputs.passed is not None
        lost = (watched_lost if watched else lost_tokens)(before.built, after.built, change)
    parted = change.change in ("diverged", "shrunk")
    return DiffView(
        before=_side(before),
        after=_side(after),
        change=change.change,
        first_difference_token=change.reused_tokens if parted else None,
        reused_tokens=change.reused_tokens,
        lost_tokens=lost,
        lasting_tokens=max(change.reused_tokens, _lasting_tokens(before.built)),
        extra_cost_usd=rereading_cost(after.built.inputs.model, price, lost),
        causes=diff_causes(before.built, after.built, change, lost),
    )


def lost_tokens(before: Built, after: Built, change: PrefixChange) -> int:
    """Tokens of the later request that are read again: what the earlier one had too, behind the first difference.

    What stood around the earlier question leaves it when the next one is asked: that is how requests are built, no
    change, and nothing is lost by it.
    """
    if all(cause.cause == "turn_context" for cause in change.causes):
        return 0
    whole = _on_wire(before)
    held = sum(tokens for _, tokens in whole)
    return read_again(_pieces(whole, held), _pieces(_on_wire(after), change.reused_tokens))


def watched_lost(before: Built, after: Built, change: PrefixChange) -> int:
    """What no cache can serve of a request that another program sent before: all behind the first difference.

    Whether the later one has the same texts further on is left open: its cache ends at the first difference.
    """
    old, new = _on_wire(before), _on_wire(after)
    alike = (one[0].digest == other[0].digest for one, other in zip(old, new, strict=False))
    shared = next((n for n, same in enumerate(alike) if not same), min(len(old), len(new)))
    if before.inputs.settings.model != after.inputs.settings.model:
        shared = 0
    elif shared == len(new):
        return 0
    kept = sum(tokens for _, tokens in old[:shared])
    return reread_tokens(sum(tokens for _, tokens in old[shared:]), kept, sum(tokens for _, tokens in new))


def _pieces(wire: Iterable[Priced], cached_tokens: int) -> Iterator[Piece]:
    run = CachedRun(cached_tokens)
    for segment, tokens in wire:
        name = copy_name(segment.id, segment.digest, segment.superseded)
        yield Piece((name,), tokens, run.take(tokens)[1])


def _lasting_tokens(built: Built) -> int:
    """How much of a request the next one begins with, if nothing changes."""
    said = {message.id for message in built.inputs.rounds}
    total = 0
    for segment, tokens in _on_wire(built):
        attached = segment.layer == "L3_TURN" and segment.id not in said
        labelled = segment.layer == "L5_USER" and (segment.lead or segment.kind == "time")
        if attached or labelled:
            return total
        total += tokens
    return total


def wire_parts(built: Built) -> tuple[tuple[LayerName, int], ...]:
    """Tokens in wire order; neighbours of one layer are one part."""
    layered = groupby(_on_wire(built), key=lambda row: row[0].layer)
    return tuple((layer, sum(tokens for _, tokens in run)) for layer, run in layered)


def _side(seen: TimedRequest) -> DiffSide:
    envelope = seen.built.envelope
    parts = tuple((segment.layer, tokens) for segment, tokens in _on_wire(seen.built))
    watched = seen.built.inputs.passed is not None
    return DiffSide(
        envelope.turn, seen.sent_utc, envelope.total_tokens, parts, seen.name, watched, envelope.exact
    )


def _on_wire(built: Built) -> list[tuple[Segment, int]]:
    rows = [
        row
        for layer in built.envelope.layers
        for row in zip(layer.segments, layer.tokens, strict=True)
        if row[0].sent
    ]
    beside, carried = in_wire_order([segment for segment, _ in rows], built.envelope.messages)
    return [rows[place] for place in (*beside, *carried)]
