"""Finding an exact passage in a text, whatever its line ends are, and saying where a wrong one nearly was."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher

from workbench.tools.workspace.texts import uses_crlf

Span = tuple[int, int]
_COMPARED_LINES = 3000
_COMPARED_CHARS = 200
_NEAR = 0.6
_SHOWN_AROUND = 2
_SHOWN_PLACES = 10


def places_of(text: str, passage: str) -> tuple[Span, ...]:
    """Where a passage (with `\\n` line ends) is in a text with any line ends; places never overlap."""
    plain = text.replace("\r\n", "\n")
    found, start = [], plain.find(passage)
    while start >= 0:
        found.append((start, start + len(passage)))
        start = plain.find(passage, start + len(passage))
    if len(plain) == len(text):
        return tuple(found)
    ends = _crlf_ends(text)
    return tuple((low + bisect_left(ends, low), high + bisect_left(ends, high)) for low, high in found)


def replaced(text: str, places: Sequence[Span], new: str) -> str:
    """The text with something else at these places, its line ends like those around."""
    written = new.replace("\n", "\r\n") if uses_crlf(text) else new
    pieces, end = [], 0
    for low, high in places:
        pieces += [text[end:low], written]
        end = high
    return "".join([*pieces, text[end:]])


def why_not_unique(text: str, places: Sequence[Span]) -> str:
    """How often a passage occurs, and in which lines."""
    lines = [str(text.count("\n", 0, low) + 1) for low, _ in places[:_SHOWN_PLACES]]
    more = ", …" if len(places) > _SHOWN_PLACES else ""
    return (
        f"{len(places)} times (lines {', '.join(lines)}{more}). "
        "Give more lines around it so that it occurs once, or set all to true."
    )


def why_not_found(text: str, passage: str) -> str:
    """The lines that come nearest to the passage's first line."""
    wanted = next((line.strip() for line in passage.split("\n") if line.strip()), "")
    lines = text.replace("\r\n", "\n").split("\n")
    best = _nearest(lines[:_COMPARED_LINES], wanted[:_COMPARED_CHARS]) if wanted else None
    if best is None:
        return "0 matches, and nothing like it is near; read the file first."
    start, end = max(0, best - _SHOWN_AROUND), best + _SHOWN_AROUND + 1
    near = [f"{number}: {line[:_COMPARED_CHARS]}" for number, line in enumerate(lines[start:end], start + 1)]
    return "0 matches. The nearest lines are:\n" + "\n".join(near)


def _nearest(lines: Sequence[str], wanted: str) -> int | None:
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    best, nearest = _NEAR, None
    for number, line in enumerate(lines):
        matcher.set_seq1(line.strip()[:_COMPARED_CHARS])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, nearest = matcher.ratio(), number
    return nearest


def _crlf_ends(text: str) -> list[int]:
    """Where, counted in the text with `\\n` line ends, a line feed stands for two characters."""
    ends: list[int] = []
    start = text.find("\r\n")
    while start >= 0:
        ends.append(start - len(ends))
        start = text.find("\r\n", start + 2)
    return ends
