"""From an envelope to the request an adapter gets: the same bytes, and where a provider's cache may keep them."""

from __future__ import annotations

from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Thought
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.domain.segment import Segment


def model_request(built: Built) -> ModelRequest:
    """The request as the envelope has it; parameters, pictures and waiting times are the caller's to add."""
    inputs, envelope = built.inputs, built.envelope
    reserved, most = envelope.budget.reserved_output_tokens, inputs.model.max_output_tokens
    return ModelRequest(
        model=inputs.settings.model,
        conversation=inputs.conversation,
        messages=request_messages(built),
        window_tokens=envelope.budget.context_window_tokens,
        tools=inputs.settings.tools,
        max_output_tokens=(reserved if most is None else min(reserved, most)) or None,
    )


def request_messages(built: Built) -> tuple[RequestMessage, ...]:
    """Every message of the envelope, merged tool results as one message each, in wire order."""
    thoughts = {message.id: message.thinking for message in built.inputs.rounds}
    wire = built.envelope.messages
    ends = _stable_ends(wire)
    return tuple(
        row
        for place, message in enumerate(wire)
        for row in _rows(message, thoughts.get(message.id, ()), place in ends)
    )


def _stable_ends(wire: tuple[WireMessage, ...]) -> set[int]:
    """Places of the messages after which the next request is likely to be the same up to here.

    The last message of history, because this turn's own context leaves the question when it becomes history; and the
    last message of all, which the next round of a tool loop goes on from.
    """
    history = [place for place, m in enumerate(wire) if any(s.layer == "L4_STRIP" for s in m.segments)]
    return {*history[-1:], len(wire) - 1}


def _rows(message: WireMessage, thinking: tuple[Thought, ...], stable: bool) -> list[RequestMessage]:
    if message.role == "tool":
        rows = [_result(segment) for segment in message.segments]
        return [*rows[:-1], _marked(rows[-1])] if stable else rows
    text = message.content
    row = RequestMessage(
        id=message.id,
        role=message.role,
        text=text,
        images=tuple(image for segment in message.segments for image in segment.images),
        tool_calls=tuple(call for segment in message.segments for call in segment.tool_calls),
        thinking=thinking,
        cache_marks=_layer_ends(message.segments) if message.role == "system" else (),
    )
    return [_marked(row) if stable else row]


def _result(segment: Segment) -> RequestMessage:
    return RequestMessage(segment.id, "tool", segment.text, tool_call_id=segment.tool_call_id)


def _marked(row: RequestMessage) -> RequestMessage:
    marks = dict.fromkeys((*row.cache_marks, len(row.text)))
    return RequestMessage(
        row.id, row.role, row.text, row.images, row.tool_calls, row.tool_call_id, row.thinking,
        tuple(mark for mark in marks if mark),
    )  # fmt: skip


def _layer_ends(segments: tuple[Segment, ...]) -> tuple[int, ...]:
    """Where L1 ends and where L2 ends, in characters."""
    ends: dict[str, int] = {}
    at = 0
    for segment in segments:
        at += len(segment.lead) + len(segment.text)
        ends[segment.layer] = at
    return tuple(dict.fromkeys(end for end in ends.values() if end))
