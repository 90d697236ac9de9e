"""Excel workbooks: each sheet as a table that says which cells it shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from openpyxl.utils import get_column_letter

from workbench.domain.files.document import Document, ReadAs
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.plain_sheets import Row, SheetRows, plain_sheets
from workbench.sources.extract.prose import Prose, table_row
from workbench.sources.extract.refusal import MOST_CHARACTERS, counted

# Short rows are filled up to the longest one, unless it is far longer: a single cell may stand in the last column.
_MOST_FILLED_UP = 200
# What stands around the rows: the names of sheets, and what is said of them.
_ASIDE_CHARACTERS = 100_000
_CELL_END = "\x01"
_ODD = re.compile("[|\0\ud800-\udfff]|[^\\S ]|  |^ | $|\x01 | \x01|\\\\")
"""What a row must not hold to be written as it is: signs of tables, line breaks, more than single spaces."""


def read_sheets(content: bytes) -> Document:
    """The sheets in order, each under its name; rows for which a document has no room are counted and left out."""
    archive = OfficeFile(content, "Excel workbook")
    writer = SheetWriter()
    uncounted = 0
    for title, rows, hidden in plain_sheets(archive):
        writer.sheet(title, rows, hidden)
        uncounted += rows.uncounted
    text, sections = writer.prose.finished()
    notes = (*writer.notes, *_left_out(archive, uncounted))
    return Document(text, ReadAs("sheets", notes=notes, unread=tuple(writer.cut)), sections)


def _left_out(archive: OfficeFile, uncounted: int) -> Iterator[str]:
    for folder, one, more in (
        ("xl/charts/chart", "chart", "charts"),
        ("xl/media/", "picture", "pictures"),
        ("xl/comments", "sheet's comments", "sheets' comments"),
        (
            "xl/pivotcache/pivotcacherecords",
            "pivot table's copy of its data",
            "pivot tables' copies of their data",
        ),
    ):
        number = archive.count(folder)
        if number:
            yield f"{counted(number, one, more)} left out"
    if "xl/vbaproject.bin" in archive.names:
        yield "macros left out"
    if uncounted:
        yield f"{counted(uncounted, 'formula', 'formulas')} without a kept result left out"


class SheetWriter:
    """Writes sheets one below the other, as long as there is room for rows.

    Attributes:
        notes: what is said of sheets. cut: what of them is left out because there is no room.
    """

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self.prose = Prose()
        self.notes: list[str] = []
        self.cut: list[str] = []
        self._most = most_characters - min(_ASIDE_CHARACTERS, most_characters // 2)

    def sheet(self, title: str, filled: Iterable[Row], hidden: bool) -> None:
        """One sheet, with what of it was left out."""
        self.prose.heading(title, 2)
        if hidden:
            self.notes.append(f"sheet “{title}” is hidden")
            self.prose.block("(This sheet is hidden.)")
        table = _Table(self._most - self.prose.length)
        over = table.fill(filled)
        if table.lines:
            self.prose.block(table.finished())
        elif not over:
            self.notes.append(f"sheet “{title}” is empty")
            self.prose.block("(This sheet is empty.)")
        if over:
            self.cut.append(
                f"{counted(over, 'row')} of sheet “{title}” left out: {len(table.lines):,} are read"
            )
            self.prose.block(f"({counted(over, 'more row')} left out.)")


class _Table:
    """Rows with their numbers before them, from the first column to the last that holds something."""

    def __init__(self, room: int) -> None:
        self._room = room
        self.lines: list[str] = []
        self._widths: list[int] = []
        self._first = self._last = self._length = 0

    def fill(self, filled: Iterable[Row]) -> int:
        """Take rows while there is room for them; how many there are besides."""
        over = 0
        for number, cells in filled:
            if over or not self._take(number, cells):
                over += 1
                if isinstance(filled, SheetRows):
                    filled.counting = True
        return over

    def finished(self) -> str:
        """All of it as Markdown."""
        width, lines = max(self._widths), self.lines
        missing = sum(width - one for one in self._widths)
        if width <= _MOST_FILLED_UP and self._length + 3 * missing <= self._room:
            lines = [line + "  |" * (width - one) for line, one in zip(lines, self._widths, strict=True)]
        shown = f"Cells A{self._first}:{get_column_letter(width)}{self._last}:"
        return "\n".join([shown, "", lines[0], "|" + "---|" * (width + 1), *lines[1:]])

    def _take(self, number: int, cells: list[str]) -> bool:
        width = len(cells)
        while width and not cells[width - 1].strip():
            width -= 1
        cells = cells if width == len(cells) else cells[:width]
        plain = _CELL_END.join(cells)
        line = (
            table_row([str(number), *cells])
            if _ODD.search(plain)
            else f"| {number} | {plain.replace(_CELL_END, ' | ')} |"
        )
        if self._length + len(line) + 1 > self._room:
            return False
        self._length += len(line) + 1
        self._first, self._last = self._first or number, number
        self.lines.append(line)
        self._widths.append(max(1, width))
        return True
