"""SQLite's file format: the cells of a page, the pages below it, and the values of a record."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from workbench.storage.database.pages import USABLE_BYTES

Value = Any
Row = tuple[Value, ...]
Gap = tuple[int, int]
"""Row numbers: more than the first, up to the second."""
TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER = 0x0D, 0x05, 0x0A, 0x02
LEAVES, INNER = (TABLE_LEAF, INDEX_LEAF), (TABLE_INNER, INDEX_INNER)
MISSING = object()
"""A value that was on a page that is lost."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class Unsound(Exception):
    """A page that is no page of a b-tree, or a cell that is none."""


ODD = (Unsound, IndexError, UnicodeDecodeError)
"""What is raised over bytes that are no page, no cell or no record."""


def head_of(number: int) -> int:
    """Where the head of a page begins: the first one has that of the whole file before it."""
    return 100 if number == 1 else 0


def cells_of(page: bytes, head: int) -> list[int]:
    """Where the cells of a page begin; cells that were deleted are not in the list."""
    count = int.from_bytes(page[head + 3 : head + 5], "big")
    first = head + (12 if page[head] in INNER else 8)
    places = [int.from_bytes(page[at : at + 2], "big") for at in range(first, first + 2 * count, 2)]
    if any(not first + 2 * count <= at < USABLE_BYTES for at in places):
        raise Unsound
    return places


def pages_below(page: bytes, number: int, reach: Gap) -> Iterator[tuple[int, Gap]]:
    """The pages below a page, each with the row numbers it may hold."""
    head = head_of(number)
    low, high = reach
    for at in cells_of(page, head):
        last = varint(page, at + 4)[0] if page[head] == TABLE_INNER else high
        last -= 1 << 64 if page[head] == TABLE_INNER and last >> 63 else 0
        yield int.from_bytes(page[at : at + 4], "big"), (low, last)
        low = last if page[head] == TABLE_INNER else low
    yield int.from_bytes(page[head + 8 : head + 12], "big"), (low, high)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def values_of(payload: bytes, size: int) -> Iterator[Value]:
    """The values of a record; `MISSING` for those that are not there whole."""
    end, at = varint(payload, 0)
    if end > min(size, len(payload)):
        raise Unsound
    kinds = []
    while at < end:
        kind, at = varint(payload, at)
        kinds.append(kind)
    for kind in kinds:
        length = _length(kind)
        there = payload[at : at + length]
        at += length
        if at > size:
            raise Unsound
        yield _value(kind, there) if len(there) == length else MISSING


def _length(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    return 8 if kind == 7 else _INTEGERS.get(kind, 0)


def _value(kind: int, data: bytes) -> Value:
    if kind >= 12:
        return data if kind % 2 == 0 else data.decode()
    if kind == 7:
        return struct.unpack(">d", data)[0]
    if kind in _INTEGERS:
        return int.from_bytes(data, "big", signed=True)
    return {8: 0, 9: 1}.get(kind)
