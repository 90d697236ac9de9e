"""Parses Gemini's generateContent API: requests, answers and streams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.context.watch.documents import Folded
from workbench.context.watch.pieces import Pieces, Place, arguments_of, compact, picture_at, picture_of
from workbench.domain.message import Role
from workbench.domain.reading.loose_json import table_in, tables_in, text_in
from workbench.domain.translation import tr
from workbench.domain.usage import gemini_usage

READ = frozenset({"tools", "systemInstruction", "system_instruction", "contents"})
"""Fields that become pieces; the others are parameters."""

_MODEL = re.compile(r"/models/([^/:?]+):")
_ROLES: dict[str, Role] = {
    "user": "user",
    "model": "assistant",
    "function": "tool",
    "system": "system",
    "": "user",
}


def model_in(path: str) -> str:
    """The model in an address."""
    found = _MODEL.search(path)
    return found[1] if found else ""


def read_request(body: Mapping[str, Any], into: Pieces) -> None:
    """Read tools, the system instruction, then the contents."""
    for n, tool in enumerate(tables_in(body, "tools")):
        declared = [
            (f"tools[{n}].{field}[{m}]", one)
            for field in ("functionDeclarations", "function_declarations")
            for m, one in enumerate(tables_in(tool, field))
        ]
        for path, function in declared:
            into.add_tool(path, text_in(function, "name"), function)
        if not declared:
            into.add_tool(f"tools[{n}]", next(iter(tool), ""), tool)
    for field in ("systemInstruction", "system_instruction"):
        _parts(table_in(body, field), Place(field, "system"), into)
    into.add_each("contents", tables_in(body, "contents"), _content)


def _content(content: Mapping[str, Any], path: str, number: int, into: Pieces) -> None:
    role = text_in(content, "role")
    if role not in _ROLES:
        into.odd.append(
            tr("{path} has the role “{role}”, which is read as the user's.", path=path, role=role[:40])
        )
    _parts(content, Place(path, _ROLES.get(role, "user"), number), into)


def _parts(content: Mapping[str, Any], place: Place, into: Pieces) -> None:
    for n, part in enumerate(tables_in(content, "parts")):
        _part(part, place.at(f".parts[{n}]"), into)


def _part(part: Mapping[str, Any], place: Place, into: Pieces) -> None:
    call = table_in(part, "functionCall") or table_in(part, "function_call")
    result = table_in(part, "functionResponse") or table_in(part, "function_response")
    inline = table_in(part, "inlineData") or table_in(part, "inline_data")
    text = text_in(part, "text")
    if part.get("thought") is True:
        into.add(place.at(".text"), "thought", text)
    elif call:
        name, given = text_in(call, "name"), arguments_of(call.get("args"))
        into.add(place.at(".functionCall.args"), "call", given, name=name, call=_call_id(call))
    elif result:
        answer = compact(result.get("response"))
        place = place._replace(role="tool").at(".functionResponse.response")
        into.add(place, "result", answer, name=text_in(result, "name"), call=_call_id(result))
    elif inline:
        into.add(place.at(".inlineData"), "picture", "", image=picture_of(text_in(inline, "data")))
    elif filed := table_in(part, "fileData") or table_in(part, "file_data"):
        shown, image = picture_at(text_in(filed, "fileUri") or text_in(filed, "file_uri"))
        into.add(place.at(".fileData"), "picture", shown, image=image)
    elif text or "text" in part:
        into.add_text(place.at(".text"), text)
    elif "thoughtSignature" not in part:
        into.add_unknown(place, part)


def _call_id(part: Mapping[str, Any]) -> str:
    """The id that links a call and its result, else the function's name."""
    return text_in(part, "id") or text_in(part, "name")


# Answers.


def fold(chunks: Iterable[Mapping[str, Any]]) -> Folded:
    """Fold a stream's chunks, or a whole answer, into one content; adjacent texts are joined."""
    folded = Folded()
    parts: list[dict[str, Any]] = []
    for chunk in chunks:
        if chunk.get("error"):
            folded.say_error(chunk)
        folded.id = text_in(chunk, "responseId") or folded.id
        folded.usage = gemini_usage(chunk, zeros_unsaid=True) or folded.usage
        blocked = text_in(table_in(chunk, "promptFeedback"), "blockReason")
        for candidate in tables_in(chunk, "candidates")[:1]:
            for part in tables_in(table_in(candidate, "content"), "parts"):
                _grow(parts, dict(part))
            blocked = text_in(candidate, "finishReason") or blocked
        folded.finish_reason = blocked or folded.finish_reason
        folded.ended = bool(folded.finish_reason)
    _parts({"parts": parts}, Place("candidates[0].content", "assistant", 0), folded.pieces)
    return folded


def _grow(parts: list[dict[str, Any]], part: dict[str, Any]) -> None:
    last = parts[-1] if parts else {}
    alike = last.get("thought") == part.get("thought")
    if alike and isinstance(last.get("text"), str) and isinstance(part.get("text"), str):
        last["text"] += part["text"]
    else:
        parts.append(part)
