"""OpenDocument files: texts, presentations and spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.sources.extract.odf_text import (
    DRAW,
    MOST_REPEATED,
    OFFICE,
    SHOW,
    STYLE,
    TABLE,
    TEXT,
    OdfWriter,
    OpenFile,
    left_out_notes,
    plain,
    times,
)
from workbench.sources.extract.plain_sheets import Row
from workbench.sources.extract.prose import one_line
from workbench.sources.extract.refusal import Unreadable, counted
from workbench.sources.extract.sheets import SheetWriter

_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384  # of the format itself
_MOST_REPEATED_ROWS = 1_000


def read_odt(content: bytes) -> Document:
    """A text with its notes, comments, headers and footers."""
    file = OpenFile(content, "OpenDocument text")
    writer = OdfWriter(file)
    # Before the first heading: behind the last they would be a part of it.
    for name, line in file.around():
        writer.prose.block(f"{name}: {line}")
    writer.all_of(file.body)
    writer.end()
    text, sections = writer.prose.finished()
    return Document(text, ReadAs("odt", notes=left_out_notes(writer, file)), sections)


def read_odp(content: bytes) -> Document:
    """The slides, or the pages of a drawing, each under a line with its number and title."""
    file = OpenFile(content, "OpenDocument presentation")
    writer = OdfWriter(file)
    starts = [_slide(writer, number, page) for number, page in enumerate(file.body.findall(f"{DRAW}page"), 1)]
    if not starts:
        raise Unreadable("it is an OpenDocument presentation without slides", "Attach another file.")
    text, sections = writer.prose.finished()
    marks = [one for one in sections if one.start in set(starts)]
    pages = tuple(
        Section(f"p{number}", one.title, 1, one.start, end, number, number)
        for number, (one, end) in enumerate(zip(marks, [*starts[1:], len(text)], strict=True), 1)
    )
    numbered = tuple(replace(one, first_page=number, last_page=number) for number, one in enumerate(marks, 1))
    masters = sum(map(_has_words, file.masters()))
    more = (f"text on {counted(masters, 'master slide')} left out",) if masters else ()
    read_as = ReadAs("odp", pages=len(pages), notes=(*left_out_notes(writer, file), *more))
    return Document(text, read_as, numbered, pages)


def _has_words(master: Any) -> bool:
    """Whether something is written on a master slide beside the places for what a slide says."""
    own = (one for one in master if one.get(f"{SHOW}class") is None and one.tag != f"{SHOW}notes")
    return any(plain(line) for one in own for line in one.iter(f"{TEXT}p"))


def _slide(writer: OdfWriter, number: int, page: Any) -> int:
    frames = list(page)
    titled = [one for one in frames if one.get(f"{SHOW}class") == "title"]
    title = one_line(" ".join(writer.cell(one) for one in titled))
    start = writer.prose.mark(
        f"--- slide {number}: {title} ---" if title else f"--- slide {number} ---",
        title or f"slide {number}",
        1,
    )
    writer.all_of([one for one in frames if one not in titled])
    notes = page.find(f"{SHOW}notes")
    said = [] if notes is None else [writer.cell(one) for one in notes]
    if any(said):
        writer.prose.block(f"Notes: {' '.join(filter(None, said))}")
    writer.end()
    writer.notes.clear()
    return start


def read_ods(content: bytes) -> Document:
    """The sheets in order, each under its name; comments stand below the cells that they are about."""
    file = OpenFile(content, "OpenDocument spreadsheet")
    writer, cells = SheetWriter(), OdfWriter(file)
    hidden = _hidden(file.tree)
    for table in file.body.findall(f"{TABLE}table"):
        title = one_line(table.get(f"{TABLE}name", "")) or "Sheet"
        writer.sheet(title, _rows(table, cells), table.get(f"{TABLE}style-name", "") in hidden)
        shapes = table.find(f"{TABLE}shapes")
        cells.all_of(() if shapes is None else shapes)
        drawn, _ = cells.prose.finished()
        for line in (drawn, *cells.notes):
            writer.prose.block(line)
        fresh = OdfWriter(file)
        fresh.left_out = cells.left_out
        cells = fresh
    text, sections = writer.prose.finished()
    notes = (*writer.notes, *left_out_notes(cells, file))
    return Document(text, ReadAs("ods", notes=notes, unread=tuple(writer.cut)), sections)


def _hidden(tree: Any) -> frozenset[str]:
    """The names of styles whose sheets are not shown."""
    return frozenset(
        str(one.get(f"{STYLE}name"))
        for one in tree.iter(f"{STYLE}style")
        for shown in one.iter(f"{STYLE}table-properties")
        if shown.get(f"{TABLE}display") == "false"
    )


def _rows(table: Any, cells: OdfWriter) -> Iterator[Row]:
    """The rows that hold something, with their numbers."""
    number = 0
    for row in table.iter(f"{TABLE}table-row"):
        if next(row.iterancestors(f"{TABLE}table"), None) is not table:
            continue
        values = _values(row, cells)
        repeated = times(row, "rows", _MOST_ROWS)
        if any(values):
            for again in range(min(repeated, _MOST_REPEATED_ROWS)):
                yield number + again + 1, values
            cells.left_out["repeated row"] += max(0, repeated - _MOST_REPEATED_ROWS)
        number += repeated


def _values(row: Any, cells: OdfWriter) -> list[str]:
    values: list[str] = []
    empty = 0
    for cell in row:
        if cell.tag not in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            continue
        said = cells.cell(cell) or one_line(cell.get(f"{OFFICE}string-value", ""))
        repeated = times(cell, "columns", _MOST_COLUMNS)
        if said:
            shown = min(repeated, MOST_REPEATED)
            cells.left_out["repeated cell"] += repeated - shown
            values += [*[""] * empty, *[said] * shown, *[""] * (repeated - shown)]
        # Behind the last that holds something there is a cell that stands for the rest of the row.
        empty = 0 if said else empty + repeated
    return values[:_MOST_COLUMNS]
