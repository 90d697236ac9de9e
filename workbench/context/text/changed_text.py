"""Changes between two texts: as unified diff hunks, line by line, or as one edited span."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from workbench.domain.shown.parts_view import ChangedLine

_HUNK_LINES = (3, 1)
"""How much stands around a change: less where more would be too much of a short text."""
_MOST_LINES = 2_000
_HUNK_HEAD = re.compile(r"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")
_MOST_CHANGED = 4
"""Changes are sent in place of a text only where they are less than this part of it."""


def changed_text(old: str, new: str) -> str | None:
    """The changes between two texts as hunks with context; None where they are not much shorter than the new text."""
    before, now = old.split("\n"), new.split("\n")
    head = _same_lines(before, now)
    tail = _same_lines(before[head:][::-1], now[head:][::-1])
    # Comparing takes the longer the more there is between the first and the last difference.
    if max(len(before), len(now)) - head - tail > _MOST_LINES:
        return None
    for lines in _HUNK_LINES:
        start, end = max(0, head - lines), max(0, tail - lines)
        some, others = before[start : len(before) - end], now[start : len(now) - end]
        written = difflib.unified_diff(some, others, "before", "now", lineterm="", n=lines)
        hunks = "\n".join(_numbered(line, start) for line in list(written)[2:])
        if hunks and len(hunks) * _MOST_CHANGED < len(new):
            return hunks
    return None


def _same_lines(left: Sequence[str], right: Sequence[str]) -> int:
    return next(
        (number for number, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )


def _numbered(line: str, start: int) -> str:
    """A hunk's header with the line numbers of the whole text."""
    found = _HUNK_HEAD.match(line)
    if found is None:
        return line
    return f"@@ -{int(found[1]) + start}{found[2]} +{int(found[3]) + start}{found[4]} @@"


AROUND = 3
MOST_MATCHED = 3_000
"""The most lines that are compared; of more, all that differ are shown as replaced."""


def changed_lines(before: str, after: str, around: int = AROUND) -> tuple[ChangedLine, ...]:
    """The changed lines between two texts with context; empty where they are equal."""
    old, new = before.splitlines(), after.splitlines()
    first, last = _same_at_ends(old, new)
    lines: list[ChangedLine] = []
    for group in _groups(old, new, first, last, around):
        if lines:
            lines.append(ChangedLine(None, None, "⋯", ""))
        lines.extend(group)
    return tuple(lines)


def _same_at_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    most, first, last = min(len(old), len(new)), 0, 0
    while first < most and old[first] == new[first]:
        first += 1
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last


def _groups(
    old: Sequence[str], new: Sequence[str], first: int, last: int, around: int
) -> Iterator[list[ChangedLine]]:
    """The differing groups of lines; only the differing middle is compared, since that takes quadratic time."""
    lead, tail = min(first, around), min(last, around)
    start = first - lead
    olds, news = old[start : len(old) - last + tail], new[start : len(new) - last + tail]
    if len(olds) == lead + tail == len(news):
        return
    if max(len(olds), len(news)) > MOST_MATCHED:
        middle = ("replace", lead, len(olds) - tail, lead, len(news) - tail)
        ends = (len(olds) - tail, len(olds), len(news) - tail, len(news))
        found = [[("equal", 0, lead, 0, lead), middle, ("equal", *ends)]]
    else:
        found = list(SequenceMatcher(None, olds, news, autojunk=False).get_grouped_opcodes(around))
    for group in found:
        yield [line for code in group for line in _lines(olds, news, code, start)]


def _lines(
    olds: Sequence[str], news: Sequence[str], code: tuple[str, int, int, int, int], start: int
) -> Iterator[ChangedLine]:
    tag, old_from, old_to, new_from, new_to = code
    if tag == "equal":
        for was, now in zip(range(old_from, old_to), range(new_from, new_to), strict=True):
            yield ChangedLine(start + was + 1, start + now + 1, " ", olds[was])
        return
    for was in range(old_from, old_to):
        yield ChangedLine(start + was + 1, None, "-", olds[was])
    for now in range(new_from, new_to):
        yield ChangedLine(None, start + now + 1, "+", news[now])


# What changed between two texts of which one was made from the other, in the time that a comparison takes.


LONG_CHARS = 20_000
"""Below this length, searching a text is as fast as comparing it with its last version."""


class Edit(NamedTuple):
    """The differing span: from `start` to `old_end` in the old text, to `new_end` in the new one."""

    start: int
    old_end: int
    new_end: int


def edited_lines(old: str, new: str) -> Edit | None:
    """The span of changed whole lines; None where so much changed that searching all of it is as good."""
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
