"""What changed between two texts of which one was made from the other, in the time that a comparison takes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

LONG_CHARS = 20_000
"""A shorter text is looked through whole as quickly as it is compared with what it was before."""


class Edit(NamedTuple):
    """From `start` on, up to `old_end` in the old text and `new_end` in the new one, the two differ."""

    start: int
    old_end: int
    new_end: int


def edited_lines(old: str, new: str) -> Edit | None:
    """The lines that changed, whole ones; None where so much did that all of it may as well be looked through."""
    head = common_length(old, new)
    tail = common_tail(old, new, min(len(old), len(new)) - head)
    start = new.rfind("\n", 0, head) + 1
    # The line that the tail begins in changed with what stands before it.
    behind = new.find("\n", len(new) - tail) if tail else -1
    kept = len(new) - behind if behind >= 0 else 0
    if len(new) - kept - start > len(new) // 4:
        return None
    return Edit(start, len(old) - kept, len(new) - kept)


def common_length(left: str, right: str) -> int:
    """How many characters both texts start with."""
    if min(len(left), len(right)) < LONG_CHARS:
        return _common_length(left, right)
    return _long_common_length(left, right)


def _common_length(left: str, right: str) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left.startswith(right[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


# A long draft is compared with what it was a key ago by all who look through it.
_long_common_length = lru_cache(maxsize=4)(_common_length)


def common_tail(left: str, right: str, limit: int) -> int:
    """How many characters, at most `limit`, both texts end with."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if left.endswith(right[len(right) - middle : len(right) - low], 0, len(left) - low):
            low = middle
        else:
            high = middle - 1
    return low
