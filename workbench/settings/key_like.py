"""Finds what looks like a key among settings, by its name or by itself, and takes it out (Obsidian Copilot #1402)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.domain.reading.node import JsonPath
from workbench.domain.secrets import KEY_NAME, KEY_VALUE

_ADDRESS = re.compile(r"https?://[^\s@]*")


def key_like(value: Any, place: JsonPath = ()) -> Iterator[JsonPath]:
    """Where something stands that looks like a key."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if KEY_VALUE.search(name):
                yield (*place, name)
            else:
                yield from key_like(inner, (*place, name))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from key_like(inner, (*place, number))
    elif isinstance(value, str) and _looks_like_key(place, value):
        yield place


def cut(entries: Any, place: JsonPath) -> None:
    """Take an entry out; a list that holds it goes as a whole, because the places in it would shift."""
    names = list(place)
    for number, step in enumerate(place):
        if not isinstance(step, str):
            names = names[:number]
            break
    for step in names[:-1]:
        entries = entries[step]
    entries.pop(names[-1], None)


def dotted(place: JsonPath) -> str:
    """The place as it is said; a name that is itself a key is not, and none acts on a terminal."""
    return ".".join("…" if KEY_VALUE.search(str(step)) else _visible(str(step)) for step in place)


def _visible(name: str) -> str:
    return name if name.isprintable() else ascii(name)


def _looks_like_key(place: JsonPath, value: str) -> bool:
    name = next((step for step in reversed(place) if isinstance(step, str)), "")
    named_so = KEY_NAME.search(name) is not None and value != "" and not _ADDRESS.fullmatch(value)
    return named_so or KEY_VALUE.search(value) is not None
