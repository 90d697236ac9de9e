"""What a server offers, as values: sanitised, within limits, and with a note where something was left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sized
from typing import TYPE_CHECKING, Any

from workbench.domain.mcp_server import McpArgument, McpListing, McpPrompt, McpResource, McpTool, called
from workbench.domain.text import harmless
from workbench.domain.translation import tr
from workbench.tools.mcp.limits import McpLimits

if TYPE_CHECKING:
    from mcp import types

_LONGEST_NAME = 128
_LONGEST_LABEL = 500
_LONGEST_URI = 2000
_MOST_NAMED, _MOST_ARGUMENTS = 50, 50
_CUT = " […]"


class Unusable(Exception):
    """Something a server offers that is left out, and why."""


class Listed:
    """Converts what a server lists to values, page by page, so that no page is held longer than needed."""

    def __init__(self, server: str, limits: McpLimits) -> None:
        self._server, self._limits = server, limits
        self._tools: dict[str, McpTool] = {}
        self._resources: dict[str, McpResource] = {}
        self._prompts: dict[str, McpPrompt] = {}
        self._left_out: list[str] = []
        self._too_many: Counter[str] = Counter()

    def listing(self) -> McpListing:
        """Returns everything so far; tools are sorted, since a changed order would cost the cache."""
        more = [
            tr("{number:,} more {what} than are used", number=number, what=what)
            for what, number in self._too_many.items()
        ]
        return McpListing(
            self._server,
            "connected",
            tools=tuple(self._tools[name] for name in sorted(self._tools)),
            resources=tuple(self._resources.values()),
            prompts=tuple(self._prompts.values()),
            left_out=(*self._left_out, *more),
        )

    def leave_out(self, why: str) -> None:
        """Notes that something is left out; only the first of many are named."""
        if len(self._left_out) < _MOST_NAMED:
            self._left_out.append(why)

    def add_tools(self, found: Iterable[types.Tool]) -> None:
        """Adds tools; of two with the same name the first."""
        for one in found:
            try:
                tool = self._tool(one)
            except Unusable as why:
                self.leave_out(f"{_label(one.name, 80)}: {why}")
                continue
            if tool.name in self._tools:
                self.leave_out(
                    tr("{name}: there are two of this name; only the first is used", name=tool.name)
                )
            elif self._has_room("tools", self._tools, self._limits.tools):
                self._tools[tool.name] = tool

    def add_resources(self, found: Iterable[types.Resource]) -> None:
        """Adds resources."""
        for one in found:
            if len(one.uri) > _LONGEST_URI or not one.uri.isprintable():
                self.leave_out(
                    tr(
                        "{label}: its address is too long, or holds what is not seen",
                        label=_label(one.name, 80),
                    )
                )
            elif self._has_room("resources", self._resources, self._limits.resources):
                self._resources[one.uri] = McpResource(
                    one.uri,
                    _label(one.title or one.name),
                    _label(one.description or ""),
                    _label(one.mime_type or "", 100),
                    one.size,
                )

    def add_prompts(self, found: Iterable[types.Prompt]) -> None:
        """Adds prompts."""
        for one in found:
            if not _is_name(one.name):
                self.leave_out(tr("{label}: a prompt whose name cannot be used", label=_label(one.name, 80)))
            elif self._has_room("prompts", self._prompts, self._limits.prompts):
                asked = [argument for argument in one.arguments or () if _is_name(argument.name)]
                arguments = tuple(
                    McpArgument(argument.name, _label(argument.description or ""), bool(argument.required))
                    for argument in asked[:_MOST_ARGUMENTS]
                )
                self._prompts[one.name] = McpPrompt(
                    one.name, _label(one.description or one.title or ""), arguments
                )

    def _has_room(self, what: str, made: Sized, most: int) -> bool:
        if len(made) < most:
            return True
        self._too_many[what] += 1
        return False

    def _tool(self, one: types.Tool) -> McpTool:
        if not _is_name(one.name):
            raise Unusable(tr("its name is empty, too long, or holds characters that are not seen"))
        description = harmless(one.description or one.title or "").strip()
        if len(description) > self._limits.description_chars:
            description = description[: self._limits.description_chars - len(_CUT)] + _CUT
        schema = _sanitise_schema(one.input_schema, self._limits.schema_depth)
        compact = json.dumps(schema, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if len(compact) > self._limits.schema_chars:
            raise Unusable(
                tr(
                    "what it asks for takes more than {schema_chars:,} characters to say",
                    schema_chars=self._limits.schema_chars,
                )
            )
        hints = one.annotations
        read_only = hints is not None and bool(hints.read_only_hint)
        return McpTool(one.name, called(self._server, one.name), description, compact, read_only)


def _sanitise_schema(value: Any, depth: int) -> Any:
    """Returns a schema whose texts contain no invisible characters."""
    if depth == 0:
        raise Unusable(tr("what it asks for is nested too deep"))
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, dict):
        return {harmless(str(name)): _sanitise_schema(inner, depth - 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_sanitise_schema(inner, depth - 1) for inner in value]
    return value


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and harmless(text) == text and text.isprintable()


def _label(text: str, longest: int = _LONGEST_LABEL) -> str:
    """Returns foreign text on one line, shortened."""
    line = " ".join(harmless(text[: longest * 2]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
