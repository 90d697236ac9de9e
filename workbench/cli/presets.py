"""`workbench presets`: lists, shows, compares, renames, removes, exports and imports presets."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from workbench.cli.open_history import changing, has_store, opened
from workbench.cli.services import Services
from workbench.cli.settings import settings_document, settings_lines
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import setting_changes
from workbench.domain.translation import tr
from workbench.engine.program.presets import export_presets, import_presets, rename_preset

# How many names an action takes, at least and at most, and what is said where there are others.
_NAMES = {
    "list": (0, 0, tr("takes no NAME")),
    "show": (1, 1, tr("needs the NAME of a preset")),
    "diff": (2, 2, tr("needs the NAMEs of two presets")),
    "rename": (2, 2, tr("needs the NAME of a preset and its new one")),
    "remove": (1, 1, tr("needs the NAME of a preset")),
    "export": (1, 1000, tr("needs a new FILE, and may have NAMEs of presets")),
    "import": (1, 1, "needs a FILE"),
}
_NONE = tr("There are no presets yet. `workbench ask … --save-preset NAME` keeps the settings of a chat.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "action", nargs="?", choices=tuple(_NAMES), default="list", metavar="ACTION",
        help="list (all of them) | show NAME (its settings, as --set takes them) | diff NAME NAME (how the second "
        "differs) | rename NAME NAME | remove NAME | export FILE [NAME …] (to a new JSON file) | import FILE",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="which preset, or which file")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Runs the action that was named."""
    # Late: `--help` answers without it.
    import asyncio

    least, most, needs = _NAMES[arguments.action]
    if not least <= len(arguments.names) <= most:
        tell(tr("workbench presets: {action} {needs}", action=arguments.action, needs=needs))
        return 2
    return asyncio.run(_ACTIONS[arguments.action](arguments, services))


async def _list(arguments: argparse.Namespace, services: Services) -> int:
    presets = await _presets(services)
    if arguments.json:
        print_json([{"name": name, "model": settings.model} for name, settings in presets.items()])
        return 0
    print_table([(visible_line(name), visible_line(one.model)) for name, one in presets.items()])
    if not presets:
        tell(_NONE)
    return 0


async def _show(arguments: argparse.Namespace, services: Services) -> int:
    (name,) = arguments.names
    settings = _find_preset(name, await _presets(services))
    if arguments.json:
        print_json({"name": name, "settings": settings_document(settings)})
        return 0
    for line in settings_lines(settings):
        print_text(line)
    return 0


async def _remove(arguments: argparse.Namespace, services: Services) -> int:
    (name,) = arguments.names
    _find_preset(name, await _presets(services))
    async with changing(services) as store:
        await store.save_preset(name, None)
    print_json({"removed": name}) if arguments.json else print_text(visible_line(name))
    tell(tr("The preset is removed. Chats that began with it are as they were."))
    if services.new_chat_preset() == name:
        tell(tr("`persona` in settings.toml still names it: take it out, or new chats cannot begin."))
    return 0


async def _diff(arguments: argparse.Namespace, services: Services) -> int:
    presets = await _presets(services)
    before, after = (_find_preset(name, presets) for name in arguments.names)
    changes = setting_changes(before, after)
    if arguments.json:
        print_json([asdict(change) for change in changes])
        return 0
    for change in changes:
        old, new = (
            tr("not set") if said is None else visible_line(said) for said in (change.before, change.after)
        )
        print_text(tr("{name}: {old} → {new}", name=change.name, old=old, new=new))
    if not changes:
        tell(tr("They are the same."))
    return 0


async def _rename(arguments: argparse.Namespace, services: Services) -> int:
    name, to = arguments.names
    _find_preset(name, await _presets(services))
    async with changing(services) as store:
        renamed = await rename_preset(name, to, store)
    print_json({"renamed": name, "to": renamed}) if arguments.json else print_text(visible_line(renamed))
    if services.new_chat_preset() == name != renamed:
        tell(tr("`persona` in settings.toml still has the old name: write the new one there."))
    return 0


async def _export(arguments: argparse.Namespace, services: Services) -> int:
    path, *names = arguments.names
    presets = await _presets(services)
    for name in names:
        _find_preset(name, presets)
    async with opened(services, writable=False) as store:
        written = await export_presets(tuple(names), path, store, services.exchange())
    print_json({"written": written, "presets": names or list(presets)}) if arguments.json else print_text(
        visible_line(written)
    )
    return 0


async def _import(arguments: argparse.Namespace, services: Services) -> int:
    (path,) = arguments.names
    async with opened(services, writable=True) as store:
        kept = await import_presets(path, store, services.exchange())
    if arguments.json:
        print_json({"imported": kept})
        return 0
    for name, here in kept.items():
        print_text(visible_line(here))
        if here != name:
            tell(
                tr(
                    "There was a preset {name!r} already: the new one is called {here!r}.",
                    name=visible_line(name),
                    here=visible_line(here),
                )
            )
    return 0


async def _presets(services: Services) -> dict[str, ContextSettings]:
    """Returns the stored presets; no store is created where there is none."""
    if not has_store(services):
        return {}
    async with opened(services, writable=False) as store:
        return dict(await store.presets())


def _find_preset(name: str, presets: dict[str, ContextSettings]) -> ContextSettings:
    if name not in presets:
        known = ", ".join(map(visible_line, presets)) or "none"
        raise InvalidInput(
            "NAME", tr("there is no preset {name!r}; known: {known}", name=visible_line(name), known=known)
        )
    return presets[name]


_ACTIONS = {
    "list": _list,
    "show": _show,
    "diff": _diff,
    "rename": _rename,
    "remove": _remove,
    "export": _export,
    "import": _import,
}
