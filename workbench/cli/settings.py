"""`workbench settings`: lists what `--set` takes, and shows or changes the program's settings."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.form import Kind, form_of
from workbench.domain.reading.json_text import json_or_text
from workbench.domain.reading.node import Node, show, suggest
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import settings_by_name
from workbench.domain.translation import tr
from workbench.ports.preferences import PreferencesStore

# `workbench settings show` and `set`: what holds for the whole program, as the window's settings have it.


_FORM = form_of(Preferences)
_KINDS = {entry.name: entry.kind for entry in _FORM.entries}


def show_settings(store: PreferencesStore, *, as_json: bool) -> int:
    """Prints the settings that differ from their defaults as KEY=VALUE lines; with JSON all of them."""
    written = _FORM.write(store.load())
    for problem in store.problems:
        tell(f"workbench: {problem}")
    if as_json:
        print_json(written)
        return 0
    for place, value in _non_defaults(written, _FORM.write(Preferences())):
        print_text(f"{visible_line('.'.join(place))}={visible_line(_text(value))}")
    return 0


def set_settings(store: PreferencesStore, given: Sequence[str], *, as_json: bool) -> int:
    """Stores the given KEY=VALUE settings, all or none; a value of null restores the default."""
    written = _FORM.write(store.load())
    for one in given:
        _apply_change(written, _Change.read(one))
    preferences = _FORM.read(Node(written))
    store.save(preferences)
    return show_settings(store, as_json=True) if as_json else 0


@dataclass(frozen=True, slots=True)
class _Change:
    """A value for one setting, by its path; None restores the default."""

    place: tuple[str, ...]
    value: Any

    @classmethod
    def read(cls, text: str) -> _Change:
        """Parses KEY=VALUE; the names of models and servers, which are keys of tables, may themselves contain dots."""
        key, equals, written = text.partition("=")
        first, _, rest = key.strip().partition(".")
        if not equals or not first:
            raise InvalidInput(tr("settings set"), tr("expected KEY=VALUE, got {show}", show=show(text)))
        kind = _KINDS.get(first)
        if kind is None:
            raise InvalidInput(first, tr("unknown setting{suggest}", suggest=suggest(first, list(_KINDS))))
        place = _setting_path(first, rest, kind)
        is_text = _is_text(place, kind) and written != "null"
        return cls(place, written if is_text else json_or_text(written))


def _setting_path(first: str, rest: str, kind: Kind) -> tuple[str, ...]:
    if not rest:
        return (first,)
    if kind.each is not None:
        name, dot, fact = rest.rpartition(".")
        if not dot or fact not in kind.each.names:
            known = ", ".join(kind.each.names)
            raise InvalidInput(
                f"{first}.{rest}",
                tr("expected {first}.NAME.FACT; of a model can be set: {known}", first=first, known=known),
            )
        return (first, name, fact)
    deep = first == "context" or kind.form is not None
    return (first, *rest.split(".")) if deep else (first, rest)


def _is_text(place: tuple[str, ...], kind: Kind) -> bool:
    if len(place) == 1:
        return kind.is_text
    return kind.form is None and kind.each is None and place[0] != "context"


def _apply_change(document: dict[str, Any], change: _Change) -> None:
    """Sets one value in the document; None removes it, so that the default applies."""
    *above, last = change.place
    table: Any = document
    for name in above:
        if not isinstance(table, dict):
            raise InvalidInput(".".join(change.place), tr("there is no such table"))
        table = table.setdefault(name, {})
    if not isinstance(table, dict):
        raise InvalidInput(".".join(change.place), tr("there is no such table"))
    if change.value is None:
        table.pop(last, None)
    else:
        table[last] = change.value


def _non_defaults(
    now: Mapping[str, Any], default: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in now.items():
        before = default.get(name)
        if isinstance(value, dict):
            yield from _non_defaults(value, before if isinstance(before, dict) else {}, (*above, name))
        elif value != before:
            yield (*above, name), value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# `workbench settings`: everything that `--set` takes, and what is set for the whole program.


_LONGEST = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "action", nargs="?", choices=("keys", "show", "set"), default="keys", metavar="ACTION",
        help="keys (everything that --set takes, with what a new chat has for it; the default), show (what is set for "
        "the whole program), set (KEY=VALUE…, kept in settings.toml)",
    )  # fmt: skip
    parser.add_argument(
        "values", nargs="*", metavar="KEY=VALUE",
        help="for set: such as servers.lab=https://lab.example/v1, sessions.lab=X-Session-ID or "
        "models.NAME.cache_lifetime=1h; null takes one back",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_true", help="print the result as JSON, with a file's default too"
    )


def run(arguments: argparse.Namespace, services: Services) -> int:
    """List the settings of a request, or show or change those of the program."""
    if (arguments.action == "set") != bool(arguments.values):
        raise InvalidInput("settings", tr("set takes KEY=VALUE, one or more; keys and show take none"))
    if arguments.action != "keys":
        store = services.preferences()
        if arguments.action == "show":
            return show_settings(store, as_json=arguments.json)
        return set_settings(store, arguments.values, as_json=arguments.json)
    default = settings_by_name(ContextSettings())
    now = settings_by_name(services.new_chat_settings(False))
    found = [{"key": name, "new_chat": value, "trajectory": default[name]} for name, value in now.items()]
    if arguments.json:
        print_json(found)
    else:
        print_table([(str(one["key"]), _short(one["new_chat"])) for one in found])
    return 0


def _short(value: object) -> str:
    """Returns a value on one line, cut where it is too long; uncut, `--set` would take it."""
    text = visible_line(_text(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def settings_document(settings: ContextSettings) -> dict[str, Any]:
    """Returns all settings of a request by their names in a trajectory."""
    return form_of(ContextSettings).write(settings)


def settings_lines(settings: ContextSettings) -> Iterator[str]:
    """Yields the model and all settings that differ from their defaults, as KEY=VALUE for `--set`."""
    default = settings_by_name(ContextSettings())
    for name, value in settings_by_name(settings).items():
        if name == "model" or value != default[name]:
            yield f"{name}={visible_line(_text(value))}"
