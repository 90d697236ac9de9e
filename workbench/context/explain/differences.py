"""Compares two requests for display: where they diverge, what that costs, and why."""

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
    """A part of a request: its identity by `copy_name`, its tokens, and how many of them are cached."""

    members: tuple[str, ...]
    tokens: int
    cached_tokens: int


def price_tag(now: EnvelopeView, then: EnvelopeView, forecast: CacheForecast | None = None) -> PriceTag:
    """The price of a step from one request to another; `forecast` is about the current one."""
    known = forecast is not None and now.cached_tokens is not None
    return PriceTag(
        tokens_delta=then.total_tokens - now.total_tokens,
        reread_tokens=_reread(now, then),
        cached_tokens=now.cached_tokens,
        now_usd=_difference(now.cost_usd, then.cost_usd),
        after_usd=_difference(now.later_usd, then.later_usd),
        local=then.local,
        warm_s=forecast.warm_s if known and forecast is not None else None,
        cold=known and forecast is not None and forecast.limit == "cold",
        fits=not then.over_tokens,
    )


def read_again(now: Iterable[Piece], then: Iterable[Piece]) -> int:
    """Tokens that are cached now and must be read again then; removed parts are not read at all.

    New tokens do not count either: a part counts for at most what there was of it before.
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
    """A part's identity: an older copy of a file differs from the file, whose newer text is not cached yet."""
    return f"{key}\0{digest}" if superseded else key


def counted_rows(view: EnvelopeView) -> Iterator[SegmentRow]:
    """The rows that are sent."""
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


def _difference(now: float | None, then: float | None) -> float | None:
    return None if now is None or then is None else then - now


class TimedRequest(NamedTuple):
    """A request and when it was sent (empty for a draft). `name` is a variant's.

    `lost_tokens` is the recorded loss against the previous request, where that is the one it is compared with.
    """

    built: Built
    sent_utc: str = ""
    name: str = ""
    lost_tokens: int | None = None


def diff_view(
    before: TimedRequest, after: TimedRequest, change: PrefixChange, price: Price | None
) -> DiffView:
    """The view of how a request differs from an earlier one; `change` is the result of `compare`."""
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
    """Tokens of the later request that are read again: common to both, but after the first difference.

    Attachments around the earlier question leave it when the next one is asked: that is by design and counts as no
    loss.
    """
    if all(cause.cause == "turn_context" for cause in change.causes):
        return 0
    whole = _wire_segments(before)
    held = sum(tokens for _, tokens in whole)
    return read_again(_pieces(whole, held), _pieces(_wire_segments(after), change.reused_tokens))


def watched_lost(before: Built, after: Built, change: PrefixChange) -> int:
    """Tokens of another program's earlier request that no cache can serve: all after the first difference.

    It does not matter whether the later one has the same texts further on: the cache ends at the first difference.
    """
    old, new = _wire_segments(before), _wire_segments(after)
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
    """How many tokens of a request the next one begins with, if nothing changes."""
    said = {message.id for message in built.inputs.rounds}
    total = 0
    for segment, tokens in _wire_segments(built):
        attached = segment.layer == "L3_TURN" and segment.id not in said
        labelled = segment.layer == "L5_USER" and (segment.lead or segment.kind == "time")
        if attached or labelled:
            return total
        total += tokens
    return total


def wire_parts(built: Built) -> tuple[tuple[LayerName, int], ...]:
    """Tokens by layer in wire order, with neighbours of one layer combined."""
    layered = groupby(_wire_segments(built), key=lambda row: row[0].layer)
    return tuple((layer, sum(tokens for _, tokens in run)) for layer, run in layered)


def _side(seen: TimedRequest) -> DiffSide:
    envelope = seen.built.envelope
    parts = tuple((segment.layer, tokens) for segment, tokens in _wire_segments(seen.built))
    watched = seen.built.inputs.passed is not None
    return DiffSide(
        envelope.turn, seen.sent_utc, envelope.total_tokens, parts, seen.name, watched, envelope.exact
    )


def _wire_segments(built: Built) -> list[tuple[Segment, int]]:
    rows = [
        row
        for layer in built.envelope.layers
        for row in zip(layer.segments, layer.tokens, strict=True)
        if row[0].sent
    ]
    beside, carried = in_wire_order([segment for segment, _ in rows], built.envelope.messages)
    return [rows[place] for place in (*beside, *carried)]
