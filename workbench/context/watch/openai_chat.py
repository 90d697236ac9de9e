"""Parses the chat completions API of OpenAI and compatible servers: requests, answers and streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.context.watch.documents import Folded
from workbench.context.watch.pieces import Pieces, Place, arguments_of, mark_in, picture_at
from workbench.domain.message import Role
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.translation import tr
from workbench.domain.usage import merged, openai_usage

READ = frozenset({"model", "tools", "functions", "messages", "prompt"})
"""Fields that become pieces; the others are parameters."""

_ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool",
    "function": "tool",
}  # fmt: skip
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def read_request(body: Mapping[str, Any], into: Pieces) -> None:
    """Read tools first, as servers write them, then the messages."""
    for n, tool in enumerate(tables_in(body, "tools")):
        function = table_in(tool, "function") or table_in(tool, "custom")
        into.add_tool(f"tools[{n}]", text_in(function, "name") or text_in(tool, "type"), tool)
    for n, function in enumerate(tables_in(body, "functions")):
        into.add_tool(f"functions[{n}]", text_in(function, "name"), function)
    into.add_each("messages", tables_in(body, "messages"), read_message)
    _content(body.get("prompt"), Place("prompt", "user", 0), into)


def read_message(message: Mapping[str, Any], path: str, number: int, into: Pieces) -> None:
    """Read one message: its reasoning, text and calls."""
    said = text_in(message, "role")
    if said not in _ROLES:
        into.odd.append(
            tr("{path} has the role “{said}”, which is read as the user's.", path=path, said=said[:40])
        )
    place = Place(path, _ROLES.get(said, "user"), number)
    for field in _THOUGHTS:
        if thought := text_in(message, field):
            into.add(place.at(f".{field}"), "thought", thought)
    if place.role == "tool":
        _result(message, place.at(".content"), into)
    else:
        _content(message.get("content"), place.at(".content"), into)
    if refusal := text_in(message, "refusal"):
        into.add_text(place.at(".refusal"), refusal)
    _calls(message, place, into)


def _result(message: Mapping[str, Any], place: Place, into: Pieces) -> None:
    """Read a tool's result; its texts become one piece."""
    content = message.get("content")
    parts = tables_in(message, "content")
    text = content if isinstance(content, str) else "\n".join(text_in(part, "text") for part in parts)
    marks = [mark for mark in map(mark_in, (message, *parts)) if mark]
    name, call = text_in(message, "name") or text_in(message, "tool_name"), text_in(message, "tool_call_id")
    into.add(place, "result", text, call=call, name=name, mark=marks[-1] if marks else "")


def _content(content: object, place: Place, into: Pieces) -> None:
    if isinstance(content, str) and content:
        into.add_text(place, content)
    for n, part in enumerate(content if isinstance(content, list) else ()):
        read_part(part, place.at(f"[{n}]"), into)


def read_part(part: object, place: Place, into: Pieces) -> None:
    """Read one part of a message's content."""
    if isinstance(part, str):
        into.add_text(place, part)
        return
    if not isinstance(part, dict):
        into.add_unknown(place, part)
        return
    mark = mark_in(part)
    match text_in(part, "type"):
        case "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text":
            into.add_text(place.at(".text"), text_in(part, "text"), mark)
        case "refusal":
            into.add_text(place.at(".refusal"), text_in(part, "refusal"), mark)
        case "image_url" | "input_image":
            address = part.get("image_url")
            url = address if isinstance(address, str) else text_in(table_in(part, "image_url"), "url")
            shown, image = picture_at(url or text_in(part, "file_id"))
            into.add(place, "picture", shown, image=image, mark=mark)
        case _:
            into.add_unknown(place, part)


def _calls(message: Mapping[str, Any], place: Place, into: Pieces) -> None:
    for n, call in enumerate(tables_in(message, "tool_calls")):
        function = table_in(call, "function") or table_in(call, "custom")
        arguments = function.get("arguments", function.get("input"))
        into.add(
            place.at(f".tool_calls[{n}].function.arguments"), "call", arguments_of(arguments),
            name=text_in(function, "name"), call=text_in(call, "id"),
        )  # fmt: skip
    if function := table_in(message, "function_call"):
        given = arguments_of(function.get("arguments"))
        into.add(place.at(".function_call.arguments"), "call", given, name=text_in(function, "name"))


# Answers.


def fold(chunks: Iterable[Mapping[str, Any]]) -> Folded:
    """Fold a stream's chunks, or a whole answer, into one message."""
    folded, message = Folded(), _Message()
    for chunk in chunks:
        if chunk.get("error"):
            folded.say_error(chunk)
        folded.id = folded.id or text_in(chunk, "id")
        usage = openai_usage(chunk)
        folded.usage = folded.usage if usage is None else merged(folded.usage, usage)
        for choice in tables_in(chunk, "choices")[:1]:
            message.take(table_in(choice, "message") or table_in(choice, "delta"))
            message.take({"content": choice.get("text")})
            folded.finish_reason = text_in(choice, "finish_reason") or folded.finish_reason
            folded.ended = bool(folded.finish_reason)
    read_message(message.whole(), "choices[0].message", 0, folded.pieces)
    return folded


class _Message:
    """A message while it streams."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._calls: list[dict[str, Any]] = []

    def take(self, delta: Mapping[str, Any]) -> None:
        for field in ("content", "refusal", *_THOUGHTS):
            if text := text_in(delta, field):
                self._texts[field] = self._texts.get(field, "") + text
        for piece in tables_in(delta, "tool_calls"):
            self._call(piece)

    def whole(self) -> dict[str, Any]:
        calls = [{"id": one["id"], "function": one} for one in self._calls]
        return {"role": "assistant", **self._texts, "tool_calls": calls}

    def _call(self, piece: Mapping[str, Any]) -> None:
        """Append a fragment to the call of its index; some servers give every call the same index and another id."""
        index, called = count_in(piece, "index"), text_in(piece, "id")
        function = table_in(piece, "function") or table_in(piece, "custom")
        known = [one for one in self._calls if index is not None and one["index"] == index]
        if known and (not called or not known[-1]["id"] or known[-1]["id"] == called):
            call = known[-1]
        else:
            call = {"index": index, "id": called, "name": "", "arguments": ""}
            self._calls.append(call)
        call["id"] = call["id"] or called
        call["name"] = call["name"] or text_in(function, "name")
        given = function.get("arguments", function.get("input"))
        call["arguments"] += "" if given is None else arguments_of(given)
