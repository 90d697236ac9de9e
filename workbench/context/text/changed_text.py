"""A changed text as a unified diff, where that is much shorter than the text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

_HUNK_LINES = (3, 1)
"""How much stands around a change: less where more would be too much of a short text."""
_MOST_LINES = 2_000
_HUNK_HEAD = re.compile(r"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")
_MOST_CHANGED = 4
"""Changes are sent in place of a text only where they are less than this part of it."""


def changed_text(old: str, new: str) -> str | None:
    """The changes between two texts as hunks with context; None where they are no small part of the new one."""
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
    """A hunk's head with the line numbers of the whole text."""
    found = _HUNK_HEAD.match(line)
    if found is None:
        return line
    return f"@@ -{int(found[1]) + start}{found[2]} +{int(found[3]) + start}{found[4]} @@"
