"""Messages that were read before: a request that goes on repeats all of them, and only what is new is read."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
_MOST_AT_ONE_PLACE = 8
"""So many conversations may take turns before one is read from its start again."""
_PLAIN = 2
"""The version of `marshal` that writes every value in full: equal bytes are equal values, types and order included."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadValue(Generic[T]):
    """A message and what was found in it.

    Attributes:
        calls: the names of the tools it calls, by the ids of the calls.
        asked: the ids of calls that it gives results of, and their names by the messages before it.
        verbatim: whether every text that was found stands in it as it is, so that no order of fields matters.
    """

    value: object
    found: tuple[T, ...]
    odd: tuple[str, ...]
    calls: Mapping[str, str]
    asked: tuple[tuple[str, str], ...]
    verbatim: bool

    def holds(self, value: object, tools: Mapping[str, str]) -> bool:
        """Whether the same would be found in a value after calls of these tools."""
        if not _equal(self.value, value):
            return False
        for call, name in self.asked:
            if tools.get(call, "") != name:
                return False
        # 1 equals 1.0 and True, and objects are equal in any order; as JSON they are not.
        return self.verbatim or _in_full(self.value) == _in_full(value) != b""


class ReadBefore(Generic[T]):
    """What was read, by list and place; the newest few values of each place."""

    def __init__(self) -> None:
        self._lists: dict[str, list[list[ReadValue[T]]]] = {}

    def find(self, name: str, place: int, value: object, tools: Mapping[str, str]) -> ReadValue[T] | None:
        """What was found in this value at this place of the list."""
        places = self._lists.get(name)
        if places is None or place >= len(places):
            return None
        some = places[place]
        for n, one in enumerate(some):
            if one.holds(value, tools):
                if n:
                    some.insert(0, some.pop(n))
                return one
        return None

    def note(self, name: str, place: int, read: ReadValue[T]) -> None:
        """Remember what was read."""
        places = self._lists.setdefault(name, [])
        places += ([] for _ in range(len(places), place + 1))
        places[place].insert(0, read)
        del places[place][_MOST_AT_ONE_PLACE:]


def _equal(value: object, other: object) -> bool:
    try:
        return value == other
    except RecursionError:
        return False


def is_verbatim(value: object, texts: Iterable[str]) -> bool:
    """Whether texts are the very strings that stand in a value, none of them put together from it."""
    try:
        strings = {id(text) for text in _strings(value)}
    except RecursionError:
        return False
    return all(id(text) in strings for text in texts)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _in_full(value: object) -> bytes:
    """A value in bytes; empty where it is nested too deeply."""
    try:
        return marshal.dumps(value, _PLAIN)
    except ValueError:
        return b""
