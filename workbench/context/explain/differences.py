"""Two requests side by side: where they part, what that costs, and why."""

from __future__ import annotations

from typing import NamedTuple

from workbench.context.build.rounds import after_the_question
from workbench.context.explain.costs import rereading_cost
from workbench.context.explain.diff_causes import diff_causes
from workbench.domain.change import Built, PrefixChange
from workbench.domain.segment import Segment
from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.usage import Price


class Seen(NamedTuple):
    """A request, and when it was sent; not at all where that is empty."""

    built: Built
    sent_utc: str = ""


def diff_view(before: Seen, after: Seen, change: PrefixChange, price: Price | None) -> DiffView:
    """How a request differs from an earlier one; `change` is what `compare` says about the two."""
    lost = lost_tokens(before.built, change)
    parted = change.change in ("diverged", "shrunk")
    return DiffView(
        before=_side(before),
        after=_side(after),
        change=change.change,
        first_difference_token=change.reused_tokens if parted else None,
        reused_tokens=change.reused_tokens,
        lost_tokens=lost,
        extra_cost_usd=rereading_cost(after.built.inputs.model, price, lost),
        causes=diff_causes(before.built, after.built, change, lost),
    )


def lost_tokens(before: Built, change: PrefixChange) -> int:
    """Tokens of the earlier request that the later one could have had from a cache, and does not.

    What stood around the earlier question leaves it when the next one is asked: that is how requests are built, no
    change, and nothing is lost by it.
    """
    if all(cause.cause == "turn_context" for cause in change.causes):
        return 0
    return max(0, _lasting_tokens(before) - change.reused_tokens)


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


def _side(seen: Seen) -> DiffSide:
    envelope = seen.built.envelope
    parts = tuple((segment.layer, tokens) for segment, tokens in _on_wire(seen.built))
    return DiffSide(envelope.turn, seen.sent_utc, envelope.total_tokens, parts)


def _on_wire(built: Built) -> list[tuple[Segment, int]]:
    """What is sent, in wire order, with its tokens."""
    tokens = {
        (segment.layer, segment.id): cost
        for layer in built.envelope.layers
        for segment, cost in zip(layer.segments, layer.tokens, strict=True)
    }
    shown = [segment for layer in built.envelope.layers for segment in layer.segments if segment.sent]
    wire = after_the_question(shown, built.inputs.rounds)
    return [(segment, tokens[segment.layer, segment.id]) for segment in wire]
