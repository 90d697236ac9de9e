"""Parses Anthropic's Messages API: requests, answers and streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.context.watch.documents import Folded
from workbench.context.watch.pieces import (
    Pieces,
    Place,
    arguments_of,
    compact,
    mark_in,
    picture_at,
    picture_of,
)
from workbench.domain.message import Role
from workbench.domain.reading.loose_json import count_in, parsed, table_in, tables_in, text_in
from workbench.domain.translation import tr
from workbench.domain.usage import anthropic_usage

READ = frozenset({"model", "tools", "system", "messages", "cache_control"})
"""Fields that become pieces; the others are parameters."""

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


def read_request(body: Mapping[str, Any], into: Pieces) -> None:
    """Read tools, then the system prompt, then the messages: the order in which they are cached."""
    for n, tool in enumerate(tables_in(body, "tools")):
        into.add_tool(f"tools[{n}]", text_in(tool, "name") or text_in(tool, "type"), tool)
    _content(body.get("system"), Place("system", "system"), into)
    into.add_each("messages", tables_in(body, "messages"), _message)
    into.mark_last(mark_in(body))


def _message(message: Mapping[str, Any], path: str, number: int, into: Pieces) -> None:
    said = text_in(message, "role")
    if said not in _ROLES:
        into.odd.append(
            tr("{path} has the role “{said}”, which is read as the user's.", path=path, said=said[:40])
        )
    _content(message.get("content"), Place(f"{path}.content", _ROLES.get(said, "user"), number), into)


def _content(content: object, place: Place, into: Pieces) -> None:
    """Read a text, or a list of blocks."""
    if isinstance(content, str) and content:
        into.add_text(place, content)
    for n, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            read_block(block, place.at(f"[{n}]"), into)
        else:
            into.add_unknown(place.at(f"[{n}]"), block)


def read_block(block: Mapping[str, Any], place: Place, into: Pieces) -> None:
    """Read one block of a message."""
    mark = mark_in(block)
    match text_in(block, "type"):
        case "text":
            into.add_text(place.at(".text"), text_in(block, "text"), mark)
        case "thinking":
            into.add(place.at(".thinking"), "thought", text_in(block, "thinking"), mark=mark)
        case "redacted_thinking":
            into.add(place.at(".data"), "thought", text_in(block, "data"), mark=mark)
        case "tool_use" | "server_tool_use" | "mcp_tool_use":
            name, call = text_in(block, "name"), text_in(block, "id")
            given = arguments_of(block.get("input"))
            into.add(place.at(".input"), "call", given, name=name, call=call, mark=mark)
        case "image":
            _picture(block, place, into)
        case kind if kind.endswith("tool_result"):
            _result(block, place._replace(role="tool"), into)
        case _:
            into.add_unknown(place, {key: value for key, value in block.items() if key != "cache_control"})
            into.mark_last(mark)


def _picture(block: Mapping[str, Any], place: Place, into: Pieces) -> None:
    source = table_in(block, "source")
    if text_in(source, "type") == "base64":
        shown, image = "", picture_of(text_in(source, "data"))
    else:
        shown, image = picture_at(text_in(source, "url") or text_in(source, "file_id"))
    into.add(place, "picture", shown, image=image, mark=mark_in(block))


def _result(block: Mapping[str, Any], place: Place, into: Pieces) -> None:
    """Read a tool's result: its texts become one piece, its pictures others."""
    content, call = block.get("content"), text_in(block, "tool_use_id")
    parts = content if isinstance(content, list) else [] if content is None else [content]
    joined = "\n".join(text for text in map(_result_text, parts) if text)
    into.add(place.at(".content"), "result", joined, call=call, mark=mark_in(block))
    for n, part in enumerate(parts):
        if isinstance(part, dict) and text_in(part, "type") == "image":
            _picture(part, place.at(f".content[{n}]"), into)


def _result_text(part: object) -> str:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else compact(part)
    kind = text_in(part, "type")
    return text_in(part, "text") if kind == "text" else "" if kind == "image" else compact(part)


# Answers.


def fold(events: Iterable[Mapping[str, Any]]) -> Folded:
    """Fold a stream's events, or a whole answer, into one message."""
    stream = _Stream()
    for event in events:
        stream.take(event)
    return stream.whole()


class _Stream:
    """The blocks of an answer while it streams."""

    def __init__(self) -> None:
        self._folded = Folded()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._counts: dict[str, Any] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        place = count_in(event, "index") or 0
        match text_in(event, "type"):
            case "message":
                self._begin(event)
                self._folded.ended = True
            case "message_start":
                self._begin(table_in(event, "message"))
            case "content_block_start":
                self._blocks[place] = dict(table_in(event, "content_block"))
            case "content_block_delta" if place in self._blocks:
                _grow(self._blocks[place], table_in(event, "delta"))
            case "message_delta":
                self._count(table_in(event, "usage"))
                reason = text_in(table_in(event, "delta"), "stop_reason")
                self._folded.finish_reason = reason or self._folded.finish_reason
            case "message_stop":
                self._folded.ended = True
            case _ if "error" in event:
                self._folded.say_error(event)

    def whole(self) -> Folded:
        folded = self._folded
        for place in sorted(self._blocks):
            read_block(
                _with_parsed_arguments(self._blocks[place]),
                Place(f"content[{place}]", "assistant", 0),
                folded.pieces,
            )
        folded.usage = anthropic_usage(self._counts) or folded.usage
        return folded

    def _begin(self, message: Mapping[str, Any]) -> None:
        self._folded.id = text_in(message, "id")
        self._folded.finish_reason = text_in(message, "stop_reason")
        self._count(table_in(message, "usage"))
        self._blocks |= dict(enumerate(map(dict, tables_in(message, "content"))))

    def _count(self, counts: Mapping[str, Any]) -> None:
        """Update the usage: later counts are cumulative and may omit earlier fields."""
        self._counts |= {name: value for name, value in counts.items() if value is not None}


def _grow(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for field, kind in (("text", "text_delta"), ("thinking", "thinking_delta")):
        if text_in(delta, "type") == kind:
            block[field] = text_in(block, field) + text_in(delta, field)
    if text_in(delta, "type") == "input_json_delta":
        block["partial_json"] = text_in(block, "partial_json") + text_in(delta, "partial_json")


def _with_parsed_arguments(block: dict[str, Any]) -> dict[str, Any]:
    """The block with its arguments parsed; as text where the stream was cut within them."""
    partial = text_in(block, "partial_json")
    if not partial:
        return block
    value = parsed(partial)
    return {**block, "input": partial if value is None else value}
