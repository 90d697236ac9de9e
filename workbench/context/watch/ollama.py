"""Parses Ollama's chat and generate APIs: requests, answers and streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.context.watch.documents import Folded
from workbench.context.watch.openai_chat import read_message as read_chat_message
from workbench.context.watch.pieces import Pieces, Place, arguments_of, picture_of
from workbench.domain.reading.loose_json import table_in, tables_in, text_in
from workbench.domain.usage import ollama_usage

READ = frozenset({"model", "tools", "messages", "system", "prompt", "suffix", "images", "context"})
"""Fields that become pieces; the others are parameters."""


def read_request(body: Mapping[str, Any], into: Pieces) -> None:
    """Read tools, the system prompt, then messages or the one prompt."""
    for n, tool in enumerate(tables_in(body, "tools")):
        into.add_tool(f"tools[{n}]", text_in(table_in(tool, "function"), "name"), tool)
    if system := text_in(body, "system"):
        into.add(Place("system", "system"), "system", system)
    into.add_each("messages", tables_in(body, "messages"), _message)
    if earlier := body.get("context"):
        into.add_unknown(Place("context", "user", -1), earlier)
    for field in ("prompt", "suffix"):
        if text := text_in(body, field):
            into.add_text(Place(field, "user", 0), text)
    _pictures(body, Place("images", "user", 0), into)


def is_question(body: Mapping[str, Any]) -> bool:
    """Whether a question is asked; otherwise a model is only loaded or unloaded."""
    return bool(tables_in(body, "messages") or text_in(body, "prompt"))


def _message(message: Mapping[str, Any], path: str, number: int, into: Pieces) -> None:
    read_chat_message(message, path, number, into)
    _pictures(message, Place(f"{path}.images", "user", number), into)


def _pictures(where: Mapping[str, Any], place: Place, into: Pieces) -> None:
    images = where.get("images")
    for n, encoded in enumerate(images if isinstance(images, list) else ()):
        if isinstance(encoded, str):
            into.add(place.at(f"[{n}]"), "picture", "", image=picture_of(encoded))


# Answers.


def fold(lines: Iterable[Mapping[str, Any]]) -> Folded:
    """Fold a stream's lines, or a whole answer, into one message."""
    folded, texts = Folded(), {"thinking": "", "content": ""}
    calls: list[dict[str, Any]] = []
    for line in lines:
        if line.get("error"):
            folded.say_error(line)
        message = table_in(line, "message")
        texts["thinking"] += text_in(message, "thinking") or text_in(line, "thinking")
        texts["content"] += text_in(message, "content") or text_in(line, "response")
        calls += [_call(call) for call in tables_in(message, "tool_calls")]
        folded.usage = ollama_usage(line) or folded.usage
        if line.get("done") is True:
            folded.ended, folded.finish_reason = True, text_in(line, "done_reason")
    read_chat_message({"role": "assistant", **texts, "tool_calls": calls}, "message", 0, folded.pieces)
    return folded


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = table_in(call, "function")
    given = arguments_of(function.get("arguments"))
    return {"id": text_in(call, "id"), "function": {"name": text_in(function, "name"), "arguments": given}}
