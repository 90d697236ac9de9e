"""Changes entries of a TOML text and leaves the rest as it was written: comments, order, and what nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from workbench.settings.key_like import cut, key_like

Change = Callable[[MutableMapping[str, Any]], None]


def edited(text: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The text with what differs between old and new put in, and everything that looks like a key taken out.

    Each result is read again before it counts: the library loses its way in tables that are written in several
    places, and then the less careful way is taken.
    """
    entries = tomlkit.parse(text).unwrap()
    take_out_keys(entries)
    apply(entries, old, new)
    for change in (_carefully(old, new), _table_by_table(entries)):
        result = _tried(text, change)
        if result is not None and tomlkit.parse(result).unwrap() == entries:
            return result
    return tomlkit.dumps(entries)


def take_out_keys(entries: MutableMapping[str, Any]) -> None:
    """Remove what looks like a key."""
    plain = entries.unwrap() if isinstance(entries, tomlkit.TOMLDocument) else entries
    for place in list(key_like(plain)):
        cut(entries, place)


def apply(entries: MutableMapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Change only what differs, entry by entry."""
    for name in old.keys() - new.keys():
        entries.pop(name, None)
    for name, value in new.items():
        before, inside = old.get(name), entries.get(name)
        if name in old and before == value:
            continue
        if isinstance(value, dict) and isinstance(inside, MutableMapping):
            apply(inside, before if isinstance(before, dict) else {}, value)
        else:
            entries[name] = value


def _carefully(old: Mapping[str, Any], new: Mapping[str, Any]) -> Change:
    def change(document: MutableMapping[str, Any]) -> None:
        take_out_keys(document)
        apply(document, old, new)

    return change


def _table_by_table(entries: Mapping[str, Any]) -> Change:
    """Whatever changed at the top is written anew; only the comments inside it are lost."""

    def change(document: MutableMapping[str, Any]) -> None:
        plain = tomlkit.parse(tomlkit.dumps(document)).unwrap()
        for name in plain:
            if name not in entries or entries[name] != plain[name]:
                del document[name]
        for name, value in entries.items():
            if name not in document:
                document[name] = value

    return change


def _tried(text: str, change: Change) -> str | None:
    document = tomlkit.parse(text)
    try:
        change(document)
        result = tomlkit.dumps(document)
        tomlkit.parse(result)
    except (TOMLKitError, LookupError, TypeError, ValueError, AttributeError):
        return None
    return result
