"""Excel workbooks by openpyxl: each sheet as a table that says which cells it shows."""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException

from workbench.domain.files.document import Document, ReadAs
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.plain_sheets import plain_sheets
from workbench.sources.extract.prose import Prose, one_line, table_row
from workbench.sources.extract.refusal import counted

MOST_ROWS = 2_000
MOST_ROWS_IN_ALL = 20_000
MOST_COLUMNS = 200
# A formula whose result nobody has kept: the cell ends right after it.
_NOT_COUNTED = re.compile(rb"(?:</f>|<f[^<>]*/>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_LONGEST_CELL = 10_000

Row = tuple[int, list[str]]


def read_sheets(content: bytes) -> Document:
    """The sheets in order, each under its name; rows beyond a limit are counted and left out."""
    archive = OfficeFile(content, "Excel workbook")
    try:
        writer = _by_library(content)
    except (InvalidFileException, KeyError, ValueError, TypeError, AttributeError, IndexError, SyntaxError):
        writer = _by_hand(archive)
    text, sections = writer.prose.finished()
    return Document(text, ReadAs("sheets", notes=(*writer.notes, *_left_out(archive))), sections)


def _by_hand(archive: OfficeFile) -> SheetWriter:
    """The cells alone, where something around them is not as the library wants it."""
    writer = SheetWriter()
    for title, rows, hidden in plain_sheets(archive):
        writer.sheet(title, rows, hidden)
    writer.notes.append("dates are shown as the numbers that the file has for them")
    return writer


def _by_library(content: bytes) -> SheetWriter:
    writer = SheetWriter()
    # Drawings, fonts and styles that it does not know are of no interest here.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=True)
        for sheet in book.worksheets:
            hidden = getattr(sheet, "sheet_state", "visible") != "visible"
            writer.sheet(one_line(sheet.title) or "Sheet", _filled(sheet), hidden)
    return writer


def _left_out(archive: OfficeFile) -> Iterator[str]:
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
    sheets = [name for name in archive.names if name.startswith("xl/worksheets/") and name.endswith(".xml")]
    missing = sum(len(_NOT_COUNTED.findall(archive.bytes_of(name))) for name in sheets)
    if missing:
        yield f"{counted(missing, 'formula', 'formulas')} without a kept result left out"


class SheetWriter:
    """Writes sheets one below the other, as long as there is room for rows."""

    def __init__(self) -> None:
        self.prose = Prose()
        self.notes: list[str] = []
        self._rows = 0

    def sheet(self, title: str, filled: Iterable[Row], hidden: bool) -> None:
        """One sheet, with what of it was left out."""
        self.prose.heading(title, 2)
        if hidden:
            self._note(f"sheet “{title}” is hidden", "This sheet is hidden.")
        room = min(MOST_ROWS, MOST_ROWS_IN_ALL - self._rows)
        rows, over, wide = _within(filled, room)
        self._rows += len(rows)
        if rows:
            self.prose.block(_table(rows))
        elif not over:
            self._note(f"sheet “{title}” is empty", "This sheet is empty.")
        if over:
            self._note(
                f"{counted(over, 'row')} of sheet “{title}” left out: {len(rows):,} are shown",
                f"{counted(over, 'more row')} left out.",
            )
        if wide:
            said = f"columns after {get_column_letter(MOST_COLUMNS)} left out"
            self._note(f"{said} in sheet “{title}”", said[0].upper() + said[1:] + ".")

    def _note(self, note: str, in_text: str) -> None:
        self.notes.append(note)
        self.prose.block(f"({in_text})")


def _filled(sheet: Any) -> Iterator[Row]:
    """The rows that hold something, with their numbers."""
    # A sheet may say that it has a million rows; what counts is which it has.
    sheet.reset_dimensions()
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if any(value is not None for value in values):
            yield number, [_shown(value) for value in values[: MOST_COLUMNS + 1]]


def _within(filled: Iterable[Row], room: int) -> tuple[list[Row], int, bool]:
    """Rows within the limits, how many more there are, and whether they are too wide."""
    rows: list[Row] = []
    over, wide = 0, False
    for number, values in filled:
        if len(rows) >= room:
            over += 1
            continue
        wide = wide or len(values) > MOST_COLUMNS
        rows.append((number, values[:MOST_COLUMNS]))
    return rows, over, wide


def _table(rows: Sequence[Row]) -> str:
    """The rows with their numbers before them, from the first column to the last that holds something."""
    width = max(max((place for place, cell in enumerate(cells, 1) if cell), default=1) for _, cells in rows)
    cells_shown = f"Cells A{rows[0][0]}:{get_column_letter(width)}{rows[-1][0]}:"
    lines = [table_row([str(number), *cells[:width], *[""] * (width - len(cells))]) for number, cells in rows]
    return "\n".join([cells_shown, "", lines[0], "|" + "---|" * (width + 1), *lines[1:]])


def _shown(value: object) -> str:
    """A cell as it is read: whole numbers without .0, days without a time of midnight."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(round(value, 12))
    if isinstance(value, datetime.datetime):
        whole_day = value.time() == datetime.time(0)
        return value.date().isoformat() if whole_day else value.isoformat(" ", "seconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.isoformat("seconds")
    return str(value)[:_LONGEST_CELL]
