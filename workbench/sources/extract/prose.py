"""Builds text piece by piece: paragraphs, headings, lists and tables, with the positions of headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.domain.files.document import Section
from workbench.domain.translation import tr
from workbench.sources.extract.outline import Heading, sections_of_headings
from workbench.sources.extract.refusal import MOST_CHARACTERS, Unreadable, clean


class Prose:
    """Blocks of text separated by blank lines; consecutive blocks marked `close` have none between them."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._headings: list[Heading] = []
        self._length = 0
        self._close = False

    def block(self, text: str, close: bool = False) -> int:
        """Adds a paragraph and returns where it starts; two `close` ones in a row have no blank line between them."""
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
        """Adds a heading, which starts a section."""
        title = one_line(title)
        if title:
            start = self.block(f"{'#' * min(6, level)} {title}")
            self._headings.append((title, level, start))

    def section_line(self, line: str, title: str, level: int) -> int:
        """Adds a line that starts a section without being a heading of the text itself; returns where it starts."""
        start = self.block(line)
        self._headings.append((one_line(title), level, start))
        return start

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Adds a Markdown table, whose first row is its head."""
        self.block(markdown_table(rows))

    @property
    def length(self) -> int:
        """The number of characters so far."""
        return self._length

    def finished(self) -> tuple[str, tuple[Section, ...]]:
        """Returns the whole text and its sections."""
        if self._pieces:
            self._put("\n")
        text = "".join(self._pieces)
        return text, sections_of_headings(self._headings, len(text))

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if self._length > MOST_CHARACTERS:
            raise Unreadable(
                tr("its text has over {most_characters:,} characters", most_characters=MOST_CHARACTERS),
                tr("Attach a part of it."),
            )


def one_line(text: str) -> str:
    """Returns the text without line breaks and repeated spaces."""
    return " ".join(clean(text).split())


def spaced(text: str) -> str:
    """Collapses spaces and blank lines; keeps single line breaks."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows as a Markdown table; shorter rows are padded."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    lines = [table_row([*row, *[""] * (width - len(row))]) for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def table_row(cells: Iterable[str]) -> str:
    """Returns one table row; bars and line breaks in cells are escaped."""
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"
