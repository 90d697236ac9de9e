"""The messages of a request cut into the segments they are made of, so that each of its bytes has an owner."""

from __future__ import annotations

from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.payload import PayloadMessage, Piece
from workbench.domain.segment import LayerName, Segment

Costs = dict[tuple[LayerName, str], int]


def payload_messages(built: Built) -> tuple[PayloadMessage, ...]:
    """One for each message that `outgoing.request_messages` gives, in the same order; pieces joined are its text."""
    envelope = built.envelope
    costs = {
        (segment.layer, segment.id): tokens
        for layer in envelope.layers
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
    }
    return tuple(row for message in envelope.messages for row in _rows(message, costs))


def _rows(message: WireMessage, costs: Costs) -> list[PayloadMessage]:
    """Merged results of tools go out as one message each, without what would join them."""
    if message.role == "tool":
        return [
            PayloadMessage("tool", (Piece(one.layer, one.id, one.text),), _cost(one, costs))
            for one in message.segments
        ]
    segments = message.segments
    return [
        PayloadMessage(
            message.role,
            tuple(Piece(one.layer, one.id, one.lead + one.text) for one in segments),
            sum(_cost(one, costs) for one in segments),
            tuple(call.name for one in segments for call in one.tool_calls),
            sum(len(one.images) for one in segments),
        )
    ]


def _cost(segment: Segment, costs: Costs) -> int:
    return costs.get((segment.layer, segment.id), 0)
