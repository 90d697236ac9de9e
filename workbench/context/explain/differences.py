"""Two requests side by side: where they part, what that costs, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from workbench.context.count.attribute import in_wire_order
from workbench.context.explain.diff_causes import Priced, diff_causes
from workbench.context.explain.price_tag import Piece, copy_name, read_again
from workbench.context.explain.row_facts import CachedRun
from workbench.context.request_cost import rereading_cost
from workbench.context.watch.prefix import reread_tokens
from workbench.domain.change import Built, PrefixChange
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.usage import Price


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
