"""A watched request as a trajectory: `replay` builds it again, with the same texts, tools and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from workbench.context.watch.documents import parsed
from workbench.context.watch.exports import provider_of_format
from workbench.domain.reading.loose_json import table_in, text_in
from workbench.domain.watch.request import WatchedPiece, WatchedTurn

FORMAT = "workbench-trajectory/1"
_SCHEMAS = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")


def as_trajectory(turn: WatchedTurn) -> dict[str, Any]:
    """One request with what was said before it, and its answer where it ends with a question."""
    pieces = turn.request.pieces
    talk = [one for one in pieces if one.layer != "L1_SYSTEM"]
    system = [one.text for one in pieces if one.layer == "L1_SYSTEM" and one.kind != "tool"]
    settings = {
        "model": f"{provider_of_format(turn.request.format)}:{turn.request.model}",
        "system_prompt": "\n\n".join(system),
        "tools": [_tool(one) for one in pieces if one.kind == "tool"],
        "history": {"threshold": None},
    }
    messages = _messages(talk)
    document: dict[str, Any] = {"format": FORMAT, "settings": settings}
    if messages and _is_question(messages[-1]):
        *before, asked = messages
        reply = _messages([one for one in turn.answer.pieces if one.kind != "thought"])
        return {**document, "history": before, "turns": [{"user": asked["content"], "reply": _sound(reply)}]}
    return {**document, "history": messages, "turns": [{}]}


def _is_question(message: dict[str, Any]) -> bool:
    return message["role"] == "user" and isinstance(message["content"], str)


def _tool(piece: WatchedPiece) -> dict[str, Any]:
    given = parsed(piece.text)
    outer: Mapping[str, Any] = given if isinstance(given, dict) else {}
    tool = table_in(outer, "function") or outer
    rest = {name: value for name, value in tool.items() if name not in ("name", "description", "type")}
    schema = next((found for name in _SCHEMAS if (found := table_in(tool, name))), rest)
    return {"name": piece.name, "description": text_in(tool, "description"), "input_schema": schema}


def _messages(pieces: Sequence[WatchedPiece]) -> list[dict[str, Any]]:
    """Messages in neutral form; several results of one message are several messages."""
    found: list[dict[str, Any]] = []
    spoken = [one for one in pieces if one.kind != "thought"]
    for (role, _), some in groupby(spoken, key=lambda one: (one.role, one.message)):
        parts = list(some)
        if role == "tool":
            found += [_result(one) for one in parts if one.kind == "result"]
        else:
            found.append(_message(role, parts))
    return found


def _message(role: str, parts: Sequence[WatchedPiece]) -> dict[str, Any]:
    texts = [one.text for one in parts if one.kind not in ("call", "picture")]
    images = [(one.image.digest, one.tokens) for one in parts if one.image is not None]
    calls = [
        {"id": _called(one), "name": one.name, "arguments": one.text} for one in parts if one.kind == "call"
    ]
    content: Any = "\n\n".join(texts)
    if images:
        shown = [{"type": "image", "digest": digest, "tokens": tokens} for digest, tokens in images]
        content = [*({"type": "text", "text": text} for text in texts), *shown]
    message: dict[str, Any] = {"role": role, "content": content}
    return {**message, "tool_calls": calls} if calls else message


def _result(piece: WatchedPiece) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": _called(piece), "content": piece.text}


def _called(piece: WatchedPiece) -> str:
    """What ties a call and its result, where a server gives no ids."""
    return piece.call or piece.name or "call"


def _sound(reply: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """An answer in one message, as a reply is: words and calls."""
    return [one for one in reply if one["role"] == "assistant"]
