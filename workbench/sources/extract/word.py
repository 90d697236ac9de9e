"""Word documents by python-docx: headings, paragraphs, lists and tables, in the order of the document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import docx
from docx.exceptions import PythonDocxError
from lxml.etree import XMLSyntaxError

from workbench.domain.files.document import Document, ReadAs
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import broken, counted

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DRAWN = frozenset({f"{_W}drawing", f"{_W}pict", f"{_W}object"})
# Deleted text, the commands of fields, and second versions of drawings for older programs.
_SKIPPED = frozenset(
    {f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}delText", _FALLBACK, f"{_W}pPr", f"{_W}rPr"}
)
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


def read_word(content: bytes) -> Document:
    """The document's body; headers and footers are left out."""
    archive = OfficeFile(content, "Word document")
    try:
        opened = docx.Document(BytesIO(content))
    except (KeyError, ValueError, AttributeError, PythonDocxError, XMLSyntaxError):
        raise broken("Word document") from None
    body = opened.element.find(f"{_W}body")
    if body is None:
        raise broken("Word document")
    writer = _Writer(_Styles(archive))
    writer.all_of(body)
    for number, note in _footnotes(archive):
        writer.prose.block(f"[^{number}]: {note}", close=True)
    text, sections = writer.prose.finished()
    return Document(text, ReadAs("word", notes=_notes(archive, body, writer)), sections)


def _notes(archive: OfficeFile, body: Any, writer: _Writer) -> tuple[str, ...]:
    comments = archive.tree("word/comments.xml")
    counts = (
        (writer.pictures, "picture or drawing", "pictures or drawings"),
        (0 if comments is None else len(comments), "comment", "comments"),
    )
    notes = [f"{counted(number, one, more)} left out" for number, one, more in counts if number]
    if next(body.iter(f"{_W}ins", f"{_W}del"), None) is not None:
        notes.append("tracked changes are shown as if they were accepted")
    if any(name.startswith(("word/header", "word/footer")) for name in archive.names):
        notes.append("headers and footers left out")
    if "word/vbaproject.bin" in archive.names:
        notes.append("macros left out")
    return tuple(notes)


def _footnotes(archive: OfficeFile) -> Iterator[tuple[str, str]]:
    tree = archive.tree("word/footnotes.xml")
    for one in () if tree is None else tree.iter(f"{_W}footnote"):
        text = one_line(" ".join(_text(paragraph) for paragraph in one.iter(f"{_W}p")))
        if one.get(f"{_W}type") is None and text:
            yield one.get(f"{_W}id", ""), text


class _Styles:
    """What a paragraph's style says: how deep a heading it is, and which list it belongs to."""

    def __init__(self, archive: OfficeFile) -> None:
        self._by_id: dict[str, Any] = {}
        tree = archive.tree("word/styles.xml")
        for one in () if tree is None else tree.iter(f"{_W}style"):
            self._by_id[one.get(f"{_W}styleId", "")] = one
        self._formats = _number_formats(archive)

    def level(self, paragraph: Any) -> int:
        """Of a heading, from 1; 0 for everything else."""
        own = _value(paragraph, f"{_W}pPr/{_W}outlineLvl")
        if own.isdecimal() and int(own) < 9:
            return int(own) + 1
        for style in self._line(paragraph):
            name = _value(style, f"{_W}name")
            found = _HEADING.fullmatch(name.strip())
            if found:
                return max(1, int(found[1]))
            if name.lower() == "title":
                return 1
            outline = _value(style, f"{_W}pPr/{_W}outlineLvl")
            if outline.isdecimal():
                return int(outline) + 1 if int(outline) < 9 else 0
        return 0

    def item(self, paragraph: Any) -> tuple[str, int, bool] | None:
        """The list, the level in it, and whether it is numbered; None for what is no item."""
        for one in (paragraph, *self._line(paragraph)):
            numbering = one.find(f"{_W}pPr/{_W}numPr")
            number = "" if numbering is None else _value(numbering, f"{_W}numId")
            if number == "0":
                return None
            if number:
                level = _value(numbering, f"{_W}ilvl")
                depth = min(8, int(level)) if level.isdecimal() else 0
                written = self._formats.get((number, str(depth)), "bullet")
                return number, depth, written not in ("bullet", "none")
        return None

    def _line(self, paragraph: Any) -> Iterator[Any]:
        """A paragraph's style and those that it is made from."""
        name, seen = _value(paragraph, f"{_W}pPr/{_W}pStyle"), set[str]()
        while name in self._by_id and name not in seen:
            seen.add(name)
            yield self._by_id[name]
            name = _value(self._by_id[name], f"{_W}basedOn")


def _number_formats(archive: OfficeFile) -> dict[tuple[str, str], str]:
    tree = archive.tree("word/numbering.xml")
    if tree is None:
        return {}
    kinds = {one.get(f"{_W}abstractNumId"): one for one in tree.iter(f"{_W}abstractNum")}
    found = {}
    for one in tree.iter(f"{_W}num"):
        kind = kinds.get(_value(one, f"{_W}abstractNumId"))
        for level in () if kind is None else kind.iter(f"{_W}lvl"):
            found[one.get(f"{_W}numId"), level.get(f"{_W}ilvl")] = _value(level, f"{_W}numFmt")
    return found


def _value(element: Any, path: str) -> str:
    found = element.find(path)
    return "" if found is None else str(found.get(f"{_W}val", ""))


class _Writer:
    """Goes through the body and writes it down."""

    def __init__(self, styles: _Styles) -> None:
        self.prose = Prose()
        self.pictures = 0
        self._styles = styles
        self._counts: Counter[tuple[str, int]] = Counter()

    def all_of(self, element: Any) -> None:
        """Paragraphs and tables, also those in content controls and text boxes."""
        for child in element:
            if child.tag == f"{_W}p":
                self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                self._table(child)
            elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml", f"{_W}moveTo"):
                self.all_of(child)

    def _paragraph(self, paragraph: Any) -> None:
        text = _text(paragraph).strip()
        level = self._styles.level(paragraph)
        item = self._styles.item(paragraph) if not level else None
        if level and text:
            self.prose.heading(text, level)
        elif item is not None and text:
            self._item(text, *item)
        else:
            self.prose.block(text)
        for drawn in paragraph.iter(*_DRAWN):
            self._drawn(drawn)

    def _item(self, text: str, name: str, depth: int, numbered: bool) -> None:
        self._counts[name, depth] += 1
        for deeper in range(depth + 1, 9):
            self._counts.pop((name, deeper), None)
        mark = f"{self._counts[name, depth]}." if numbered else "-"
        self.prose.block(f"{'   ' * depth}{mark} {one_line(text)}", close=True)

    def _drawn(self, drawn: Any) -> None:
        if any(parent.tag == _FALLBACK for parent in drawn.iterancestors(_FALLBACK)):
            return
        boxes = list(drawn.iter(f"{_W}txbxContent"))
        self.pictures += not boxes
        for box in boxes:
            self.all_of(box)

    def _table(self, table: Any) -> None:
        rows = [list(self._cells(row)) for row in table.iter(f"{_W}tr") if _is_own(row, table)]
        self.prose.table([row for row in rows if row])

    def _cells(self, row: Any) -> Iterator[str]:
        for cell in row.iter(f"{_W}tc"):
            if next(cell.iterancestors(f"{_W}tr"), None) is not row:
                continue
            merged = cell.find(f"{_W}tcPr/{_W}vMerge")
            goes_on = merged is not None and merged.get(f"{_W}val", "continue") == "continue"
            lines = [] if goes_on else [_text(one) for one in cell.iter(f"{_W}p")]
            self.pictures += sum(1 for _ in cell.iter(*_DRAWN))
            yield " ".join(filter(None, lines))
            span = _value(cell, f"{_W}tcPr/{_W}gridSpan")
            yield from [""] * (min(64, int(span)) - 1 if span.isdecimal() else 0)


def _is_own(row: Any, table: Any) -> bool:
    return next(row.iterancestors(f"{_W}tbl"), None) is table


def _text(paragraph: Any) -> str:
    return "".join(_letters(paragraph))


def _letters(element: Any) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag in _SKIPPED or tag in _DRAWN:
            continue
        if tag in (f"{_W}t", f"{_M}t"):
            yield child.text or ""
        elif tag == f"{_W}tab":
            yield "\t"
        elif tag in (f"{_W}br", f"{_W}cr"):
            yield "\n"
        elif tag == f"{_W}noBreakHyphen":
            yield "-"
        elif tag == f"{_W}footnoteReference":
            yield f"[^{child.get(f'{_W}id', '')}]"
        else:
            yield from _letters(child)
