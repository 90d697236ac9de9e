"""Where things stand in a TOML text: its mistake, or each of its entries, by line and column."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

from workbench.domain.reading.node import JsonPath


class Position(NamedTuple):
    """A place in a text, counted from 1."""

    line: int
    column: int


_SAID = re.compile(r"\(at line (\d+), column (\d+)\)\Z")
_STRING = r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
_KEY = rf"(?:{_STRING}|[\w-]+)"
_KEYS = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_PART = re.compile(_KEY, re.DOTALL)
_ENTRY = re.compile(rf"[ \t]*(?:\[\[?[ \t]*(?P<table>{_KEYS})[ \t]*\]|(?P<keys>{_KEYS})[ \t]*=)", re.DOTALL)
_TOKEN = re.compile(rf"{_STRING}|#[^\n]*|[\[\]{{}}\n]|[^\"'#\[\]{{}}\n]+|.", re.DOTALL)


def mistake_in(content: bytes) -> Position | None:
    """Where this stops being TOML; None where it is, or the reader does not say where."""
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        return _position(content[: problem.start].decode(), problem.start)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        said = _SAID.search(str(problem))
        return _position(text, len(text)) if said is None else Position(int(said[1]), int(said[2]))
    except RecursionError:
        return None
    return None


def position_of(place: JsonPath, text: str) -> Position | None:
    """Where an entry of a valid text stands, else the table or list that holds it."""
    names = tuple(step for step in place if isinstance(step, str))
    found: tuple[int, Position | None] = (0, None)
    for entry, start in _entries(text):
        shared = _shared(entry, names)
        if shared > found[0]:
            found = (shared, _position(text, start))
    return found[1]


def _entries(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each table and entry by its names, and where it begins; what stands inside a value is none."""
    table: tuple[str, ...] = ()
    at = 0
    while at < len(text):
        found = _ENTRY.match(text, at)
        if found is not None and found["table"] is not None:
            table = _names(found["table"])
            yield table, found.start("table")
        elif found is not None:
            yield (*table, *_names(found["keys"])), found.start("keys")
        at = _end_of_value(text, at if found is None or found["table"] is not None else found.end())


def _end_of_value(text: str, at: int) -> int:
    """Where the line ends, with everything that goes on after it inside brackets or quotes."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] in ("[", "{"):
            depth += 1
        elif token[0] in ("]", "}"):
            depth -= 1
        elif token[0] == "\n" and depth <= 0:
            return token.end()
    return len(text)


def _names(keys: str) -> tuple[str, ...]:
    return tuple(_plain(part[0]) for part in _PART.finditer(keys))


def _plain(key: str) -> str:
    """A key as it is meant; a quoted one is read as TOML reads it."""
    return next(iter(tomllib.loads(f"{key} = 0"))) if key[0] in "\"'" else key


def _shared(entry: tuple[str, ...], names: tuple[str, ...]) -> int:
    """How many names lead to both."""
    count = 0
    for one, other in zip(entry, names, strict=False):
        if one != other:
            break
        count += 1
    return count


def _position(text: str, at: int) -> Position:
    before = text[:at]
    return Position(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
