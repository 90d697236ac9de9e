"""Where Markdown can be cut so that its pieces, parsed one by one, give the same as the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

PIECE_CHARS, PIECE_LINES = 6_000, 60
PAGE_CHARS, PAGE_LINES = 50_000, 1_000
"""A page is what is shown of a message at once; a piece is what is parsed without a break."""

_FENCE = re.compile(r"(?:[-+*]|\d{1,9}[.)])?[ \t>]*(`{3,}|~{3,})")
_ITEM = re.compile(r"([-+*]|\d{1,9}[.)])(?=[ \t])")


class Piece(NamedTuple):
    """A part of a text; `after_blank` if an empty line comes before it."""

    start: int
    end: int
    after_blank: bool


@dataclass(slots=True)
class _Reader:
    """Scans lines, and knows what is open: a fence, a formula, or a list."""

    fence: str = ""
    math: str = ""
    listed: str = ""
    blank: bool = True
    fresh: bool = True
    closed: bool = False

    def starts_anew(self, line: str) -> bool:
        """Whether everything before this line is complete, whatever follows."""
        if self.fence or self.math or not line or line[0] in " \t":
            return False
        return self.blank or self.closed or (bool(self.listed) and self.listed == _list_sign(line))

    def take(self, line: str, anew: bool) -> None:
        stripped = line.strip()
        self.closed = False
        if self.fence:
            self._in_fence(line, stripped)
        elif self.math:
            self.math = "" if stripped.endswith(self.math) else self.math
        else:
            self._outside(line, stripped, anew)
        self.blank = not stripped
        self.fresh = self.fresh and not stripped

    def _in_fence(self, line: str, stripped: str) -> None:
        bare = stripped.lstrip("> \t")
        if bare.startswith(self.fence) and not bare.strip(self.fence[0]):
            self.fence = ""
            self.closed = line[:1] in "`~"

    def _outside(self, line: str, stripped: str, anew: bool) -> None:
        if anew or self.fresh:
            self.listed = _list_sign(line)
        opened = _FENCE.match(stripped.lstrip("> \t"))
        if opened:
            self.fence = opened.group(1)
        elif stripped.startswith("$$") and not (len(stripped) > 3 and stripped.endswith("$$")):
            self.math = "$$"
        elif stripped.startswith("\\[") and "\\]" not in stripped:
            self.math = "\\]"


def pieces(text: str, start: int = 0, stop: int | None = None) -> Iterator[Piece]:
    """A text in pieces that can be parsed one by one; something very long is cut in its middle."""
    stop = len(text) if stop is None else stop
    after_blank = True
    while start < stop:
        end, blank = _next_cut(text, start, stop)
        yield Piece(start, end, after_blank)
        start, after_blank = end, blank


def page_end(text: str, start: int = 0) -> int:
    """Where a page that begins at `start` ends: after at most 50 kB, at the end of a line if possible."""
    end = min(len(text), start + PAGE_CHARS)
    at = start
    for _ in range(PAGE_LINES):
        at = text.find("\n", at, end) + 1
        if not at:
            break
    if at:
        return at
    if end == len(text):
        return end
    line_start = text.rfind("\n", start, end) + 1
    return line_start if line_start > start else end


def settled_end(text: str, start: int = 0, stop: int | None = None) -> tuple[int, bool]:
    """Up to where a text that is still growing is complete, and whether an empty line is there."""
    reader, end, blank = _Reader(), start, True
    for at, line in _lines(text, start, len(text) if stop is None else min(stop, len(text))):
        anew = reader.starts_anew(line)
        if anew and at > start:
            end, blank = at, reader.blank
        reader.take(line, anew)
    return end, blank


def _next_cut(text: str, start: int, stop: int) -> tuple[int, bool]:
    if stop - start <= PIECE_CHARS and text.count("\n", start, stop) <= PIECE_LINES:
        return stop, True
    reader, good, possible = _Reader(), (0, True), (0, True)
    for number, (at, line) in enumerate(_lines(text, start, stop)):
        anew = reader.starts_anew(line)
        if anew and at > start:
            good = (at, reader.blank)
        if at > start and not (reader.fence or reader.math):
            possible = (at, reader.blank)
        if (at + len(line) - start > PIECE_CHARS or number >= PIECE_LINES) and not reader.fence:
            return _best_cut(text, start, good, possible)
        reader.take(line, anew)
    return stop, True


def _best_cut(text: str, start: int, good: tuple[int, bool], possible: tuple[int, bool]) -> tuple[int, bool]:
    if good[0]:
        return good
    if possible[0]:
        return possible
    space = text.rfind(" ", start + PIECE_CHARS // 2, start + PIECE_CHARS)
    return (space + 1 if space > 0 else min(len(text), start + PIECE_CHARS)), False


def _lines(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    while start < stop:
        end = text.find("\n", start, stop)
        end = stop if end < 0 else end
        yield start, text[start:end]
        start = end + 1


def _list_sign(line: str) -> str:
    """The sign that all items of a list share, if the line is an item; else empty."""
    found = _ITEM.match(line)
    return found.group(1)[-1] if found else ""
