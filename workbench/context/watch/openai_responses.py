"""Parses OpenAI's Responses API: requests, answers and streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.context.watch.documents import Folded
from workbench.context.watch.openai_chat import read_part
from workbench.context.watch.pieces import Pieces, Place, arguments_of, compact
from workbench.domain.message import Role
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.translation import tr
from workbench.domain.usage import responses_usage

READ = frozenset({"model", "tools", "instructions", "input", "previous_response_id"})
"""Fields that become pieces; the others are parameters."""

_ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant",
}  # fmt: skip


def read_request(body: Mapping[str, Any], into: Pieces) -> None:
    """Read tools, instructions, then the items."""
    _tools(body, "tools", into)
    if instructions := text_in(body, "instructions"):
        into.add(Place("instructions", "system"), "system", instructions)
    given = body.get("input")
    if isinstance(given, str):
        into.add_text(Place("input", "user", 0), given)
    into.add_each("input", given if isinstance(given, list) else (), _read_input)


def _tools(holder: Mapping[str, Any], path: str, into: Pieces, server: str = "") -> None:
    """Read a list of tools; those of a namespace each by itself, a tool server's with its name before theirs."""
    for n, tool in enumerate(tables_in(holder, "tools")):
        name = text_in(tool, "name") or text_in(tool, "type")
        if text_in(tool, "type") == "namespace":
            _tools(tool, f"{path}[{n}].tools", into, _server(name))
        else:
            into.add_tool(f"{path}[{n}]", f"{server}{name}", tool)


def _server(namespace: str) -> str:
    return f"{namespace}__" if namespace.startswith("mcp__") else ""


def _read_input(item: object, path: str, number: int, into: Pieces) -> None:
    place = Place(path, "user", number)
    if isinstance(item, dict):
        read_item(item, place, into)
    else:
        into.add_unknown(place, item)


def read_item(item: Mapping[str, Any], place: Place, into: Pieces) -> None:
    """Read one item: a message, reasoning, a call, or a result."""
    kind = text_in(item, "type") or "message"
    if kind == "message":
        _message(item, place, into)
    elif kind == "additional_tools":
        _tools(item, f"{place.path}.tools", into)
    elif kind == "reasoning":
        _thought(item, place._replace(role="assistant"), into)
    elif kind.endswith("_output"):
        _result(item, place._replace(role="tool"), into)
    elif kind.endswith("_call"):
        given = next((item[name] for name in ("arguments", "input", "action") if name in item), None)
        name, call = text_in(item, "name") or kind, text_in(item, "call_id") or text_in(item, "id")
        name = f"{_server(text_in(item, 'namespace'))}{name}"
        into.add(place._replace(role="assistant"), "call", arguments_of(given), name=name, call=call)
    else:
        into.add_unknown(place, item)


def _message(item: Mapping[str, Any], place: Place, into: Pieces) -> None:
    said = text_in(item, "role")
    if said not in _ROLES:
        into.odd.append(
            tr("{path} has the role “{said}”, which is read as the user's.", path=place.path, said=said[:40])
        )
    place = place._replace(role=_ROLES.get(said, "user")).at(".content")
    content = item.get("content")
    if isinstance(content, str):
        into.add_text(place, content)
    for n, part in enumerate(content if isinstance(content, list) else ()):
        read_part(part, place.at(f"[{n}]"), into)


def _thought(item: Mapping[str, Any], place: Place, into: Pieces) -> None:
    """Read reasoning: its readable text, or the encrypted content where it is sealed."""
    parts = (*tables_in(item, "summary"), *tables_in(item, "content"))
    text = "\n\n".join(text_in(part, "text") for part in parts)
    into.add(place, "thought", text or text_in(item, "encrypted_content"))


def _result(item: Mapping[str, Any], place: Place, into: Pieces) -> None:
    output = item.get("output")
    parts = output if isinstance(output, list) else []
    texts = [text_in(part, "text") for part in parts if isinstance(part, dict) and "text" in part]
    text = output if isinstance(output, str) else "\n".join(texts) if parts else compact(output)
    into.add(place.at(".output"), "result", text, call=text_in(item, "call_id") or text_in(item, "id"))
    for n, part in enumerate(parts):
        if isinstance(part, dict) and text_in(part, "type") == "input_image":
            read_part(part, place.at(f".output[{n}]"), into)


# Answers.


def fold(events: Iterable[Mapping[str, Any]]) -> Folded:
    """Fold a stream's events, or a whole answer, into its items."""
    stream = _Stream()
    for event in events:
        stream.take(event)
    return stream.whole()


class _Stream:
    """The items of an answer while it streams: complete ones, or what has arrived of them."""

    def __init__(self) -> None:
        self._folded = Folded()
        self._items: dict[int, dict[str, Any]] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        place = count_in(event, "output_index") or 0
        match text_in(event, "type"):
            case "response.output_item.added" | "response.output_item.done":
                self._items[place] = dict(table_in(event, "item"))
            case "response.output_text.delta" | "response.refusal.delta" if place in self._items:
                self._grow(place, "content", {"type": "output_text", "text": text_in(event, "delta")})
            case "response.reasoning_summary_text.delta" if place in self._items:
                self._grow(place, "summary", {"type": "summary_text", "text": text_in(event, "delta")})
            case "response.function_call_arguments.delta" if place in self._items:
                item = self._items[place]
                item["arguments"] = text_in(item, "arguments") + text_in(event, "delta")
            case "response.created" | "response.in_progress":
                self._folded.id = text_in(table_in(event, "response"), "id")
            case kind if kind.startswith("response.") and "response" in event:
                self._end(table_in(event, "response"))
            case "" if "output" in event:
                self._end(event)
            case "error" | "" if "error" in event or "message" in event:
                self._folded.say_error(event)

    def whole(self) -> Folded:
        for place in sorted(self._items):
            read_item(self._items[place], Place(f"output[{place}]", "assistant", 0), self._folded.pieces)
        return self._folded

    def _grow(self, place: int, field: str, part: dict[str, Any]) -> None:
        item = self._items[place]
        before = tables_in(item, field)
        if before and text_in(before[-1], "type") == part["type"]:
            part = {**part, "text": text_in(before[-1], "text") + part["text"]}
            before = before[:-1]
        item[field] = [*before, part]

    def _end(self, response: Mapping[str, Any]) -> None:
        """Reads the last event of a stream, which repeats the whole answer."""
        folded = self._folded
        folded.ended, folded.id = True, text_in(response, "id") or folded.id
        folded.usage = responses_usage(response) or folded.usage
        why = text_in(table_in(response, "incomplete_details"), "reason")
        folded.finish_reason = why or text_in(response, "status")
        if items := tables_in(response, "output"):
            self._items = dict(enumerate(map(dict, items)))
        if response.get("error"):
            folded.say_error(response)
