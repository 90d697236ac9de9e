"""Reads Word documents: headers and footers, then headings, paragraphs, lists and tables, then notes and comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from workbench.domain.files.document import Document, ReadAs
from workbench.domain.translation import counted, tr
from workbench.sources.extract.archives import OfficeFile, Reader, embedded_texts
from workbench.sources.extract.charts import chart_text
from workbench.sources.extract.left_out import MACROS, left_out
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import broken

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DRAWN = frozenset({f"{_W}drawing", f"{_W}pict", f"{_W}object"})
# Deleted text, the commands of fields, and second versions of drawings for older programs.
_SKIPPED = frozenset(
    {f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}delText", _FALLBACK, f"{_W}pPr", f"{_W}rPr"}
)
_INSIDE = frozenset(f"{_W}{name}" for name in ("sdt", "sdtContent", "ins", "customXml", "moveTo", "smartTag"))
_REFERENCES = {
    f"{_W}footnoteReference": "[^{}]",
    f"{_W}endnoteReference": "[^e{}]",
    f"{_W}commentReference": "[comment {}]",
}
_NAMED = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_USUAL = ("styles", "numbering", "footnotes", "endnotes", "comments")
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def read_word(content: bytes, read: Reader | None = None) -> Document:
    """Returns a document with its headers, footers, notes and comments; `read` reads embedded documents."""
    archive = OfficeFile(content, tr("Word document"))
    main = archive.main("word/document.xml")
    tree = archive.tree(main)
    body = None if tree is None else tree.find(f"{_W}body")
    if body is None:
        raise broken(tr("Word document"))
    parts = _Parts(archive, main)
    writer = _Writer(_Styles(parts))
    # Before the first heading: behind the last they would be a part of it.
    for name in ("header", "footer"):
        for line in parts.headers_or_footers(name):
            writer.prose.block(f"{name.title()}: {line}")
    writer.write_blocks(body)
    charts = [text for tree in parts.trees("chart") if (text := chart_text(tree))]
    cut: list[str] = []
    embedded = embedded_texts(archive, archive.related(main).values(), read, cut)
    writer.drawn["chart"] -= len(charts)
    writer.drawn["embedded object"] -= len(embedded)
    for text in (*charts, *embedded):
        writer.prose.block(text)
    for line in parts.notes():
        writer.prose.block(line, close=True)
    text, sections = writer.prose.finished()
    notes = (*_left_out(writer, parts), *_changes(body, parts))
    return Document(text, ReadAs("word", notes=notes, unread=tuple(cut)), sections)


def _left_out(writer: _Writer, parts: _Parts) -> Iterator[str]:
    """Yields what is not text, by kind and count."""
    drawn = writer.drawn + parts.drawn()
    kinds = ("picture or drawing", "chart", "diagram", "embedded object", "embedded document")
    yield from left_out({kind: drawn[kind] for kind in kinds})
    if parts.has("vbaProject"):
        yield MACROS


def _changes(body: Any, parts: _Parts) -> Iterator[str]:
    """Yields notes on tracked changes: insertions are in the text, deletions are not."""
    trees = (body, *parts.trees("header", "footer", "footnotes", "endnotes", "comments"))
    inserted = sum(1 for tree in trees for _ in tree.iter(f"{_W}ins", f"{_W}moveTo"))
    deleted = [one for tree in trees for one in tree.iter(f"{_W}del", f"{_W}moveFrom")]
    words = sum(
        len(_WORD.findall(text.text or "")) for one in deleted for text in one.iter(f"{_W}delText", f"{_W}t")
    )
    if inserted:
        yield tr("{counted} in the text", counted=counted(inserted, "tracked insertion"))
    if deleted:
        yield tr(
            "{deletions} with {words} left out",
            deletions=counted(len(deleted), "tracked deletion"),
            words=counted(words, "word"),
        )


class _Parts:
    """The other parts of a document by kind, each parsed once."""

    def __init__(self, archive: OfficeFile, main: str) -> None:
        self._archive = archive
        self._related = list(archive.related(main).values())
        for kind in _USUAL:
            if not self.has(kind) and f"word/{kind}.xml" in archive.names:
                self._related.append((kind, f"word/{kind}.xml"))
        self._trees: dict[str, Any | None] = {}

    def has(self, kind: str) -> bool:
        return any(one == kind for one, _ in self._related)

    def trees(self, *kinds: str) -> list[Any]:
        """Returns the parsed parts of these kinds, in the document's order."""
        names = dict.fromkeys(target for kind, target in self._related if kind in kinds)
        for name in names:
            if name not in self._trees:
                self._trees[name] = self._archive.tree(name)
        return [tree for tree in map(self._trees.__getitem__, names) if tree is not None]

    def notes(self) -> Iterator[str]:
        """Yields footnotes, endnotes and comments with the marks they have in the text."""
        for kind, element, mark in (
            ("footnotes", "footnote", "[^{}]: "),
            ("endnotes", "endnote", "[^e{}]: "),
            ("comments", "comment", "[comment {}] "),
        ):
            for one in (one for tree in self.trees(kind) for one in tree.iter(f"{_W}{element}")):
                text = one_line(" ".join(_lines(one)))
                if text and one.get(f"{_W}type") is None:
                    author = one_line(one.get(f"{_W}author", ""))
                    said = f"{author}: {text}" if author else text
                    yield mark.format(one.get(f"{_W}id", "")) + said

    def headers_or_footers(self, kind: str) -> Iterator[str]:
        """Yields the texts of headers or footers, each once: a document has them for first, odd and even pages."""
        yield from dict.fromkeys(
            text for tree in self.trees(kind) if (text := "\n".join(filter(None, _lines(tree))))
        )

    def drawn(self) -> Counter[str]:
        """Counts the drawings outside the body."""
        found = Counter({"embedded document": sum(kind == "aFChunk" for kind, _ in self._related)})
        for tree in self.trees("header", "footer", "footnotes", "endnotes", "comments"):
            found.update(_kind_of(one) for one in tree.iter(*_DRAWN) if _counts(one))
        return found


def _lines(element: Any) -> list[str]:
    """Returns all paragraphs below an element, also those in tables and text boxes."""
    return [
        one_line(_text(one))
        for one in element.iter(f"{_W}p")
        if next(one.iterancestors(_FALLBACK), None) is None
    ]


def _counts(drawn: Any) -> bool:
    """Tells whether a drawing is to be counted: it is no text box, and no fallback copy of another."""
    if next(drawn.iterancestors(_FALLBACK), None) is not None:
        return False
    return next(drawn.iter(f"{_W}txbxContent"), None) is None


def _kind_of(drawn: Any) -> str:
    if drawn.tag == f"{_W}object":
        return "embedded object"
    shown = next(drawn.iter(f"{_A}graphicData"), None)
    what = "" if shown is None else str(shown.get("uri", "")).rpartition("/")[2]
    return {"chart": "chart", "diagram": "diagram"}.get(what, "picture or drawing")


class _Styles:
    """Looks up paragraph styles: the level of a heading, and the list a paragraph belongs to."""

    def __init__(self, parts: _Parts) -> None:
        self._by_id: dict[str, Any] = {}
        for tree in parts.trees("styles"):
            for one in tree.iter(f"{_W}style"):
                self._by_id[one.get(f"{_W}styleId", "")] = one
        self._formats = _number_formats(parts)

    def level(self, paragraph: Any) -> int:
        """Returns the level of a heading, from 1; 0 for everything else."""
        own = _value(paragraph, f"{_W}pPr/{_W}outlineLvl")
        if own.isdecimal() and int(own) < 9:
            return int(own) + 1
        for style in self._style_chain(paragraph):
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
        """Returns the list, the level in it, and whether it is numbered; None for what is no list item."""
        for one in (paragraph, *self._style_chain(paragraph)):
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

    def _style_chain(self, paragraph: Any) -> Iterator[Any]:
        """Yields a paragraph's style and those it is based on."""
        name, seen = _value(paragraph, f"{_W}pPr/{_W}pStyle"), set[str]()
        while name in self._by_id and name not in seen:
            seen.add(name)
            yield self._by_id[name]
            name = _value(self._by_id[name], f"{_W}basedOn")


def _number_formats(parts: _Parts) -> dict[tuple[str, str], str]:
    trees = parts.trees("numbering")
    kinds = {one.get(f"{_W}abstractNumId"): one for tree in trees for one in tree.iter(f"{_W}abstractNum")}
    found = {}
    for one in (one for tree in trees for one in tree.iter(f"{_W}num")):
        kind = kinds.get(_value(one, f"{_W}abstractNumId"))
        for level in () if kind is None else kind.iter(f"{_W}lvl"):
            found[one.get(f"{_W}numId"), level.get(f"{_W}ilvl")] = _value(level, f"{_W}numFmt")
    return found


def _value(element: Any, path: str) -> str:
    found = element.find(path)
    return "" if found is None else str(found.get(f"{_W}val", ""))


class _Writer:
    """Writes the body of a document as text."""

    def __init__(self, styles: _Styles) -> None:
        self.prose = Prose()
        self.drawn: Counter[str] = Counter()
        self._styles = styles
        self._counts: Counter[tuple[str, int]] = Counter()

    def write_blocks(self, element: Any) -> None:
        """Writes paragraphs and tables, also those in content controls and text boxes."""
        for child in element:
            if child.tag == f"{_W}p":
                self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                self._table(child)
            elif child.tag in _INSIDE:
                self.write_blocks(child)

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
        if next(drawn.iterancestors(f"{_W}txbxContent", _FALLBACK), None) is not None:
            return  # a box in a box is written with it
        if _counts(drawn):
            self.drawn[_kind_of(drawn)] += 1
        for box in drawn.iter(f"{_W}txbxContent"):
            if next(box.iterancestors(_FALLBACK), None) is None:
                self.write_blocks(box)

    def _table(self, table: Any) -> None:
        rows = [list(self._cells(row)) for row in table.iter(f"{_W}tr") if _is_own(row, table)]
        self.prose.table([row for row in rows if row])

    def _cells(self, row: Any) -> Iterator[str]:
        for cell in row.iter(f"{_W}tc"):
            if next(cell.iterancestors(f"{_W}tr"), None) is not row:
                continue
            merged = cell.find(f"{_W}tcPr/{_W}vMerge")
            goes_on = merged is not None and merged.get(f"{_W}val", "continue") == "continue"
            lines = [] if goes_on else _lines(cell)
            self.drawn.update(_kind_of(one) for one in cell.iter(*_DRAWN) if _counts(one))
            yield " ".join(filter(None, lines))
            span = _value(cell, f"{_W}tcPr/{_W}gridSpan")
            yield from [""] * (min(64, int(span)) - 1 if span.isdecimal() else 0)


def _is_own(row: Any, table: Any) -> bool:
    return next(row.iterancestors(f"{_W}tbl"), None) is table


def _text(paragraph: Any) -> str:
    return "".join(_text_pieces(paragraph))


def _text_pieces(element: Any) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag in _DRAWN:
            yield from _alternative_text(child)
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
        elif tag in _REFERENCES:
            yield _REFERENCES[tag].format(child.get(f"{_W}id", ""))
        elif tag == f"{_W}ddList":
            yield from _selected_options(child)
        else:
            yield from _text_pieces(child)


def _alternative_text(drawn: Any) -> Iterator[str]:
    """Yields the alternative text of a picture."""
    if _counts(drawn):
        named = next(drawn.iter(_NAMED), None)
        words = "" if named is None else one_line(named.get("descr", ""))
        if words:
            yield f"[picture: {words}]"


def _selected_options(options: Any) -> Iterator[str]:
    """Yields the chosen entry of a form's drop-down list."""
    entries = [one.get(f"{_W}val", "") for one in options.iter(f"{_W}listEntry")]
    result = _value(options, f"{_W}result") or "0"
    if result.isdecimal() and int(result) < len(entries):
        yield entries[int(result)]
