"""Reads the `settings` of a trajectory and merges them onto those in effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import get_args

from workbench.cli.replay.reading import Fields, Node, nullable, parse_json, show
from workbench.domain.attachment import ARTIFACT_KINDS
from workbench.domain.chunk import CHUNK_KINDS
from workbench.domain.errors import InvalidInput
from workbench.domain.message import ROLES
from workbench.domain.preferences import (
    CompactionSettings,
    ContextSettings,
    CounterName,
    FilterSettings,
    Freshness,
    HistorySettings,
    PersonaSources,
)
from workbench.domain.tool import ToolDefinition

COUNTERS: tuple[CounterName, ...] = get_args(CounterName)
FRESHNESS: tuple[Freshness, ...] = get_args(Freshness)
LAYOUTS = ("layered", "append_only", "auto")
KINDS = tuple(dict.fromkeys((*ARTIFACT_KINDS, *CHUNK_KINDS, *ROLES)))

_HISTORY = ("threshold", "headroom", "keep_last_n_assistant", "last_n_messages", "max_tokens", "recall")
_COMPACTION = ("verbatim_chars", "section_chars", "max_sections")
_PERSONA = ("default", "workspace", "user")
SECTIONS: dict[str, tuple[str, ...]] = {
    "history": _HISTORY,
    "compaction": _COMPACTION,
    "persona": _PERSONA,
}
TEXTS = ("model", "system_prompt", "tool_guidelines", "project_instructions", "user_memory")
SETTINGS = (
    *TEXTS,
    *SECTIONS,
    "counter", "context_window", "reserved_output_tokens", "attachment_budget_tokens",
    "layout", "freshness", "tools",
    "include_system", "include_environment", "include_kinds", "exclude_kinds", "include_only",
)  # fmt: skip


def merge_settings(base: ContextSettings, node: Node) -> ContextSettings:
    """The settings that result when those given replace the ones in effect; nested objects merge."""
    fields = node.fields(SETTINGS)
    _refuse_other_layouts(fields)
    return replace(
        base,
        model=fields.read("model", Node.name, base.model),
        counter=fields.read("counter", _counter, base.counter),
        context_window=fields.read("context_window", nullable(_positive), base.context_window),
        reserved_output_tokens=fields.read(
            "reserved_output_tokens", nullable(_count), base.reserved_output_tokens
        ),
        system_prompt=fields.read("system_prompt", Node.text, base.system_prompt),
        persona=fields.read("persona", lambda one: _persona(base.persona, one), base.persona),
        project_instructions=fields.read("project_instructions", Node.text, base.project_instructions),
        tool_guidelines=fields.read("tool_guidelines", Node.text, base.tool_guidelines),
        user_memory=fields.read("user_memory", Node.text, base.user_memory),
        attachment_budget_tokens=fields.read(
            "attachment_budget_tokens", nullable(_count), base.attachment_budget_tokens
        ),
        history=fields.read("history", lambda one: _history(base.history, one), base.history),
        freshness=fields.read("freshness", _freshness, base.freshness),
        compaction=fields.read("compaction", lambda one: _compaction(base.compaction, one), base.compaction),
        tools=fields.read("tools", _tools, base.tools),
        filters=_filters(base.filters, fields),
    )


def _history(base: HistorySettings, node: Node) -> HistorySettings:
    fields = node.fields(_HISTORY)
    if fields.read("recall", Node.flag, False):
        raise fields.require("recall").error("true is not available yet; use false")
    return HistorySettings(
        threshold=fields.read("threshold", nullable(Node.fraction), base.threshold),
        headroom=fields.read("headroom", Node.fraction, base.headroom),
        keep_last_n_assistant=fields.read("keep_last_n_assistant", _count, base.keep_last_n_assistant),
        last_n_messages=fields.read("last_n_messages", nullable(_count), base.last_n_messages),
        max_tokens=fields.read("max_tokens", nullable(_count), base.max_tokens),
    )


def _compaction(base: CompactionSettings, node: Node) -> CompactionSettings:
    fields = node.fields(_COMPACTION)
    return CompactionSettings(
        verbatim_chars=fields.read("verbatim_chars", _count, base.verbatim_chars),
        section_chars=fields.read("section_chars", _positive, base.section_chars),
        max_sections=fields.read("max_sections", _positive, base.max_sections),
    )


def _persona(base: PersonaSources, node: Node) -> PersonaSources:
    fields = node.fields(_PERSONA)
    return PersonaSources(
        default=fields.read("default", Node.text, base.default),
        workspace=fields.read("workspace", Node.text, base.workspace),
        user=fields.read("user", Node.text, base.user),
    )


def _filters(base: FilterSettings, fields: Fields) -> FilterSettings:
    return FilterSettings(
        include_system=fields.read("include_system", Node.flag, base.include_system),
        include_environment=fields.read("include_environment", Node.flag, base.include_environment),
        include_kinds=fields.read("include_kinds", nullable(_kinds), base.include_kinds),
        exclude_kinds=fields.read("exclude_kinds", _kinds, base.exclude_kinds),
        include_only=fields.read("include_only", nullable(_ids), base.include_only),
    )


def _tools(node: Node) -> tuple[ToolDefinition, ...]:
    places: dict[str, str] = {}
    tools = []
    for item in node.items():
        tool = _tool(item)
        if tool.name in places:
            raise item.at("name", tool.name).error(
                f"{show(tool.name)} is already the name of {places[tool.name]}"
            )
        places[tool.name] = item.path
        tools.append(tool)
    return tuple(tools)


def _tool(node: Node) -> ToolDefinition:
    fields = node.fields(("name", "description", "input_schema"))
    return ToolDefinition(
        name=fields.require("name").name(),
        description=fields.read("description", Node.text, ""),
        schema_json=fields.read("input_schema", _schema, "{}"),
    )


def _schema(node: Node) -> str:
    if not isinstance(node.value, dict):
        raise node.expected("an object")
    return node.json()


def _refuse_other_layouts(fields: Fields) -> None:
    layout = fields.get("layout")
    if layout is not None and layout.choice(LAYOUTS) != "layered":
        raise layout.error(f'{show(layout.value)} is not available yet; use "layered"')


def _freshness(node: Node) -> Freshness:
    if node.value == "auto":
        raise node.error('"auto" is not available yet; use "refresh" or "freeze"')
    return node.choice(FRESHNESS)


def _counter(node: Node) -> CounterName:
    return node.choice(COUNTERS)


def _kinds(node: Node) -> frozenset[str]:
    return frozenset(item.choice(KINDS) for item in node.items())


def _ids(node: Node) -> frozenset[str]:
    return frozenset(item.text() for item in node.items())


def _count(node: Node) -> int:
    return node.integer(0)


def _positive(node: Node) -> int:
    return node.integer(1)


# Reads `--set KEY=VALUE`: settings that win over everything a trajectory says, in every turn.

_TEXT_KEYS = (*TEXTS, *(f"persona.{source}" for source in SECTIONS["persona"]))
_KEYS = (*SETTINGS, *(f"{section}.{name}" for section, names in SECTIONS.items() for name in names))


def parse_override(text: str) -> tuple[str, object]:
    """Split "KEY=VALUE"; the value is JSON where it parses as such, and a plain string otherwise."""
    key, equals, written = text.partition("=")
    if not equals or not key.strip():
        raise InvalidInput("--set", f"expected KEY=VALUE, got {show(text)}")
    key = key.strip()
    value = _value(written)
    # A model called 4 or a prompt that says true is text all the same.
    return key, written if key in _TEXT_KEYS and not isinstance(value, str) else value


def apply_overrides(settings: ContextSettings, overrides: Mapping[str, object]) -> ContextSettings:
    """The settings with every override on top, in the order given."""
    for key, value in overrides.items():
        _refuse_unknown(key)
        section, dot, name = key.partition(".")
        settings = merge_settings(settings, Node({section: {name: value} if dot else value}, "settings"))
    return settings


def _value(written: str) -> object:
    try:
        return parse_json(written)
    except InvalidInput:
        return written


def _refuse_unknown(key: str) -> None:
    if key in _KEYS:
        return
    near = get_close_matches(key, _KEYS, n=1) if len(key) <= 60 else []
    path = f"settings.{key}" if key.isprintable() and len(key) <= 60 else f"settings[{show(key)}]"
    raise InvalidInput(path, f"unknown setting; did you mean {show(near[0])}?" if near else "unknown setting")
