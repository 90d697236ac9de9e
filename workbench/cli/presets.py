"""`workbench presets`: the settings that are kept under a name."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from workbench.cli.open_history import has_store, opened
from workbench.cli.parts import Parts
from workbench.cli.replay.reading import Node
from workbench.cli.replay.settings import merge_settings
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.preferences import ContextSettings
from workbench.domain.tool import ToolDefinition

# Settings as a trajectory writes them: whole for machines, and as lines that `--set` takes for people.


def settings_document(settings: ContextSettings) -> dict[str, Any]:
    """All settings by their names in a trajectory; read back, they are the same."""
    document = asdict(settings)
    filters: dict[str, Any] = document.pop("filters")
    document["tools"] = [_tool(tool) for tool in settings.tools]
    return {**document, **{name: _listed(value) for name, value in filters.items()}}


def settings_lines(settings: ContextSettings) -> Iterator[str]:
    """The model, and what is not as it is by default, as KEY=VALUE."""
    default = dict(_flat(settings_document(ContextSettings())))
    for key, value in _flat(settings_document(settings)):
        if key == "model" or value != default.get(key):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f"{key}={visible_line(text)}"


def _flat(document: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": json.loads(tool.schema_json),
    }


def _listed(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


# The settings of a new chat as the user prefers them, in the names of a trajectory.


def merge_preferences(base: ContextSettings, context: Mapping[str, Any]) -> ContextSettings:
    """The base with what is preferred on top; what is wrong is said with its path in the settings file."""
    return merge_settings(base, Node(dict(context), "context")) if context else base


_NONE = "There are no presets yet. `workbench ask … --save-preset NAME` keeps the settings of a chat."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "remove"), default="list", metavar="ACTION",
        help="list (all of them) | show NAME (its settings, as --set takes them) | remove NAME",
    )  # fmt: skip
    parser.add_argument("name", nargs="?", metavar="NAME", help="which one to show or remove")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, parts: Parts) -> int:
    """List, show or remove."""
    # Late: `--help` answers without it.
    import asyncio

    if (arguments.name is None) != (arguments.action == "list"):
        needs = "takes no NAME" if arguments.action == "list" else "needs the NAME of a preset"
        tell(f"workbench presets: {arguments.action} {needs}")
        return 2
    try:
        return asyncio.run(_ACTIONS[arguments.action](arguments, parts))
    except InvalidInput as problem:
        tell(f"workbench presets: {visible_line(str(problem))}")
        return 2


async def _list(arguments: argparse.Namespace, parts: Parts) -> int:
    presets = await _presets(parts)
    if arguments.json:
        print_json([{"name": name, "model": settings.model} for name, settings in presets.items()])
        return 0
    print_table([(visible_line(name), visible_line(one.model)) for name, one in presets.items()])
    if not presets:
        tell(_NONE)
    return 0


async def _show(arguments: argparse.Namespace, parts: Parts) -> int:
    settings = _named(arguments.name, await _presets(parts))
    if arguments.json:
        print_json({"name": arguments.name, "settings": settings_document(settings)})
        return 0
    for line in settings_lines(settings):
        print_text(line)
    return 0


async def _remove(arguments: argparse.Namespace, parts: Parts) -> int:
    name = arguments.name
    _named(name, await _presets(parts))
    async with opened(parts, writable=True) as store:
        await store.save_preset(name, None)
    print_json({"removed": name}) if arguments.json else print_text(visible_line(name))
    tell("The preset is removed. Chats that began with it are as they were.")
    if parts.new_chat_preset() == name:
        tell("`persona` in settings.toml still names it: take it out, or new chats cannot begin.")
    return 0


async def _presets(parts: Parts) -> dict[str, ContextSettings]:
    """What is kept; where there is no store yet, none is made to say so."""
    if not has_store(parts):
        return {}
    async with opened(parts, writable=False) as store:
        return dict(await store.presets())


def _named(name: str, presets: dict[str, ContextSettings]) -> ContextSettings:
    if name not in presets:
        known = ", ".join(map(visible_line, presets)) or "none"
        raise InvalidInput("NAME", f"there is no preset {visible_line(name)!r}; known: {known}")
    return presets[name]


_ACTIONS = {"list": _list, "show": _show, "remove": _remove}
