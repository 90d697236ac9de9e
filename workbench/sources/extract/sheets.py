"""Reads Excel workbooks: each sheet as a table with its cell range."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from html import escape, unescape
from typing import Any

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils import get_column_letter
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel, from_ISO8601

from workbench.domain.files.document import Document, ReadAs
from workbench.domain.translation import counted, tr
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.left_out import MACROS, left_out
from workbench.sources.extract.prose import Prose, one_line, table_row
from workbench.sources.extract.refusal import MOST_CHARACTERS, broken

# Cells of an Excel workbook, row by row as they are written; nothing that stands around them is looked at.


_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIGITS = "0123456789"
_BLOCK_BYTES = 4 * 1024 * 1024
_ROOT = re.compile(r"<(\w+:|)worksheet\b")
_ROW = re.compile(r"<row((?:\s[^>]*)?)(?<!/)>(.*?)</row>", re.DOTALL)
_ROW_NUMBER = re.compile(r"""\sr=["'](\d+)""")
_CELL = re.compile(
    r"""<c(?: r="([A-Z]{1,3})\d+")?((?:\s[^>]*?)?)(?:/>|><v>([^<]*)</v></c>|>(.*?)</c>)""", re.DOTALL
)
_ATTRIBUTE = re.compile(r"""\s([rst])\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_WRITTEN = re.compile(r"<v(?:\s[^>]*)?>([^<]+)")
_INLINE = re.compile(r"<t(?:\s[^>]*)?>([^<]*)")
_RUBY = re.compile(r"<rPh\b.*?</rPh>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKED = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_UNMARKED = (-1, "n", "")
_TRUTH = {"0": "FALSE", "1": "TRUE"}
_MOST_COLUMNS = 16_384  # of the format itself

Row = tuple[int, list[str]]
Dates = Mapping[str, bool]
"""Cell styles that show dates or times, by style index; True for durations."""


def plain_sheets(archive: OfficeFile) -> Iterator[tuple[str, SheetRows, bool]]:
    """Yields each sheet with its name, its rows as stored, and whether it is hidden."""
    main = archive.main("xl/workbook.xml")
    book = archive.tree(main)
    if book is None:
        raise broken(tr("Excel workbook"))
    related = archive.related(main)
    strings, dates = _strings(archive, related), _dates(archive, related)
    since = next((one.get("date1904") for one in book.iter(f"{_S}workbookPr")), None)
    shown = _CellFormats(strings, dates, MAC_EPOCH if since in ("1", "true") else WINDOWS_EPOCH)
    for one in book.iter(f"{_S}sheet"):
        kind, target = related.get(one.get(f"{_R}id", ""), ("", ""))
        if kind == "worksheet" and archive.has(target):
            hidden = one.get("state", "visible") != "visible"
            yield one_line(one.get("name", "")) or "Sheet", SheetRows(archive, target, shown), hidden


class SheetRows:
    """The non-empty rows of a sheet with their numbers; without their cells while `counting` is set.

    Parsing a million rows as XML takes minutes, so the text is searched with regular expressions.

    Attributes:
        uncounted: formulas whose result nobody has kept, in the rows that were read.
    """

    def __init__(self, archive: OfficeFile, name: str, shown: _CellFormats) -> None:
        self._archive, self._name, self._shown = archive, name, shown
        self.counting = False
        self.uncounted = 0

    def __iter__(self) -> Iterator[Row]:
        number = 0
        for piece in self._pieces():
            for attributes, inside in _ROW.findall(piece):
                found = _ROW_NUMBER.search(attributes)
                number = int(found[1]) if found else number + 1
                if self.counting:
                    if "<v" in inside or "<is" in inside:
                        yield number, []
                    continue
                values = self._values(inside)
                if any(values):
                    yield number, values

    def _pieces(self) -> Iterator[str]:
        """Yields the sheet's XML in pieces that end between rows, without prefixes, comments or CDATA."""
        text = prefix = ""
        for block in self._blocks():
            text += block
            if not prefix and (root := _ROOT.search(text)):
                prefix = root[1] or "-"
            end = text.rfind(_row_end(prefix)) + len(_row_end(prefix))
            if end >= len(_row_end(prefix)):
                yield _plain(text[:end], prefix)
                text = text[end:]
        if not re.search(r"</(?:\w+:)?worksheet\s*>\s*$|<(?:\w+:)?worksheet[^>]*/>\s*$", text):
            raise broken(tr("Excel workbook"))

    def _blocks(self) -> Iterator[str]:
        with self._archive.opened(self._name) as stream:
            start = stream.read(2)
            wide = start in (b"\xff\xfe", b"\xfe\xff")
            decoder = getincrementaldecoder("utf-16" if wide else "utf-8")("replace")
            block = start + stream.read(_BLOCK_BYTES)
            while block:
                yield decoder.decode(block)
                block = stream.read(_BLOCK_BYTES)

    def _values(self, row: str) -> list[str]:
        values: list[str] = []
        shown = self._shown.cell
        for letters, attributes, written, inside in _CELL.findall(row):
            column, kind, style = _marks(attributes) if attributes else _UNMARKED
            column = _column(letters) if letters else column
            if column > len(values):
                values += [""] * (min(column, _MOST_COLUMNS) - len(values))
            if inside:
                values.append(self._value(kind, style, inside))
            else:
                values.append(shown(kind, style, written) if written else "")
        return values

    def _value(self, kind: str, style: str, inside: str) -> str:
        """Returns the value of a cell that holds more than a value: a formula, or inline text."""
        if "<is" in inside:
            return unescape("".join(_INLINE.findall(_RUBY.sub("", inside))))
        found = _WRITTEN.search(inside)
        if found is None:
            self.uncounted += "<f" in inside
            return ""
        return self._shown.cell(kind, style, found[1])


def _row_end(prefix: str) -> str:
    return f"</{prefix}row>" if prefix not in ("", "-") else "</row>"


def _plain(text: str, prefix: str) -> str:
    if "<!" in text:
        text = _MARKED.sub(lambda found: escape(found[1]), _COMMENT.sub("", text))
    return text if prefix in ("", "-") else text.replace(f"<{prefix}", "<").replace(f"</{prefix}", "</")


@lru_cache(maxsize=4096)
def _marks(attributes: str) -> tuple[int, str, str]:
    """Returns the column, kind and style of a cell; -1 where it states no column."""
    found = {name: one or other for name, one, other in _ATTRIBUTE.findall(attributes)}
    place = found.get("r", "")
    return _column(place.rstrip(_DIGITS)) if place else -1, found.get("t", "n"), found.get("s", "")


class _CellFormats:
    """Formats cell values by their kind; numbers whose style shows a date become dates."""

    def __init__(self, strings: list[str], dates: Dates, epoch: datetime) -> None:
        self._strings, self._dates, self._epoch = strings, dates, epoch

    def cell(self, kind: str, style: str, written: str) -> str:
        """Returns a cell's value as text."""
        if kind == "s":
            known = written.isdecimal() and int(written) < len(self._strings)
            return self._strings[int(written)] if known else ""
        if kind == "b":
            return _TRUTH.get(written, written)
        if kind == "n":
            spent = self._dates.get(style)
            return _number(written) if spent is None else _format_date_number(written, self._epoch, spent)
        return _format_iso_date(written) if kind == "d" else unescape(written)


def _number(written: str) -> str:
    """Formats a number: whole ones without .0, others without floating-point noise."""
    if written.isdecimal():
        return written
    try:
        value = float(written)
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(round(value, 12))
    except (ValueError, OverflowError):
        return written


@lru_cache(maxsize=4096)
def _format_date_number(written: str, epoch: datetime, spent: bool) -> str:
    try:
        return _format_moment(from_excel(float(written), epoch, timedelta=spent))
    except (ValueError, OverflowError, TypeError):
        return _number(written)


def _format_iso_date(written: str) -> str:
    try:
        return _format_moment(from_ISO8601(written))
    except (ValueError, TypeError):
        return written


def _format_moment(value: object) -> str:
    """Formats a date without a time of midnight."""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time(0) else value.isoformat(" ", "seconds")
    if isinstance(value, time):
        return value.isoformat("seconds")
    return (
        value.isoformat() if isinstance(value, date) else str(value) if isinstance(value, timedelta) else ""
    )


def _dates(archive: OfficeFile, related: Mapping[str, tuple[str, str]]) -> Dates:
    name = next((target for kind, target in related.values() if kind == "styles"), "xl/styles.xml")
    tree = archive.tree(name)
    if tree is None:
        return {}
    own = {one.get("numFmtId", ""): one.get("formatCode", "") for one in tree.iter(f"{_S}numFmt")}
    used = [one.get("numFmtId", "0") for each in tree.iter(f"{_S}cellXfs") for one in each.iter(f"{_S}xf")]
    forms = [own.get(one) or BUILTIN_FORMATS.get(int(one) if one.isdecimal() else 0, "") for one in used]
    return {
        str(place): bool(is_timedelta_format(form))
        for place, form in enumerate(forms)
        if is_date_format(form)
    }


def _strings(archive: OfficeFile, related: Mapping[str, tuple[str, str]]) -> list[str]:
    name = next(
        (target for kind, target in related.values() if kind == "sharedStrings"), "xl/sharedStrings.xml"
    )
    tree = archive.tree(name)
    return [] if tree is None else [_text(one) for one in tree.iter(f"{_S}si")]


def _text(element: Any) -> str:
    return "".join(
        one.text or "" for one in element.iter("{*}t") if next(one.iterancestors("{*}rPh"), None) is None
    )


@lru_cache(maxsize=_MOST_COLUMNS)
def _column(letters: str) -> int:
    if not re.fullmatch("[A-Z]{1,3}", letters):
        return 0
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


# Short rows are filled up to the longest one, unless it is far longer: a single cell may stand in the last column.
_MOST_FILLED_UP = 200
# What stands around the rows: the names of sheets, and what is said of them.
_ASIDE_CHARACTERS = 100_000
_CELL_END = "\x01"
_ODD = re.compile("[|\0\ud800-\udfff]|[^\\S ]|  |^ | $|\x01 | \x01|\\\\")
"""What a row may not contain to be written unescaped: bars, line breaks, repeated spaces."""


def read_sheets(content: bytes) -> Document:
    """Returns the sheets in order, each under its name; rows beyond the limit are counted and left out."""
    archive = OfficeFile(content, tr("Excel workbook"))
    writer = SheetWriter()
    uncounted = 0
    for title, rows, hidden in plain_sheets(archive):
        writer.sheet(title, rows, hidden)
        uncounted += rows.uncounted
    text, sections = writer.prose.finished()
    notes = (*writer.notes, *_left_out(archive, uncounted))
    return Document(text, ReadAs("sheets", notes=notes, unread=tuple(writer.cut)), sections)


def _left_out(archive: OfficeFile, uncounted: int) -> Iterator[str]:
    kinds = {"xl/charts/chart": "chart", "xl/media/": "picture", "xl/comments": "sheet's comments"}
    kinds["xl/pivotcache/pivotcacherecords"] = "pivot table's copy of its data"
    yield from left_out({kind: archive.count(folder) for folder, kind in kinds.items()})
    if "xl/vbaproject.bin" in archive.names:
        yield MACROS
    if uncounted:
        yield tr("{counted} without a kept result left out", counted=counted(uncounted, "formula"))


class SheetWriter:
    """Writes sheets one below the other, as long as there is room for rows.

    Attributes:
        notes: remarks about sheets. cut: what was left out because there was no room.
    """

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self.prose = Prose()
        self.notes: list[str] = []
        self.cut: list[str] = []
        self._most = most_characters - min(_ASIDE_CHARACTERS, most_characters // 2)

    def sheet(self, title: str, filled: Iterable[Row], hidden: bool) -> None:
        """Writes one sheet, and notes what was left out."""
        self.prose.heading(title, 2)
        if hidden:
            self.notes.append(tr("sheet “{title}” is hidden", title=title))
            self.prose.block("(This sheet is hidden.)")
        table = _Table(self._most - self.prose.length)
        over = table.fill(filled)
        if table.lines:
            self.prose.block(table.finished())
        elif not over:
            self.notes.append(tr("sheet “{title}” is empty", title=title))
            self.prose.block("(This sheet is empty.)")
        if over:
            self.cut.append(
                tr(
                    "{counted} of sheet “{title}” left out: {n:,} are read",
                    counted=counted(over, "row"),
                    title=title,
                    n=len(table.lines),
                )
            )
            self.prose.block(f"({counted(over, 'more row')} left out.)")


class _Table:
    """The rows of a sheet with their numbers, up to the last column that is not empty."""

    def __init__(self, room: int) -> None:
        self._room = room
        self.lines: list[str] = []
        self._widths: list[int] = []
        self._first = self._last = self._length = 0

    def fill(self, filled: Iterable[Row]) -> int:
        """Adds rows while there is room; returns how many were left out."""
        over = 0
        for number, cells in filled:
            if over or not self._add_row(number, cells):
                over += 1
                if isinstance(filled, SheetRows):
                    filled.counting = True
        return over

    def finished(self) -> str:
        """Returns the table as Markdown."""
        width, lines = max(self._widths), self.lines
        missing = sum(width - one for one in self._widths)
        if width <= _MOST_FILLED_UP and self._length + 3 * missing <= self._room:
            lines = [line + "  |" * (width - one) for line, one in zip(lines, self._widths, strict=True)]
        shown = f"Cells A{self._first}:{get_column_letter(width)}{self._last}:"
        return "\n".join([shown, "", lines[0], "|" + "---|" * (width + 1), *lines[1:]])

    def _add_row(self, number: int, cells: list[str]) -> bool:
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
