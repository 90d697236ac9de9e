"""Converts an envelope to the request that an adapter gets: the same bytes, each owned by a segment."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Thought
from workbench.domain.request import ModelRequest, PayloadMessage, Piece, RequestMessage
from workbench.domain.segment import LayerName, Segment
from workbench.domain.spending import Expected
from workbench.domain.turn import BEGINNING

_LOOK_BACK_BLOCKS = 20
"""How many blocks before a mark Anthropic searches for an older one (November 2026); others search no fewer."""


def model_request(built: Built) -> ModelRequest:
    """The request of an envelope, without free parameters, picture bytes and timeouts, which the caller adds."""
    inputs, envelope = built.inputs, built.envelope
    reserved, most = envelope.budget.reserved_output_tokens, inputs.model.max_output_tokens
    return ModelRequest(
        model=inputs.settings.model,
        conversation=inputs.conversation,
        messages=request_messages(built),
        window_tokens=envelope.budget.context_window_tokens,
        tools=inputs.settings.tools,
        max_output_tokens=(reserved if most is None else min(reserved, most)) or None,
        chosen=inputs.model.parameters.taken(inputs.settings.parameters),
        cache_rules=inputs.model.cache_rules or "",
        expected=Expected(inputs.model, envelope.total_tokens, envelope.exact),
    )


def request_messages(built: Built) -> tuple[RequestMessage, ...]:
    """Every message of the envelope in wire order, with merged tool results as one message each."""
    thoughts = {message.id: message.thinking for message in built.inputs.rounds}
    wire = built.envelope.messages
    ends = _stable_ends(wire)
    ends |= _stepping_stones(wire, ends, thoughts)
    return tuple(
        row
        for place, message in enumerate(wire)
        for row in _rows(message, thoughts.get(message.id, ()), place in ends)
    )


def last_row(built: Built) -> RequestMessage | None:
    """The last of `request_messages`, where it is the question being typed."""
    if not built.envelope.messages or built.envelope.messages[-1].role != "user":
        return None
    return _marked(request_message(built.envelope.messages[-1], ()))


def _stable_ends(wire: tuple[WireMessage, ...]) -> set[int]:
    """Indices of the messages up to which the next request is likely to be the same.

    The last message of history, because this turn's own context leaves the question when it becomes history; and the
    last message of all, which the next round of a tool loop extends: not the beginning of an answer, which grows.
    """
    places = range(len(wire) - 1, -1, -1)
    begun = bool(wire) and any(s.kind == BEGINNING for s in wire[-1].segments)
    last = len(wire) - 1 - begun
    history = next((n for n in places if any(s.layer == "L4_STRIP" for s in wire[n].segments)), last)
    return {history, last}


def _stepping_stones(
    wire: tuple[WireMessage, ...], ends: set[int], thoughts: Mapping[str, tuple[Thought, ...]]
) -> set[int]:
    """Where the previous request wrote to the cache, if that is too many blocks before the next mark to be found.

    In a tool loop that is the end of the previous round; else the end of the previous turn's history, since its
    question was followed by all tool rounds.
    """
    said = range(len(wire) - 1, -1, -1)
    looping = bool(wire) and wire[-1].role == "tool"
    before = next(
        (
            place - 1
            for place in said
            if (wire[place].role == "assistant" if looping else _is_past_question(wire[place]))
        ),
        0,
    )
    if before < 1 or before in ends:
        return set()
    after = min(end for end in ends if end > before)
    between = sum(_blocks(one, thoughts.get(one.id, ())) for one in wire[before + 1 : after + 1])
    return {before} if between >= _LOOK_BACK_BLOCKS else set()


def _is_past_question(message: WireMessage) -> bool:
    return message.role == "user" and any(one.layer == "L4_STRIP" for one in message.segments)


def _blocks(message: WireMessage, thinking: tuple[Thought, ...]) -> int:
    """The number of content blocks of a message, as providers count them."""
    if message.role == "tool":
        return len(message.segments)
    beside = sum(len(one.tool_calls) + len(one.images) for one in message.segments)
    return bool(message.content.strip()) + beside + len(thinking)


def _rows(message: WireMessage, thinking: tuple[Thought, ...], stable: bool) -> list[RequestMessage]:
    if message.role == "tool":
        rows = [_result(segment) for segment in message.segments]
        return [*rows[:-1], _marked(rows[-1])] if stable else rows
    row = request_message(message, thinking)
    return [_marked(row) if stable else row]


def request_message(message: WireMessage, thinking: tuple[Thought, ...]) -> RequestMessage:
    """One message that is not a tool result, without marks."""
    return RequestMessage(
        id=message.id,
        role=message.role,
        text=message.content,
        images=tuple(image for segment in message.segments for image in segment.images),
        tool_calls=tuple(call for segment in message.segments for call in segment.tool_calls),
        thinking=thinking,
        cache_marks=_layer_ends(message.segments) if message.role == "system" else (),
        image_places=_image_places(message.segments),
    )


def _image_places(segments: tuple[Segment, ...]) -> tuple[int, ...]:
    """Offsets of a message's pictures in its text, within their own segments even after merging."""
    places: list[int] = []
    at = 0
    for segment in segments:
        start, at = at + len(segment.lead), at + len(segment.lead) + len(segment.text)
        within = segment.image_places or (len(segment.text),) * len(segment.images)
        # A text that was shortened since may be over before the place.
        places += [min(start + place, at) for place in within]
    return () if all(place == at for place in places) else tuple(places)


def _result(segment: Segment) -> RequestMessage:
    return RequestMessage(segment.id, "tool", segment.text, tool_call_id=segment.tool_call_id)


def _marked(row: RequestMessage) -> RequestMessage:
    marks = dict.fromkeys((*row.cache_marks, len(row.text)))
    return replace(row, cache_marks=tuple(mark for mark in marks if mark))


def _layer_ends(segments: tuple[Segment, ...]) -> tuple[int, ...]:
    """Offsets in characters at which System and Library end."""
    ends: dict[str, int] = {}
    at = 0
    for segment in segments:
        at += len(segment.lead) + len(segment.text)
        ends[segment.layer] = at
    return tuple(dict.fromkeys(end for end in ends.values() if end))


Costs = dict[tuple[LayerName, str], deque[int]]
"""What each segment costs, in its layer's order: in a log a layer has several copies of the same thing."""


def payload_messages(built: Built) -> tuple[PayloadMessage, ...]:
    """The messages of `request_messages` as pieces with tokens; joined, the pieces are a message's text."""
    envelope = built.envelope
    costs: Costs = {}
    for layer in envelope.layers:
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True):
            if segment.sent:
                costs.setdefault((segment.layer, segment.id), deque()).append(tokens)
    return tuple(row for message in envelope.messages for row in _payload_rows(message, costs))


def _payload_rows(message: WireMessage, costs: Costs) -> list[PayloadMessage]:
    """A message as payload rows: merged tool results as one message each, without separators."""
    if message.role == "tool" or message.is_one_text:
        return [
            PayloadMessage(message.role, (Piece(one.layer, one.id, one.text),), cost, piece_tokens=(cost,))
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
    """Exactly what the provider gets, in neutral form, with merged tool results as one message each."""
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


def parameters_report(built: Built) -> Json:
    """The parameters that are sent, and those that are set but not sent, with reasons; only those that exist."""
    given, rules = built.inputs.settings.parameters, built.inputs.model.parameters
    told = {
        "parameters": rules.taken(given).given,
        "parameters_not_sent": [asdict(one) for one in rules.unsent(given)],
    }
    return {name: value for name, value in told.items() if value}
