"""Where stretches of a written text stand in what is shown of it: marks of Markdown are left out there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_WORD = re.compile(r"\w+|[^\w\s]")
_REACH = 4_000
"""So far ahead a word is looked for; what is shown in between stands in no text, as a table does."""


class Mark(NamedTuple):
    """A stretch of a text to be marked; a strong one more than the others."""

    start: int
    end: int
    strong: bool = False


def marks_in(source: str, texts: Sequence[str], marks: Sequence[Mark]) -> list[list[Mark]]:
    """The marks of a text in each of the texts that are shown for it, by whole words."""
    at = 0
    found: list[list[Mark]] = []
    for text in texts:
        placed: list[tuple[Mark, int]] = []
        for word in _WORD.finditer(text):
            place = source.find(word.group(), at, at + _REACH)
            if place < 0:
                continue
            at = place + len(word.group())
            number = _mark_at(place, at, marks)
            if number is not None:
                placed.append((Mark(*word.span(), marks[number].strong), number))
        found.append(_joined(placed))
    return found


def _mark_at(start: int, end: int, marks: Sequence[Mark]) -> int | None:
    return next((n for n, one in enumerate(marks) if one.start < end and start < one.end), None)


def _joined(placed: Sequence[tuple[Mark, int]]) -> list[Mark]:
    """Words of the same stretch as one mark."""
    joined: list[tuple[Mark, int]] = []
    for mark, number in placed:
        goes_on = joined and joined[-1][1] == number
        start = joined.pop()[0].start if goes_on else mark.start
        joined.append((mark._replace(start=start), number))
    return [mark for mark, _ in joined]
