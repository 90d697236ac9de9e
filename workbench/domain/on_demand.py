"""Tools on demand: the request lists them in a line each, and the model asks for a definition before it uses one.

Two definitions stand for all of them, so the start of the request stays the same whatever is asked for: a definition
comes as the result of a call, at the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from workbench.domain.message import ToolCall
from workbench.domain.reading.loose_json import parsed
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition

DESCRIBE, USE = "describe_tools", "use_tool"
NO_NAMES = "Name the tools in names, as an array."
_LINE_CHARS = 100
_HEAD = (
    "Returns the full definitions of tools. Only their names and a line about each are listed here; ask for the "
    "definition of a tool before you use it with use_tool for the first time."
)
_USE = ToolDefinition(
    USE,
    "Uses one of the tools that describe_tools lists, with arguments as its definition says.",
    '{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},'
    '"required":["name","arguments"]}',
)
_NAMES = (
    '{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}'
)


def as_sent(settings: ContextSettings) -> ContextSettings:
    """The settings as the request is built from them: tools on demand, where that is wanted and shorter."""
    if not settings.tools_on_demand or not settings.tools or settings.tools[-1] == _USE:
        return settings
    listed = (_describe(settings.tools), _USE)
    return replace(settings, tools=listed) if _length(listed) < _length(settings.tools) else settings


def called_tool(call: ToolCall) -> ToolCall:
    """The call of the tool itself, where it is called by `use_tool`; any other is returned as it is."""
    if call.name != USE:
        return call
    match parsed(call.arguments):
        case {"name": str(name), "arguments": dict(arguments)}:
            written = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
        case {"name": str(name), "arguments": str(written)}:
            pass  # some models write the object as a text
        case {"name": str(name), **others} if "arguments" not in others:
            written = json.dumps(others, ensure_ascii=False, separators=(",", ":"))
        case _:
            return call
    return replace(call, name=name, arguments=written)


def definitions_text(tools: Iterable[ToolDefinition], arguments: dict[str, Any]) -> str:
    """The result of `describe_tools`: a definition a line, and which of the names no tool has."""
    names = arguments.get("names", arguments.get("name", ()))
    listed = names if isinstance(names, list) else [names]  # models also write a name, or null
    wanted = [one for one in listed if isinstance(one, str)]
    known = {tool.name: tool for tool in tools}
    lines = [_definition(known[name]) for name in dict.fromkeys(wanted) if name in known]
    lines += [f"There is no tool {name!r}." for name in dict.fromkeys(wanted) if name not in known]
    return "\n".join(lines) or NO_NAMES


def _describe(tools: Sequence[ToolDefinition]) -> ToolDefinition:
    lines = "".join(f"\n- {tool.name}: {_first_sentence(tool.description)}" for tool in tools)
    return ToolDefinition(DESCRIBE, f"{_HEAD}{lines}", _NAMES)


def _first_sentence(text: str) -> str:
    sentence = re.split(r"(?<=[.!?。])\s|\n", text.strip(), maxsplit=1)[0]
    return sentence if len(sentence) <= _LINE_CHARS else f"{sentence[: _LINE_CHARS - 1].rstrip()}…"


def _definition(tool: ToolDefinition) -> str:
    head = json.dumps({"name": tool.name, "description": tool.description}, ensure_ascii=False)
    return f'{head[:-1]}, "arguments": {tool.schema_json}}}'


def _length(tools: Iterable[ToolDefinition]) -> int:
    return sum(len(tool.name) + len(tool.description) + len(tool.schema_json) for tool in tools)
