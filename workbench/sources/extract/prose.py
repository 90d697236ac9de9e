"""Text that is put together piece by piece: paragraphs, headings, lists and tables, and where each heading stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench.domain.files.document import Section
from workbench.sources.extract.outline import Heading, under_headings
from workbench.sources.extract.refusal import MOST_CHARACTERS, Unreadable, clean

_GAPS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


class Prose:
    """Blocks of text with a blank line between them; what belongs together is `close` and has none."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._headings: list[Heading] = []
        self._length = 0
        self._close = False

    def block(self, text: str, close: bool = False) -> int:
        """Add a paragraph; where it begins. A close one stands right below another close one."""
        text = clean(text).strip("\n").rstrip()
        if not text:
            return self._length
        if self._pieces:
            self._put("\n" if close and self._close else "\n\n")
        start = self._length
        self._put(text)
        self._close = close
        return start

    def heading(self, title: str, level: int) -> None:
        """Add a heading, which begins a section."""
        title = one_line(title)
        if title:
            start = self.block(f"{'#' * min(6, level)} {title}")
            self._headings.append((title, level, start))

    def mark(self, line: str, title: str, level: int) -> int:
        """Add a line that is no heading of the text itself and begins a section all the same; where it begins."""
        start = self.block(line)
        self._headings.append((one_line(title), level, start))
        return start

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Add a table as Markdown has it; its first row is its head."""
        self.block(markdown_table(rows))

    @property
    def length(self) -> int:
        """How long it is until now."""
        return self._length

    def finished(self) -> tuple[str, tuple[Section, ...]]:
        """All of it, with its sections."""
        if self._pieces:
            self._put("\n")
        text = "".join(self._pieces)
        return text, under_headings(self._headings, len(text))

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if self._length > MOST_CHARACTERS:
            raise Unreadable(f"its text has over {MOST_CHARACTERS:,} characters", "Attach a part of it.")


def one_line(text: str) -> str:
    """A text without line breaks and double spaces."""
    return " ".join(clean(text).split())


def spaced(text: str) -> str:
    """A text with single spaces, and its line breaks."""
    return _LINES.sub("\n", _GAPS.sub(" ", text)).strip()


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table; those that are shorter than others are filled up."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    lines = [table_row([*row, *[""] * (width - len(row))]) for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def table_row(cells: Iterable[str]) -> str:
    """One row: what would break it is written otherwise."""
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"
