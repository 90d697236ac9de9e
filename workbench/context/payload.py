"""The messages of a request cut into the segments they are made of, so that each of its bytes has an owner."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from workbench.context.outgoing import request_message
from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.segment import LayerName, Segment
from workbench.domain.wire_form import PayloadMessage, Piece

Costs = dict[tuple[LayerName, str], deque[int]]
"""What each segment costs, in its layer's order: in a log a layer has several copies of the same thing."""


def payload_messages(built: Built) -> tuple[PayloadMessage, ...]:
    """One for each message that `outgoing.request_messages` gives, in the same order; pieces joined are its text."""
    envelope = built.envelope
    costs: Costs = {}
    for layer in envelope.layers:
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True):
            if segment.sent:
                costs.setdefault((segment.layer, segment.id), deque()).append(tokens)
    return tuple(row for message in envelope.messages for row in _payload_rows(message, costs))


def _payload_rows(message: WireMessage, costs: Costs) -> list[PayloadMessage]:
    """Merged results of tools go out as one message each, without what would join them."""
    if message.role == "tool":
        return [
            PayloadMessage("tool", (Piece(one.layer, one.id, one.text),), cost, piece_tokens=(cost,))
            for one in message.segments
            for cost in (_cost(one, costs),)
        ]
    segments = message.segments
    tokens = tuple(_cost(one, costs) for one in segments)
    return [
        PayloadMessage(
            message.role,
            tuple(Piece(one.layer, one.id, one.lead + one.text) for one in segments),
            sum(tokens),
            tuple(call.name for one in segments for call in one.tool_calls),
            sum(len(one.images) for one in segments),
            tokens,
        )
    ]


def _cost(segment: Segment, costs: Costs) -> int:
    left = costs.get((segment.layer, segment.id))
    return left.popleft() if left else 0


Json = dict[str, Any]


def neutral_messages(messages: Sequence[WireMessage]) -> list[Json]:
    """Exactly what goes to the provider; merged tool results become one message each."""
    return [row for message in messages for row in _neutral_rows(message)]


def _neutral_rows(message: WireMessage) -> list[Json]:
    if message.role == "tool":
        return [_tool_row(segment) for segment in message.segments]
    row: Json = {"id": message.id, "role": message.role, "content": _content(message)}
    calls = [call for segment in message.segments for call in segment.tool_calls]
    if calls:
        row["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in calls]
    return [row]


def _tool_row(segment: Segment) -> Json:
    return {"id": segment.id, "role": "tool", "content": segment.text, "tool_call_id": segment.tool_call_id}


def _content(message: WireMessage) -> str | list[Json]:
    if not any(segment.images for segment in message.segments):
        return message.content
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "digest": part.digest, "tokens": part.tokens}
        for part in request_message(message, ()).parts
    ]
