"""How a list of keys becomes another one: which runs go, which come, so that a view moves nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Run(NamedTuple):
    """Neighbours in a list: `length` of them from `first` on."""

    first: int
    length: int


class Edits(NamedTuple):
    """Runs to remove, the last one first; then runs to insert, the first one first, each at its final place."""

    removed: tuple[Run, ...]
    inserted: tuple[Run, ...]


NOTHING = Edits((), ())


def edits(old: Sequence[Key], new: Sequence[Key]) -> Edits:
    """What turns one list into the other; what changed its place goes and comes again."""
    if old == new:
        return NOTHING
    before, after = numbered(old), numbered(new)
    staying = _in_both_orders(before, after)
    gone = [place for place, key in enumerate(before) if key not in staying]
    come = [place for place, key in enumerate(after) if key not in staying]
    return Edits(tuple(reversed(runs(gone))), tuple(runs(come)))


def numbered(keys: Sequence[Key]) -> list[tuple[Key, int]]:
    """The keys, told apart where one occurs twice."""
    seen: Counter[Key] = Counter()
    told: list[tuple[Key, int]] = []
    for key in keys:
        told.append((key, seen[key]))
        seen[key] += 1
    return told


def _in_both_orders(before: list[tuple[Key, int]], after: list[tuple[Key, int]]) -> set[tuple[Key, int]]:
    """The largest set of keys that both lists have in the same order."""
    places = {key: place for place, key in enumerate(before)}
    common = [(places[key], key) for key in after if key in places]
    tails: list[int] = []
    ends: list[int] = []
    came_from: list[int] = []
    for index, (place, _) in enumerate(common):
        length = bisect_left(tails, place)
        came_from.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [place]
        ends[length : length + 1] = [index]
    staying: set[tuple[Key, int]] = set()
    index = ends[-1] if ends else -1
    while index >= 0:
        staying.add(common[index][1])
        index = came_from[index]
    return staying


def runs(places: Sequence[int]) -> list[Run]:
    """Places in rising order, neighbours put together."""
    found: list[Run] = []
    for place in places:
        if found and found[-1].first + found[-1].length == place:
            found[-1] = Run(found[-1].first, found[-1].length + 1)
        else:
            found.append(Run(place, 1))
    return found
