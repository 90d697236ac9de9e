"""Messages in the neutral form of the trajectory contract, which adapters turn into their provider's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.context.outgoing import request_message
from workbench.domain.envelope import WireMessage
from workbench.domain.segment import Segment

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
