"""Closing the envelope: messages become five measured layers, and every cut is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.context.build.draft import Draft
from workbench.context.build.history import History, left_out
from workbench.context.build.render import WIRE_ORDER
from workbench.context.build.select import Placements
from workbench.context.build.system import tool_segments
from workbench.context.count.measure import is_exact, segment_cost, token_shares
from workbench.domain.envelope import Compacted, Cuts, Envelope, Layer
from workbench.domain.segment import LayerName, Segment
from workbench.ports.counting import TokenCounter

Priced = tuple[Segment, int]


def seal(draft: Draft, placements: Placements, history: History, cuts: Cuts) -> Envelope:
    """The finished envelope; what it holds is what is sent."""
    messages = draft.messages(placements)
    counter, inputs = draft.counter, draft.inputs
    tools = inputs.settings.tools
    announced = zip(tool_segments(tools), map(counter.tool_tokens, tools), strict=True)
    priced = [*announced, *token_shares(messages, counter)]
    rows: dict[LayerName, list[Priced]] = {name: [] for name in WIRE_ORDER}
    for segment, tokens in priced:
        rows[segment.layer].append((segment, tokens))
    layers = tuple(_layer(name, rows[name], history) for name in WIRE_ORDER)
    recover = {placement.artifact.key: placement.artifact.recover_with for placement in placements}
    compacted = tuple(
        _compaction(segment, tokens, recover[segment.id], counter)
        for segment, tokens in priced
        if segment.form == "compacted"
    )
    return Envelope(
        conversation=inputs.conversation,
        turn=inputs.turn,
        model=inputs.settings.model,
        budget=draft.budget,
        layers=layers,
        messages=messages,
        total_tokens=sum(tokens for _, tokens in priced),
        exact=is_exact(messages, tools, counter),
        cuts=replace(cuts, compacted=compacted),
    )


def _layer(name: LayerName, rows: Sequence[Priced], history: History) -> Layer:
    if name == "L4_STRIP":
        rows = _in_order(rows, history)
    return Layer(name, tuple(segment for segment, _ in rows), tuple(tokens for _, tokens in rows))


def _in_order(rows: Sequence[Priced], history: History) -> list[Priced]:
    """History as it was said, what is not sent standing in its place at no cost."""
    sent = {segment.id: (segment, tokens) for segment, tokens in rows}
    return [sent.get(segment.id) or (left_out(segment), 0) for segment in history.said]


def _compaction(segment: Segment, tokens: int, recover_with: str, counter: TokenCounter) -> Compacted:
    whole = replace(segment, text=segment.original or "")
    saved = counter.total(segment_cost(whole, counter)) - counter.total(segment_cost(segment, counter))
    return Compacted(segment.id, tokens + saved, tokens, recover_with)
