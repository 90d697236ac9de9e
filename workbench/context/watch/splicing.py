"""Edits of a JSON text in place: what is changed or removed is spliced, and every other byte stays."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
Spans = dict[str | int, tuple[int, int, int]]
"""By key: where a member begins with its key, where its value begins, and where that ends."""
Places = dict[int, tuple[Spans, list[Any], int]]
"""Children of containers, by where these begin: what was found in reading is not looked for again (bench watch)."""
_MOST_READ = 4
_STEPS = (4096, 64)
_BEGINNING = 64
_SPACE = re.compile(r"[ \t\n\r]*")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class NotUnderstood(Exception):
    """A text that is no JSON, or JSON that two readers might read differently."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotUnderstood
    return found


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise NotUnderstood
    return number


def _refuse(_constant: str) -> float:
    raise NotUnderstood


_Scan = Callable[[str, int], tuple[Any, int]]
_scan: _Scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
_strictly: _Scan = json.JSONDecoder(  # type: ignore[attr-defined]
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse
).scan_once


class Bodies:
    """Parses bodies; what one repeats from the start of one before is not parsed again (bench watch: 2,900 pieces).

    `strict`: `NotUnderstood` for duplicate keys, endless numbers, or nesting beyond reading, wherever they stand.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._scan = _strictly if strict else _scan
        self._read: list[tuple[str, Places]] = []

    def parsed(self, text: str) -> tuple[Any, Places]:
        """The value of a JSON text, and where the children of the outer object and of its lists stand."""
        same, (old, known) = max(
            ((_shared(one[0], text), one) for one in self._read),
            key=lambda one: one[0],
            default=(0, ("", {})),
        )
        try:
            value, places = self._parsed(text, _before(known, same), _by_beginning(old, known, same))
        except (ValueError, RecursionError, StopIteration, IndexError) as problem:
            raise NotUnderstood from problem
        if 2 * same < len(old):  # it is another conversation that begins alike
            old = ""
        self._read = [(text, places), *(one for one in self._read if one[0] is not old)][:_MOST_READ]
        return value, places

    def _parsed(self, text: str, places: Places, members: dict[str, Member]) -> tuple[Any, Places]:
        def scan(text: str, at: int) -> tuple[Any, int]:
            if (old := members.get(text[at : at + _BEGINNING])) is not None and text.startswith(old.text, at):
                if old.children is not None:
                    places[at] = _moved(old.children, at - old.start)
                return old.value, at + len(old.text)
            if text[at] != "[":
                return self._scan(text, at)
            places[at] = _children(text, at, self._scan, places.get(at))
            return places[at][1:]

        start = _after_space(text, 0)
        if text[start] != "{":
            value, end = self._scan(text, start)
        else:
            places[start] = spans, values, end = _children(text, start, scan, places.get(start))
            value = dict(zip(spans, values, strict=True))
        if text[end:].strip(" \t\n\r"):
            raise NotUnderstood
        return value, places


def _shared(old: str, new: str) -> int:
    """With how many characters of another text one begins, or a little less."""
    at = 0
    for step in _STEPS:
        while at < len(new) and old[at : at + step] == new[at : at + step]:
            at += step
    return at


def _before(places: Places, end: int) -> Places:
    """Children of containers that end, with what stands behind them, before a place."""
    found: Places = {}
    for start, (spans, values, last) in places.items():
        if last < end:
            found[start] = spans, values, last
        elif start < end:
            count = bisect_left([*spans.values()], end, key=lambda one: one[2])
            found[start] = dict(islice(spans.items(), count)), values[:count], 0
    return found


class Member(NamedTuple):
    """A member's value in the body before: its text, where that began, what it was, and a list's children."""

    text: str
    start: int
    value: Any
    children: tuple[Spans, list[Any], int] | None


def _by_beginning(text: str, places: Places, after: int) -> dict[str, Member]:
    """The long values of a body behind what another repeats of it, such as tools that follow the messages."""
    outer = places.get(_after_space(text, 0)) if text else None
    if outer is None:
        return {}
    spans = ((start, end, value) for (_, start, end), value in zip(outer[0].values(), outer[1], strict=True))
    return {
        text[start : start + _BEGINNING]: Member(text[start:end], start, value, places.get(start))
        for start, end, value in spans
        if end > after and end - start >= _BEGINNING and text[start] in '[{"'
    }


def _moved(children: tuple[Spans, list[Any], int], by: int) -> tuple[Spans, list[Any], int]:
    spans, values, end = children
    return (
        {key: (first + by, at + by, last + by) for key, (first, at, last) in spans.items()},
        values,
        end + by,
    )


def path_of(written: str) -> Path:
    """The steps of a place as it is written ("system[2].text")."""
    return tuple(int(number) if number else name for name, number in _STEP.findall(written))


def value_at(body: Any, path: Path) -> Any:
    """What stands at a place; None where there is nothing."""
    for step in path:
        try:
            body = body[step]
        except (KeyError, IndexError, TypeError):
            return None
    return body


def written_at(text: str, places: Places, path: Path) -> str:
    """The text of an element of a list of the outer object; empty where that was not read from this text."""
    outer = places.get(_after_space(text, 0)) if text else None
    key, number, *below = (*path, "", "")[:3]
    inner = places.get(outer[0][key][1]) if outer is not None and key in outer[0] else None
    return (
        "" if inner is None or number not in inner[0] or below != [""] else text[slice(*inner[0][number][1:])]
    )


class Draft:
    """A parsed body while it is edited; `result` is what it becomes, `spliced` the text with just these edits.

    Attributes:
        body: with all changes, and without removals; the containers that were given are never changed.
    """

    def __init__(self, body: Any, places: Places | None = None) -> None:
        self.body = body
        self._places: Places = {} if places is None else places
        self._touched: set[Path] = set()
        self.removed: set[Path] = set()

    def put(self, path: Path, value: Any) -> None:
        """Change a value; a key that is not there, or the index behind the last, adds one."""
        self.body = _with(self.body, path, value)
        self._touched.add(path)
        if self.removed:
            self.removed = {one for one in self.removed if one[: len(path)] != path}

    def remove(self, path: Path) -> None:
        """Remove an element of a list or a member of an object; other places keep their numbers until the end."""
        self.removed.add(path)

    def is_gone(self, path: Path) -> bool:
        """Whether a place or what it stands in is removed."""
        return any(path[:length] in self.removed for length in range(1, len(path) + 1))

    @property
    def is_changed(self) -> bool:
        return bool(self._touched or self.removed)

    def result(self) -> Any:
        """The edited value."""
        return _without(self.body, (), self.removed)

    def spliced(self, text: str) -> str:
        """The text that the body was parsed from, with the edits."""
        own = [path for path in self._touched if not self.is_gone(path)]
        touched = {path for path in own if not any(path[:n] in self._touched for n in range(len(path)))}
        removed = {path for path in self.removed if not self.is_gone(path[:-1])}
        # Something removed within a value that is written anew is left out there.
        removed = {path for path in removed if not any(path[:n] in touched for n in range(len(path)))}
        splices = sorted(self._splices(text, _SPACE.match(text).end(), (), touched | removed))  # type: ignore[union-attr]
        parts, at = [], 0
        for start, end, new in splices:
            parts += [text[at:start], new]
            at = end
        return "".join([*parts, text[at:]])

    def _splices(self, text: str, start: int, at: Path, edits: set[Path]) -> Iterator[tuple[int, int, str]]:
        """Splices below a container that starts there."""
        here: dict[str | int, set[Path]] = {}
        for path in edits:
            here.setdefault(path[len(at)], set()).add(path)
        spans, _, end = self._places.get(start) or _children(text, start, _scan)
        gone = {path[-1] for path in self.removed if path[:-1] == at and path[-1] in spans}
        added = [key for key in here if key not in spans and (*at, key) not in self.removed]
        if gone:
            yield from _cuts(list(spans), spans, gone)
        for key in here.keys() - {*gone, *added}:
            first, last = spans[key][1:]
            if (*at, key) in edits:
                yield first, last, self._written((*at, key))
            else:
                yield from self._splices(text, first, (*at, key), here[key])
        if added:
            left = [key for key in spans if key not in gone]
            said = ",".join(self._member((*at, key)) for key in sorted(added, key=str))
            place = spans[left[-1]][2] if left else end - 1
            yield place, place, f",{said}" if left else said

    def _member(self, path: Path) -> str:
        name = path[-1]
        written = self._written(path)
        return f"{json.dumps(name)}:{written}" if isinstance(name, str) else written

    def _written(self, path: Path) -> str:
        value = _without(value_at(self.body, path), path, self.removed)
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text if text.isascii() or _encodes(text) else json.dumps(value, separators=(",", ":"))


def _children(
    text: str,
    start: int,
    scan: _Scan,
    known: tuple[Spans, list[Any], int] | None = None,
) -> tuple[Spans, list[Any], int]:
    """The spans of a container's children, their values, and where it ends; `known` are the first ones."""
    found, values, _ = known or ({}, [], 0)
    keyed = text[start] == "{"
    close = "}" if keyed else "]"
    at = _after_space(text, next(reversed(found.values()))[2] if found else start + 1)
    while text[at] != close:
        if found:
            if text[at] != ",":
                raise NotUnderstood
            at = _after_space(text, at + 1)
        first = at
        key: str | int = len(found)
        if keyed:
            if text[at] != '"':
                raise NotUnderstood
            key, at = scanstring(text, at + 1, True)
            at = _after_space(text, at)
            if text[at] != ":" or key in found:
                raise NotUnderstood
            at = _after_space(text, at + 1)
        value, end = scan(text, at)
        found[key] = (first, at, end)
        values.append(value)
        at = _after_space(text, end)
    return found, values, at + 1


def _after_space(text: str, at: int) -> int:
    if text[at] not in " \t\n\r":
        return at
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _cuts(keys: list[str | int], spans: Spans, gone: set[str | int]) -> Iterator[tuple[int, int, str]]:
    """Spans to cut for removed children, each run of them with the commas that go with it."""
    place = 0
    while place < len(keys):
        first = place
        while place < len(keys) and keys[place] in gone:
            place += 1
        if place > first:
            if place < len(keys):
                yield spans[keys[first]][0], spans[keys[place]][0], ""
            else:
                start = spans[keys[first - 1]][2] if first else spans[keys[0]][0]
                yield start, spans[keys[-1]][2], ""
        place += 1


def _with(value: Any, path: Path, new: Any) -> Any:
    """A value with another one at a place; containers on the way are copied."""
    if not path:
        return new
    step = path[0]
    made = value.copy()
    if isinstance(made, list) and step == len(made):
        made.append(new)
    else:
        made[step] = _with(value[step], path[1:], new) if len(path) > 1 else new
    return made


def _without(value: Any, at: Path, removed: Iterable[Path]) -> Any:
    """A value that stands at a place without what is removed below it."""
    below = [path for path in removed if path[: len(at)] == at and len(path) > len(at)]
    if not below:
        return value
    inner = {path[len(at)] for path in below}
    gone = {path[-1] for path in below if len(path) == len(at) + 1}
    if isinstance(value, dict):
        return {
            key: _without(one, (*at, key), below) if key in inner else one
            for key, one in value.items()
            if key not in gone
        }
    return [
        _without(one, (*at, n), below) if n in inner else one for n, one in enumerate(value) if n not in gone
    ]


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
