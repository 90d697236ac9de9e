"""`workbench presets`: the settings that are kept under a name."""

from __future__ import annotations

import argparse

from workbench.cli.open_history import changing, has_store, opened
from workbench.cli.parts import Parts
from workbench.cli.settings import settings_document, settings_lines
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.preferences import ContextSettings

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
    async with changing(parts) as store:
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
