"""A look through settings that are TOML: what they say, and what is wrong with them, by line and column.

Names that mean where a request goes, or what is taken out of it, are known however they are misspelt: what was meant by
them is not guessed, and nothing is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import tomlkit

from workbench.domain.models.provider import HOSTED
from workbench.domain.reading.node import JsonPath
from workbench.domain.settings.settings_problem import SettingsProblem
from workbench.settings.form import read_form, unknown_names
from workbench.settings.key_like import dotted, key_like
from workbench.settings.positions import Position, position_of
from workbench.settings.toml_edits import take_out_keys

KEYS_BELONG = "`workbench keys provider` keeps keys encrypted"
GUARDED = (
    *(one.gateway for one in HOSTED if one.gateway),
    "servers",
    "redaction",
    "proxy",
    "ca_file",
    "offline",
)
"""The settings that say where a request goes, which way, whether at all, and what is taken out of it."""

# What people write who expect such a setting where there is none, or under another name.
_WORDS = frozenset({"url", "uri", "address", "endpoint", "gateway", "proxy", "host", "server", "redact"})
_TABLES = ("servers", "models", "shortcuts")
_NEAR, _VERY_NEAR = 0.8, 0.85


def near_guarded(name: str) -> str:
    """Which of those names, or of the words in them, an unknown one is close to; empty where none is."""
    near = _close(name, GUARDED, _NEAR) or _close(name, tuple(_WORDS), _NEAR)
    return near or next((word for word in re.split(r"[^a-z]+", name.lower()) if word in _WORDS), "")


def _close(name: str, names: Sequence[str], cutoff: float) -> str:
    near = get_close_matches(name.lower(), names, n=1, cutoff=cutoff)
    return near[0] if near else ""


def near_inside(place: tuple[str, ...], entries: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The unknown entry, and those inside it, whose names are close to one of those, each with that name."""
    value: Any = entries
    for step in place:
        value = value[step]
    near = near_guarded(place[-1])
    if near:
        yield place, near
    elif isinstance(value, Mapping):
        for name in value:
            yield from near_inside((*place, str(name)), entries)


def misplaced(entries: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    """Settings that stand below the head of a table where any name goes, so that they mean nothing; and which."""
    for table in _TABLES:
        inside = entries.get(table)
        for name in inside if isinstance(inside, Mapping) else ():
            near = _close(str(name), GUARDED, _VERY_NEAR)
            # A server may be called that: its address is no other's.
            if near and near != table and (table, name) != ("servers", "proxy"):
                yield (table, str(name)), near


class TomlCheck:
    """A look through a text that is TOML: the preferences in it, and everything that is wrong with them."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text
        self.problems: list[SettingsProblem] = []
        entries = tomlkit.parse(text).unwrap()
        for place in key_like(entries):
            # Without its address, a provider would be asked itself.
            blocks = place[0] in GUARDED and len(place) == 1
            goes = "" if blocks else ", and goes when settings are saved"
            said = f"{dotted(place)} looks like a key. It is not used{goes}: {KEYS_BELONG}"
            self._note(place, said, blocks=blocks)
        take_out_keys(entries)
        for place, words in _suspects(entries):
            self._note(place, words)
        for unknown, suggestion in unknown_names(entries):
            if not list(near_inside(unknown, entries)):
                said = f"{dotted(unknown)} is not a setting; it is left as it is{suggestion}"
                self._note(unknown, said, blocks=False)
        self.preferences = read_form(entries, lambda at, words: self._note(at, f"{dotted(at)}: {words}"))

    def _note(self, place: JsonPath, words: str, *, blocks: bool = True) -> None:
        at = position_of(place, self._text) or Position(1, 1)
        self.problems.append(SettingsProblem(self._path, words, *at, blocks=blocks))


def _suspects(entries: dict[str, Any]) -> Iterator[tuple[JsonPath, str]]:
    """What is no setting here, and was probably meant to say where requests go or what is taken out of them."""
    for unknown, _ in unknown_names(entries):
        for place, near in near_inside(unknown, entries):
            like = (
                f"but very like {near}"
                if near in GUARDED
                else "but reads like an address, proxy or redaction"
            )
            yield place, f"{dotted(place)} is not a setting, {like}"
    for place, meant in misplaced(entries):
        yield (
            place,
            f"{dotted(place)} has no effect below [{place[0]}]; {meant} belongs above the first table",
        )
