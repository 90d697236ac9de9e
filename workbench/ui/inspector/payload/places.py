"""Which paragraph of the view shows which part of a request."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from workbench.ui.inspector.payload.document import PayloadDocument, ShownLine
from workbench.ui.inspector.payload.lines import shown_offset, source_offset


class TextPosition(NamedTuple):
    """A paragraph of the view, and how many UTF-16 units into it."""

    number: int
    units: int


class Places:
    """Maps characters of a request to paragraphs of the view and back, for the sections laid out so far."""

    def __init__(self, payload: PayloadDocument, lines: Sequence[tuple[ShownLine, ...]]) -> None:
        self.payload = payload
        self.lines: list[tuple[ShownLine, ...]] = []
        self._firsts = [0]
        self.add(lines)

    def add(self, lines: Sequence[tuple[ShownLine, ...]]) -> None:
        """Add the sections that were laid out next."""
        self.lines += lines
        self._firsts += accumulate(map(len, lines), initial=self._firsts.pop())

    @property
    def count(self) -> int:
        return self._firsts[-1]

    def first_line(self, section: int) -> int:
        return self._firsts[section]

    def section(self, number: int) -> int:
        return bisect_right(self._firsts, number) - 1

    def line(self, number: int) -> ShownLine:
        section = self.section(number)
        return self.lines[section][number - self._firsts[section]]

    def shows(self, character: int) -> bool:
        """Whether a character is in a visible paragraph, neither folded nor still to be laid out."""
        section = self.payload.sections.at(character)
        if section >= len(self.lines):
            return False
        inside = character - self.payload.sections.all[section].start
        return any(line.kind == "text" and line.start <= inside < line.end for line in self.lines[section])

    def of(self, character: int) -> TextPosition:
        """Where a character is shown; for a folded one, its fold."""
        section = min(self.payload.sections.at(character), len(self.lines) - 1)
        inside = character - self.payload.sections.all[section].start
        own = max(0, bisect_right(self.lines[section], inside, key=lambda line: line.start) - 1)
        number, line = self._firsts[section] + own, self.lines[section][own]
        if line.kind != "text":
            return TextPosition(number, 0)
        text = self._text(section, line)
        return TextPosition(number, shown_offset(text, min(max(inside - line.start, 0), len(text))))

    def character(self, place: TextPosition, end: bool = False) -> int:
        """The character shown at a position; on a fold, the first hidden one or, with `end`, the one after the last."""
        section, line = self.section(place.number), self.line(place.number)
        first = self.payload.sections.all[section].start
        if line.kind != "text":
            return first + (line.end if end else line.start)
        return first + line.start + source_offset(self._text(section, line), place.units)

    def _text(self, section: int, line: ShownLine) -> str:
        return self.payload.text(section, line.start, line.end).removesuffix("\n")
