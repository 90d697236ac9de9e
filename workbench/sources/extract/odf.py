"""Reads OpenDocument files: texts, presentations and spreadsheets."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.translation import counted, tr
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.left_out import MACROS, left_out
from workbench.sources.extract.prose import Prose, one_line, spaced
from workbench.sources.extract.refusal import Unreadable, broken
from workbench.sources.extract.sheets import Row, SheetWriter

# Text of OpenDocument files: paragraphs, lists, tables, boxes, notes and comments, as all of their kinds have them.


_URN = "urn:oasis:names:tc:opendocument:xmlns"
OFFICE, TEXT, TABLE = f"{{{_URN}:office:1.0}}", f"{{{_URN}:text:1.0}}", f"{{{_URN}:table:1.0}}"
DRAW, STYLE, SHOW = f"{{{_URN}:drawing:1.0}}", f"{{{_URN}:style:1.0}}", f"{{{_URN}:presentation:1.0}}"
FORM = f"{{{_URN}:form:1.0}}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CHART = f"{{{_URN}:chart:1.0}}"
_GAPS = re.compile(r"[ \t\r\n]+")
_WORD = re.compile(r"\w+")
_PARAGRAPHS = frozenset({f"{TEXT}p", f"{TEXT}h"})
_SKIPPED = frozenset(
    {
        f"{TEXT}tracked-changes",
        f"{SHOW}notes",
        f"{TEXT}sequence-decls",
        f"{TEXT}index-title-template",
        f"{OFFICE}scripts",
        f"{OFFICE}event-listeners",
        f"{TABLE}shapes",
        f"{DRAW}glue-point",
        f"{DRAW}enhanced-geometry",
        f"{DRAW}layer-set",
    }
)
_SVG = f"{{{_URN}:svg-compatible:1.0}}"
_TITLES = (f"{_CHART}title", f"{_CHART}subtitle")
_HREF = "{http://www.w3.org/1999/xlink}href"
_DEEPEST_OBJECT = 3
MOST_REPEATED = 200
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384  # of the format itself
_LISTED_MOST = 8


class OpenFile:
    """An OpenDocument archive that passed the safety checks, with its parsed content."""

    def __init__(self, content: bytes, what: str) -> None:
        # Beside them lie macros and lists, which older programs begin with a definition.
        self._archive = OfficeFile(content, what, ("content.xml", "styles.xml"))
        if b"encryption-data" in self._archive.bytes_of("META-INF/manifest.xml"):
            raise Unreadable(
                tr("it is an {what} with a password", what=what),
                tr("Save it without a password, and attach that."),
            )
        tree = self._archive.tree("content.xml")
        body = None if tree is None else tree.find(f"{OFFICE}body")
        if tree is None or body is None or not len(body):
            raise broken(what)
        self.tree, self.body = tree, body[0]
        self.styles = self._archive.tree("styles.xml")
        self.macros = any(name.startswith("basic/") and name.endswith(".xml") for name in self._archive.names)

    def inside(self, href: str) -> Any | None:
        """Returns the body of an embedded object; None where there is none that can be read."""
        name = posixpath.normpath(f"{href}/content.xml").lstrip("/")
        tree = self._archive.tree(name) if href and self._archive.has(name) else None
        body = None if tree is None else tree.find(f"{OFFICE}body")
        return body[0] if body is not None and len(body) else None

    def masters(self) -> list[Any]:
        """Returns the page styles (master pages)."""
        return [] if self.styles is None else list(self.styles.iter(f"{STYLE}master-page"))

    def headers_and_footers(self) -> Iterator[tuple[str, str]]:
        """Yields the headers and footers of the page styles, each text once."""
        found: dict[tuple[str, str], None] = {}
        for master in self.masters():
            for part in master:
                name = str(part.tag).removeprefix(STYLE).partition("-")[0]
                if name in ("header", "footer"):
                    found[name.title(), "\n".join(filter(None, map(plain, _paragraphs(part))))] = None
        yield from (one for one in found if one[1])

    def numbered(self) -> frozenset[str]:
        """Returns the names of list styles that number their items."""
        trees = [tree for tree in (self.tree, self.styles) if tree is not None]
        styles = [one for tree in trees for one in tree.iter(f"{TEXT}list-style")]
        mark = f"{TEXT}list-level-style-number"
        return frozenset(
            str(one.get(f"{STYLE}name"))
            for one in styles
            if (level := one.find(mark)) is not None and level.get(f"{STYLE}num-format")
        )


def _paragraphs(element: Any) -> Iterator[Any]:
    return (one for one in element.iter(*_PARAGRAPHS))


def plain(paragraph: Any) -> str:
    """Returns a paragraph as one line, without its notes and drawings."""
    return one_line("".join(OdfWriter().letters(paragraph)))


class OdfWriter:
    """Writes the elements of an OpenDocument file as text; notes and comments are collected for the end."""

    def __init__(self, file: OpenFile | None = None) -> None:
        self.prose = Prose()
        self._file, self._depth = file, 0
        self.left_out: Counter[str] = Counter()
        self.notes: list[str] = []
        self._numbered = frozenset() if file is None else file.numbered()
        self._boxes: list[Any] = []

    def write_blocks(self, element: Any) -> None:
        """Writes the blocks below an element, in order."""
        for child in element:
            if not isinstance(child.tag, str) or child.tag in _SKIPPED:
                continue
            if child.tag in _PARAGRAPHS:
                self._paragraph(child)
            elif child.tag == f"{TEXT}list":
                self._list(child, 0, "")
            elif child.tag == f"{TABLE}table":
                self._table(child)
            elif child.tag == f"{OFFICE}forms":
                self._form(child)
            elif child.tag.startswith(DRAW):
                self.write_drawing(child)
            else:
                self.write_blocks(child)

    def write_notes(self) -> None:
        """Writes the collected notes and comments."""
        for note in self.notes:
            self.prose.block(note, close=True)

    def _paragraph(self, one: Any) -> None:
        text = spaced("".join(self.letters(one)))
        level = one.get(f"{TEXT}outline-level", "1")
        if one.tag == f"{TEXT}h":
            self.prose.heading(text, min(9, int(level)) if level.isdecimal() else 1)
        else:
            self.prose.block(text)
        self._write_boxes()

    def _form(self, forms: Any) -> None:
        """Writes the values and labels of form fields."""
        for one in forms.iter():
            if not isinstance(one.tag, str) or one.get(f"{FORM}id") is None:
                continue
            label, name = (one_line(one.get(f"{FORM}{key}", "")) for key in ("label", "name"))
            value = one_line(one.get(f"{FORM}current-value") or one.get(f"{FORM}value") or "")
            ticked = one.get(f"{FORM}current-state") or one.get(f"{FORM}current-selected")
            value = value or ("ticked" if ticked in ("checked", "true") else "")
            said = f"{label or name}: {value}" if value else label
            self.prose.block(said, close=True)

    def _list(self, one: Any, depth: int, style: str) -> None:
        style = one.get(f"{TEXT}style-name") or style
        number = 0
        for item in one:
            if item.tag not in (f"{TEXT}list-item", f"{TEXT}list-header"):
                continue
            number += 1
            mark = f"{number}. " if style in self._numbered else "- "
            for child in item:
                if child.tag in _PARAGRAPHS:
                    text = one_line("".join(self.letters(child)))
                    self._item(child, text, "   " * min(depth, _LISTED_MOST) + mark)
                    mark = " " * len(mark)
                elif child.tag == f"{TEXT}list":
                    self._list(child, depth + 1, style)
                elif isinstance(child.tag, str):
                    self.write_blocks([child])
            self._write_boxes()

    def _item(self, one: Any, text: str, mark: str) -> None:
        if one.tag == f"{TEXT}h" and text:
            level = one.get(f"{TEXT}outline-level", "1")
            self.prose.heading(text, min(9, int(level)) if level.isdecimal() else 1)
        elif text:
            self.prose.block(mark + text, close=True)

    def _table(self, table: Any) -> None:
        rows = []
        for row in (one for one in table.iter(f"{TABLE}table-row") if _is_row_of(one, table)):
            rows.append(list(self._cells(row)))
            self.left_out["repeated row"] += repeat_count(row, "rows", _MOST_ROWS) - 1 if any(rows[-1]) else 0
        self.prose.table([row for row in rows if any(row)])
        self._write_boxes()

    def _cells(self, row: Any) -> Iterator[str]:
        for cell in row:
            if cell.tag in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
                text = self.cell(cell)
                repeated = repeat_count(cell, "columns", _MOST_COLUMNS)
                self.left_out["repeated cell"] += max(0, repeated - MOST_REPEATED) if text else 0
                yield from [text] * min(repeated, MOST_REPEATED)

    def cell(self, cell: Any) -> str:
        """Returns a cell's text as one line; its notes are collected for the end."""
        for one in cell.iter(f"{DRAW}frame", f"{OFFICE}annotation"):
            if next(one.iterancestors(f"{TEXT}p", f"{TABLE}table-cell"), cell).tag != f"{TEXT}p":
                list(self._inside(one))
        lines = [one_line("".join(self.letters(one))) for one in _paragraphs(cell) if _is_said_in(cell, one)]
        boxes, self._boxes = self._boxes, []
        for box in boxes:  # the words in them are among the cell's own
            if box.tag == f"{DRAW}frame" and box.find(f"{DRAW}text-box") is None:
                self._frame(box)
        return " ".join(filter(None, lines))

    def letters(self, element: Any) -> Iterator[str]:
        """Yields the pieces of text in a paragraph."""
        yield _GAPS.sub(" ", element.text or "")
        for child in element:
            if isinstance(child.tag, str):
                yield from self._inside(child)
            yield _GAPS.sub(" ", child.tail or "")

    def _inside(self, one: Any) -> Iterator[str]:
        tag = one.tag
        if tag == f"{TEXT}s":
            yield " " * (min(100, int(c)) if (c := one.get(f"{TEXT}c", "1")).isdecimal() else 1)
        elif tag == f"{TEXT}tab":
            yield "\t"
        elif tag == f"{TEXT}line-break":
            yield "\n"
        elif tag == f"{TEXT}note":
            yield self._note(one)
        elif tag == f"{OFFICE}annotation":
            yield self._comment(one)
        elif tag.startswith(DRAW) and tag != f"{DRAW}a":
            self._boxes.append(one)
        elif tag == f"{TEXT}ruby-text":
            yield from (" (", *self.letters(one), ")")
        elif tag not in _SKIPPED and tag != f"{OFFICE}annotation-end":
            yield from self.letters(one)

    def _note(self, one: Any) -> str:
        citation = one.find(f"{TEXT}note-citation")
        kind = "e" if one.get(f"{TEXT}note-class") == "endnote" else ""
        number = kind + one_line("" if citation is None else citation.text or "")
        body = one.find(f"{TEXT}note-body")
        text = "" if body is None else " ".join(map(plain, _paragraphs(body)))
        self.notes.append(f"[^{number}]: {one_line(text)}")
        return f"[^{number}]"

    def _comment(self, one: Any) -> str:
        author = one_line(one.findtext(f"{_DC}creator") or "")
        text = one_line(" ".join(map(plain, _paragraphs(one))))
        if not text:
            return ""
        number = sum(note.startswith("[comment") for note in self.notes) + 1
        self.notes.append(f"[comment {number}] {author}: {text}" if author else f"[comment {number}] {text}")
        return f"[comment {number}]"

    def _write_boxes(self) -> None:
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.write_drawing(box)

    def write_drawing(self, one: Any) -> None:
        """Writes the text in a drawing; a drawing without text is counted."""
        if one.tag == f"{DRAW}frame":
            self._frame(one)
        elif next(one.iter(*_PARAGRAPHS, f"{DRAW}frame"), None) is not None:
            self.write_blocks(one)
        elif one.tag not in (f"{DRAW}g", f"{DRAW}a", f"{DRAW}page-thumbnail", f"{DRAW}control"):
            self.left_out["drawing"] += 1

    def _frame(self, frame: Any) -> None:
        inside = {child.tag: child for child in reversed(frame)}
        for tag in (f"{DRAW}text-box", f"{TABLE}table"):
            if tag in inside:
                self.write_blocks(inside[tag] if tag != f"{TABLE}table" else [inside[tag]])
                return
        if f"{DRAW}object" in inside or f"{DRAW}object-ole" in inside:
            self._object(inside.get(f"{DRAW}object"))
        elif f"{DRAW}image" in inside:
            self.left_out["picture"] += 1
            words = one_line(frame.findtext(f"{_SVG}desc") or "")
            self.prose.block(f"[picture: {words}]" if words else "")

    def _object(self, held: Any | None) -> None:
        """Writes a chart's titles and figures, or the text of an embedded document; other objects are counted."""
        href = "" if held is None else held.get(_HREF, "")
        body = None if self._file is None or self._depth >= _DEEPEST_OBJECT else self._file.inside(href)
        if body is None or body.tag not in (f"{OFFICE}chart", f"{OFFICE}text"):
            self.left_out["embedded object"] += 1
            return
        self._depth += 1
        if body.tag == f"{OFFICE}chart":
            titles = [one_line(" ".join(map(plain, _paragraphs(one)))) for one in body.iter(*_TITLES)]
            self.prose.block(f"Chart: {'; '.join(filter(None, titles))}")
            for table in body.iter(f"{TABLE}table"):
                self._table(table)
        else:
            self.write_blocks(body)
        self._depth -= 1


def _is_said_in(cell: Any, paragraph: Any) -> bool:
    """Tells whether a paragraph belongs to the cell or a text box in it, and not to a note."""
    for above in paragraph.iterancestors():
        if above is cell or above.tag == f"{DRAW}text-box":
            return True
        if above.tag in (f"{OFFICE}annotation", f"{TEXT}note", f"{DRAW}frame"):
            return False
    return True


def _is_row_of(row: Any, table: Any) -> bool:
    return next(row.iterancestors(f"{TABLE}table"), None) is table


def repeat_count(element: Any, what: str, most: int) -> int:
    """Returns how often a row or cell is repeated, within a limit: an empty rest of a sheet is one repeated often."""
    number = element.get(f"{TABLE}number-{what}-repeated", "1")
    return max(1, min(most, int(number))) if number.isdecimal() else 1


def left_out_notes(writer: OdfWriter, file: OpenFile) -> tuple[str, ...]:
    """Lists what is not in the text, by kind and count."""
    found = left_out(writer.left_out)
    regions = list(file.tree.iter(f"{TEXT}changed-region"))
    gone = [one for region in regions for one in region.iter(f"{TEXT}deletion")]
    added = sum(1 for region in regions for _ in region.iter(f"{TEXT}insertion"))
    if added:
        found.append(tr("{counted} in the text", counted=counted(added, "tracked insertion")))
    if gone:
        words = sum(len(_WORD.findall(plain(one))) for each in gone for one in _paragraphs(each))
        found.append(
            tr(
                "{deletions} with {words} left out",
                deletions=counted(len(gone), "tracked deletion"),
                words=counted(words, "word"),
            )
        )
    if file.macros:
        found.append(MACROS)
    return tuple(found)


_MOST_REPEATED_ROWS = 1_000


def read_odt(content: bytes) -> Document:
    """Returns a text document with its notes, comments, headers and footers."""
    file = OpenFile(content, tr("OpenDocument text"))
    writer = OdfWriter(file)
    # Before the first heading: behind the last they would be a part of it.
    for name, line in file.headers_and_footers():
        writer.prose.block(f"{name}: {line}")
    writer.write_blocks(file.body)
    writer.write_notes()
    text, sections = writer.prose.finished()
    return Document(text, ReadAs("odt", notes=left_out_notes(writer, file)), sections)


def read_odp(content: bytes) -> Document:
    """Returns slides or drawing pages, each under a line with its number and title."""
    file = OpenFile(content, tr("OpenDocument presentation"))
    writer = OdfWriter(file)
    starts = [_slide(writer, number, page) for number, page in enumerate(file.body.findall(f"{DRAW}page"), 1)]
    if not starts:
        raise Unreadable(tr("it is an OpenDocument presentation without slides"), tr("Attach another file."))
    text, sections = writer.prose.finished()
    marks = [one for one in sections if one.start in set(starts)]
    pages = tuple(
        Section(f"p{number}", one.title, 1, one.start, end, number, number)
        for number, (one, end) in enumerate(zip(marks, [*starts[1:], len(text)], strict=True), 1)
    )
    numbered = tuple(replace(one, first_page=number, last_page=number) for number, one in enumerate(marks, 1))
    masters = sum(map(_has_words, file.masters()))
    more = (tr("text on {counted} left out", counted=counted(masters, "master slide")),) if masters else ()
    read_as = ReadAs("odp", pages=len(pages), notes=(*left_out_notes(writer, file), *more))
    return Document(text, read_as, numbered, pages)


def _has_words(master: Any) -> bool:
    """Tells whether a master slide has text of its own besides its placeholders."""
    own = (one for one in master if one.get(f"{SHOW}class") is None and one.tag != f"{SHOW}notes")
    return any(plain(line) for one in own for line in one.iter(f"{TEXT}p"))


def _slide(writer: OdfWriter, number: int, page: Any) -> int:
    frames = list(page)
    titled = [one for one in frames if one.get(f"{SHOW}class") == "title"]
    title = one_line(" ".join(writer.cell(one) for one in titled))
    start = writer.prose.section_line(
        f"--- slide {number}: {title} ---" if title else f"--- slide {number} ---",
        title or f"slide {number}",
        1,
    )
    writer.write_blocks([one for one in frames if one not in titled])
    notes = page.find(f"{SHOW}notes")
    said = [] if notes is None else [writer.cell(one) for one in notes]
    if any(said):
        writer.prose.block(f"Notes: {' '.join(filter(None, said))}")
    writer.write_notes()
    writer.notes.clear()
    return start


def read_ods(content: bytes) -> Document:
    """Returns the sheets in order, each under its name; comments follow the sheet's rows."""
    file = OpenFile(content, tr("OpenDocument spreadsheet"))
    writer, cells = SheetWriter(), OdfWriter(file)
    hidden = _hidden(file.tree)
    for table in file.body.findall(f"{TABLE}table"):
        title = one_line(table.get(f"{TABLE}name", "")) or "Sheet"
        writer.sheet(title, _rows(table, cells), table.get(f"{TABLE}style-name", "") in hidden)
        shapes = table.find(f"{TABLE}shapes")
        cells.write_blocks(() if shapes is None else shapes)
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
    """Returns the names of styles whose sheets are hidden."""
    return frozenset(
        str(one.get(f"{STYLE}name"))
        for one in tree.iter(f"{STYLE}style")
        for shown in one.iter(f"{STYLE}table-properties")
        if shown.get(f"{TABLE}display") == "false"
    )


def _rows(table: Any, cells: OdfWriter) -> Iterator[Row]:
    """Yields the rows that are not empty, with their numbers."""
    number = 0
    for row in table.iter(f"{TABLE}table-row"):
        if next(row.iterancestors(f"{TABLE}table"), None) is not table:
            continue
        values = _values(row, cells)
        repeated = repeat_count(row, "rows", _MOST_ROWS)
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
        repeated = repeat_count(cell, "columns", _MOST_COLUMNS)
        if said:
            shown = min(repeated, MOST_REPEATED)
            cells.left_out["repeated cell"] += repeated - shown
            values += [*[""] * empty, *[said] * shown, *[""] * (repeated - shown)]
        # Behind the last that holds something there is a cell that stands for the rest of the row.
        empty = 0 if said else empty + repeated
    return values[:_MOST_COLUMNS]
