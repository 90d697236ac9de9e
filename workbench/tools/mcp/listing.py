"""What a server says it has, as values: made harmless, within limits, and said where something was left out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workbench.domain.mcp import McpArgument, McpPrompt, McpResource, McpTool, called
from workbench.domain.text import harmless
from workbench.tools.mcp.limits import McpLimits

if TYPE_CHECKING:
    from mcp import types

_LONGEST_NAME = 128
_LONGEST_LABEL = 500
_LONGEST_URI = 2000
_CUT = " […]"


class Unusable(Exception):
    """Something of a server that is left out, and why."""


class Listed:
    """Makes values of what the library understood; `left_out` says what is not among them."""

    def __init__(self, server: str, limits: McpLimits) -> None:
        self._server, self._limits = server, limits
        self.left_out: list[str] = []

    def tools(self, found: Iterable[types.Tool]) -> tuple[McpTool, ...]:
        """Its tools, each once, by name: the order a server gives them in may change, and would cost the cache."""
        made: dict[str, McpTool] = {}
        for one in found:
            try:
                tool = self._tool(one)
            except Unusable as why:
                self.left_out.append(f"{_label(one.name, 80)}: {why}")
                continue
            if made.setdefault(tool.name, tool) is not tool:
                self.left_out.append(f"{tool.name}: there are two of this name; only the first is used")
        return tuple(made[name] for name in self._within("tools", sorted(made), self._limits.tools))

    def resources(self, found: Iterable[types.Resource]) -> tuple[McpResource, ...]:
        """What it would give to read."""
        made = [
            McpResource(
                one.uri,
                _label(one.title or one.name),
                _label(one.description or ""),
                _label(one.mime_type or "", 100),
                one.size,
            )
            for one in found
            if len(one.uri) <= _LONGEST_URI and one.uri.isprintable()
        ]
        return tuple(self._within("resources", made, self._limits.resources))

    def prompts(self, found: Iterable[types.Prompt]) -> tuple[McpPrompt, ...]:
        """The prompts it would write."""
        made = [
            McpPrompt(
                one.name,
                _label(one.description or one.title or ""),
                tuple(
                    McpArgument(asked.name, _label(asked.description or ""), bool(asked.required))
                    for asked in one.arguments or ()
                    if _is_name(asked.name)
                ),
            )
            for one in found
            if _is_name(one.name)
        ]
        return tuple(self._within("prompts", made, self._limits.prompts))

    def _within(self, what: str, made: list[Any], most: int) -> list[Any]:
        if len(made) > most:
            self.left_out.append(f"{len(made) - most:,} more {what} than the {most:,} that are used")
        return made[:most]

    def _tool(self, one: types.Tool) -> McpTool:
        if not _is_name(one.name):
            raise Unusable("its name is empty, too long, or holds characters that are not seen")
        description = harmless(one.description or one.title or "").strip()
        if len(description) > self._limits.description_chars:
            description = description[: self._limits.description_chars - len(_CUT)] + _CUT
        schema = _harmless_schema(one.input_schema, self._limits.schema_depth)
        compact = json.dumps(schema, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if len(compact) > self._limits.schema_chars:
            raise Unusable(
                f"what it asks for takes more than {self._limits.schema_chars:,} characters to say"
            )
        hints = one.annotations
        read_only = hints is not None and bool(hints.read_only_hint)
        return McpTool(one.name, called(self._server, one.name), description, compact, read_only)


def _harmless_schema(value: Any, depth: int) -> Any:
    """A schema in which no text acts unseen."""
    if depth == 0:
        raise Unusable("what it asks for is nested too deep")
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, dict):
        return {harmless(str(name)): _harmless_schema(inner, depth - 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_harmless_schema(inner, depth - 1) for inner in value]
    return value


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and harmless(text) == text and text.isprintable()


def _label(text: str, longest: int = _LONGEST_LABEL) -> str:
    """Foreign words in one line."""
    line = " ".join(harmless(text[: longest * 2]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
