"""Ids for tool calls that came without one: the same answer to the same request gets the same ids."""

from __future__ import annotations

from workbench.domain.message import ToolCall
from workbench.domain.request import ModelRequest
from workbench.domain.text import digest_text


def with_own_ids(calls: list[ToolCall], request: ModelRequest) -> list[ToolCall]:
    """The calls, each with an id that no other one of the request has."""
    taken = {call.id for message in request.messages for call in message.tool_calls}
    given: list[ToolCall] = []
    for number, call in enumerate(calls):
        usable = call.id and call.id not in taken
        made = call if usable else ToolCall(_id(call, number, request), call.name, call.arguments)
        taken.add(made.id)
        given.append(made)
    return given


def _id(call: ToolCall, number: int, request: ModelRequest) -> str:
    place = f"{request.conversation}\n{len(request.messages)}\n{number}\n{call.name}\n{call.arguments}"
    return f"call_{digest_text(place)[:24]}"
