"""Reads PDF with pypdfium2: text page by page, bookmarks as sections, and pages as pictures."""

from __future__ import annotations

import bisect
import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.translation import counted, joined, tr
from workbench.sources.extract.left_out import left_out
from workbench.sources.extract.outline import sections_of_headings
from workbench.sources.extract.prose import one_line, spaced
from workbench.sources.extract.refusal import (
    MOST_CHARACTERS,
    MOST_SECTIONS,
    NeedsPassword,
    Unreadable,
    broken,
    clean,
)

# What is filled in and noted on pages of a PDF: form fields, notes, typed text, and what annotations draw.
#
# A viewer shows what an annotation draws, whatever its fields say or lack; so both are read. Scripts do not run.


_MOST_ANNOTATIONS = 2_000
_MARKED = {
    pdfium.FPDF_ANNOT_TEXT: "Note",
    pdfium.FPDF_ANNOT_FREETEXT: "Typed text",
    pdfium.FPDF_ANNOT_HIGHLIGHT: "Highlighted",
    pdfium.FPDF_ANNOT_UNDERLINE: "Underlined",
    pdfium.FPDF_ANNOT_SQUIGGLY: "Underlined",
    pdfium.FPDF_ANNOT_STRIKEOUT: "Struck out",
    pdfium.FPDF_ANNOT_CARET: "To insert",
    pdfium.FPDF_ANNOT_STAMP: "Stamp",
}
_DRAWN = frozenset(
    {
        pdfium.FPDF_ANNOT_LINE,
        pdfium.FPDF_ANNOT_SQUARE,
        pdfium.FPDF_ANNOT_CIRCLE,
        pdfium.FPDF_ANNOT_POLYGON,
        pdfium.FPDF_ANNOT_POLYLINE,
        pdfium.FPDF_ANNOT_INK,
    }
)
_NEVER_DRAWS_WORDS = frozenset(
    {
        pdfium.FPDF_ANNOT_LINK,
        pdfium.FPDF_ANNOT_POPUP,
        pdfium.FPDF_ANNOT_HIGHLIGHT,
        pdfium.FPDF_ANNOT_UNDERLINE,
        pdfium.FPDF_ANNOT_SQUIGGLY,
        pdfium.FPDF_ANNOT_STRIKEOUT,
        pdfium.FPDF_ANNOT_INK,
    }
)
_TICKED = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_LISTED = frozenset({pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX})
_SIGN_OF_A_TICK = re.compile(r"[\W_]|[\u25a0-\u27bf]|[48lnuH]")
"""The ZapfDingbats characters that ticked boxes contain, also as the letters they are stored as."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _StoredAnnotation:
    """An annotation as it is stored; `box` is where it draws, None where it draws no words."""

    subtype: int
    said: str
    name: str = ""
    field: int = pdfium.FPDF_FORMFIELD_UNKNOWN
    box: Box | None = None


class Annotations:
    """Reads the annotations of one PDF; must be created before its pages are loaded, or no form is found."""

    def __init__(self, pdf: Any) -> None:
        self._pdf, self._form = pdf, _form(pdf)
        self._left_out: Counter[str] = Counter()
        self._left_out["attached file"] = max(0, pdfium.FPDFDoc_GetAttachmentCount(pdf))
        self._over = 0
        self._dynamic = pdf.get_formtype() == pdfium.FORMTYPE_XFA_FULL

    def lines_of_page(self, number: int, page: Any) -> list[str]:
        """Returns lines for what was filled in, noted and drawn on a page.

        The page cannot be read otherwise afterwards.
        """
        count = max(0, pdfium.FPDFPage_GetAnnotCount(page))
        self._over += max(0, count - _MOST_ANNOTATIONS)
        found = [self._read_annotation(page, index) for index in range(min(count, _MOST_ANNOTATIONS))]
        drawn = self._drawn_words(number, page, [one.box for one in found])
        lines: dict[str, None] = {}
        for one, words in zip(found, drawn, strict=True):
            kept = not words or _is_stored([one.said], words)
            # Boxes that lie on one another: the words may be those of another one.
            kept = kept or _is_stored([other.said for other in found if _overlap(one.box, other.box)], words)
            lines |= dict.fromkeys(self._lines(one, "" if kept else words))
        return list(lines)

    def notes(self) -> Iterator[str]:
        """Yields what is not in the text, by kind and count."""
        yield from left_out(self._left_out)

    def cut(self) -> Iterator[str]:
        """Yields what was left out because of limits, or because only other programs can show it."""
        if self._over:
            yield tr("{counted} over the limit left out", counted=counted(self._over, "annotation"))
        if self._dynamic:
            yield tr("a form that only Adobe Reader can show (XFA) left out")

    def _read_annotation(self, page: Any, index: int) -> _StoredAnnotation:
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            return _StoredAnnotation(pdfium.FPDF_ANNOT_UNKNOWN, "")
        subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
        box = None if subtype in _NEVER_DRAWS_WORDS else _box(annotation)
        if subtype != pdfium.FPDF_ANNOT_WIDGET:
            found = _StoredAnnotation(subtype, spaced(clean(_string(annotation, b"Contents"))), box=box)
        elif self._form is None:
            # Fields that no form of the file lists: what stands in the annotation itself is all there is.
            name = one_line(clean(_string(annotation, b"TU") or _string(annotation, b"T")))
            found = _StoredAnnotation(subtype, spaced(clean(_string(annotation, b"V"))), name, box=box)
        else:
            kind = pdfium.FPDFAnnot_GetFormFieldType(self._form, annotation)
            name = self._form_string(
                pdfium.FPDFAnnot_GetFormFieldAlternateName, annotation
            ) or self._form_string(pdfium.FPDFAnnot_GetFormFieldName, annotation)
            found = _StoredAnnotation(
                subtype, self._value(kind, annotation), one_line(clean(name)), kind, box
            )
        pdfium.FPDFPage_CloseAnnot(annotation)
        return found

    def _drawn_words(self, number: int, page: Any, boxes: Sequence[Box | None]) -> list[str]:
        """Returns the words that annotations draw: the page is flattened and everything else is removed from it."""
        nothing = [""] * len(boxes)
        if (
            not any(boxes)
            or pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) != pdfium.FLATTEN_SUCCESS
        ):
            return nothing
        try:
            flat = self._pdf[number - 1]
        except pypdfium2.PdfiumError:
            return nothing
        for _ in range(pdfium.FPDFPage_CountObjects(flat) - 1):
            pdfium.FPDFPage_RemoveObject(flat, pdfium.FPDFPage_GetObject(flat, 0))
        try:
            words = flat.get_textpage()
        except pypdfium2.PdfiumError:
            return nothing
        return [spaced(clean(words.get_text_bounded(*box))) if box else "" for box in boxes]

    def _lines(self, one: _StoredAnnotation, drawn: str) -> Iterator[str]:
        if one.subtype == pdfium.FPDF_ANNOT_WIDGET:
            yield from self._field(one, drawn)
            return
        said = "\n".join(words for words in (one.said, drawn) if words)
        if said and (drawn or one.subtype in (*_MARKED, *_DRAWN)):
            yield f"{_MARKED.get(one.subtype, 'Note')}: {said}"
        elif one.subtype in _DRAWN or one.subtype == pdfium.FPDF_ANNOT_STAMP:
            self._left_out["drawn mark"] += 1
        elif one.subtype == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            self._left_out["attached file"] += 1

    def _field(self, one: _StoredAnnotation, drawn: str) -> Iterator[str]:
        value = one.said
        if one.field in _TICKED:
            drawn = ""
        elif self._form is None and _SIGN_OF_A_TICK.fullmatch(drawn):
            drawn = "ticked"
        if drawn:
            # As on the page, with what is kept behind it: 1000 may be shown as $1,000.00.
            value = tr("{drawn} (kept as {value})", drawn=drawn, value=value) if value else drawn
        if value:
            yield f"{one.name or 'Field'}: {value}"
        elif one.field == pdfium.FPDF_FORMFIELD_SIGNATURE:
            self._left_out["signature field"] += 1
        elif one.field not in (*_TICKED, pdfium.FPDF_FORMFIELD_PUSHBUTTON, pdfium.FPDF_FORMFIELD_UNKNOWN):
            self._left_out["empty form field"] += 1

    def _value(self, kind: int, annotation: Any) -> str:
        if kind in (pdfium.FPDF_FORMFIELD_PUSHBUTTON, pdfium.FPDF_FORMFIELD_SIGNATURE):
            return ""
        if kind in _TICKED:
            if not pdfium.FPDFAnnot_IsChecked(self._form, annotation):
                return ""
            value = self._form_string(pdfium.FPDFAnnot_GetFormFieldExportValue, annotation)
            return one_line(clean(value)) or "ticked"
        chosen = ", ".join(self._chosen(annotation)) if kind in _LISTED else ""
        return spaced(clean(chosen or self._form_string(pdfium.FPDFAnnot_GetFormFieldValue, annotation)))

    def _chosen(self, annotation: Any) -> Iterator[str]:
        """Yields the chosen options of a list, by their labels."""
        number = pdfium.FPDFAnnot_GetOptionCount(self._form, annotation)
        for index in range(min(max(0, number), _MOST_ANNOTATIONS)):
            if pdfium.FPDFAnnot_IsOptionSelected(self._form, annotation, index):
                yield _read_string(
                    lambda buffer, size, index=index: pdfium.FPDFAnnot_GetOptionLabel(
                        self._form, annotation, index, buffer, size
                    )
                )

    def _form_string(self, ask: Callable[..., int], annotation: Any) -> str:
        return _read_string(lambda buffer, size: ask(self._form, annotation, buffer, size))


def _form(pdf: Any) -> Any | None:
    try:
        pdf.init_forms()
    except pypdfium2.PdfiumError:
        return None
    return pdf.formenv


def _box(annotation: Any) -> Box | None:
    """Returns the rectangle in which an annotation draws; None where it draws nothing."""
    if pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) <= 2:
        return None
    found = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(annotation, found):
        return None
    across, up = sorted((found.left, found.right)), sorted((found.bottom, found.top))
    return across[0], up[0], across[1], up[1]


def _overlap(one: Box | None, other: Box | None) -> bool:
    """Tells whether two boxes share more than an edge, so that words drawn in one may belong to the other."""
    if one is None or other is None:
        return False
    across, up = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return across > 1 and up > 1


def _is_stored(said: Sequence[str], drawn: str) -> bool:
    """Tells whether everything drawn is also in the stored texts; bullets of a hidden password do not count."""
    kept = "".join("".join(one.split()) for one in said)
    found = "".join(drawn.split()) in kept or (len(said) > 1 and all(word in kept for word in drawn.split()))
    return found or not drawn.strip("*•● ")


def _string(annotation: Any, key: bytes) -> str:
    return _read_string(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


def _read_string(ask: Callable[..., int]) -> str:
    """Reads a string from PDFium: asks for its length first, then decodes UTF-16 up to the terminating zero."""
    size = min(ask(None, 0), 2 * MOST_CHARACTERS)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    ask(buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").partition("\0")[0]


LONGEST_SIDE = 1568
MOST_PICTURES = 20
_MOST_NAMED = 8
# Pictures are looked for among so many things on a page; one with more is a drawing: those of maps have a million.
_MOST_OBJECTS = 20_000
_DEEPEST_BOOKMARK = 12
# What PDFium writes for a hyphen at the end of a line.
_SOFT_HYPHEN = re.compile("[\ufffe\x02](?:\r?\n)?")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f]")
_SPACES = re.compile(r"\s+")


def read_pdf(content: bytes, password: str = "") -> Document:
    """Returns the pages as text, each under a line with its number."""
    pdf = _open_pdf(content, password)
    try:
        annotations = Annotations(pdf)
        texts, kinds = _pages(pdf, annotations)
        bookmarks = list(_bookmarks(pdf))
    finally:
        pdf.close()
    text, pages = _join_pages(texts)
    silent = {number: kinds[number] for number, one in enumerate(texts, 1) if not one.strip()}
    if all(kind == "damaged" for kind in kinds.values()):
        raise broken(tr("PDF: none of its pages can be read"))
    scanned = len(silent) == len(texts)
    pictured = _pictured([one for one, kind in kinds.items() if kind == "pictured"])
    lost = [number for number, kind in kinds.items() if kind == "damaged"]
    damaged = (
        tr(
            "{pages} is damaged and left out" if len(lost) == 1 else "{pages} are damaged and left out",
            pages=_page_numbers(lost),
        )
        if lost
        else ""
    )
    cut = (*([damaged] if damaged else []), *annotations.cut())
    notes = (*_notes(silent, scanned), *pictured, *annotations.notes())
    read_as = ReadAs("pdf", pages=len(texts), notes=notes, unread=cut)
    return Document(text, read_as, _sections(text, pages, bookmarks), pages, scanned)


def page_pictures(content: bytes, first: int, last: int, password: str = "") -> list[tuple[int, bytes]]:
    """Renders pages as PNG pictures, with their numbers."""
    pdf = _open_pdf(content, password)
    try:
        numbers = range(max(1, first), min(last, len(pdf)) + 1)
        if not numbers:
            raise Unreadable(
                tr("it has {counted}", counted=counted(len(pdf), "page")), tr("Choose pages that are there.")
            )
        if len(numbers) > MOST_PICTURES:
            raise Unreadable(
                tr("at most {most_pictures} pages are made pictures at once", most_pictures=MOST_PICTURES),
                tr("Choose fewer pages of it."),
            )
        return [(number, _picture(pdf, number)) for number in numbers]
    finally:
        pdf.close()


def _picture(pdf: Any, number: int) -> bytes:
    page = _page(pdf, number)
    if page is None:
        raise Unreadable(tr("its page {number} is damaged", number=number), tr("Choose other pages."))
    longest = max(*page.get_size(), 1.0)
    written = BytesIO()
    page.render(scale=LONGEST_SIDE / longest).to_pil().convert("RGB").save(written, "PNG")
    page.close()
    return written.getvalue()


def _open_pdf(content: bytes, password: str) -> Any:
    try:
        pdf = pypdfium2.PdfDocument(content, password or None)
    except pypdfium2.PdfiumError as error:
        code = error.err_code
        # PDFium also asks for a password where it has lost its way in a file that has none.
        if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY) and b"/Encrypt" in content:
            raise NeedsPassword(tr("PDF"), wrong=bool(password)) from None
        raise broken(tr("PDF")) from None
    if not len(pdf):
        pdf.close()
        raise Unreadable(
            tr("it is a PDF without pages"), tr("Open it in its own program, and save it again.")
        )
    return pdf


def _page(pdf: Any, number: int) -> Any | None:
    try:
        return pdf[number - 1]
    except pypdfium2.PdfiumError:
        return None


def _pages(pdf: Any, annotations: Annotations) -> tuple[list[str], dict[int, str]]:
    """Returns the text of each page, and by page number what it shows (text, picture, drawing, nothing, damaged)."""
    texts: list[str] = []
    kinds: dict[int, str] = {}
    length = 0
    for number in range(1, len(pdf) + 1):
        text, kinds[number] = _read_page(number, _page(pdf, number), annotations)
        texts.append(text)
        length += len(text)
        if length > MOST_CHARACTERS:
            raise Unreadable(
                tr("its text has over {most_characters:,} characters", most_characters=MOST_CHARACTERS),
                tr("Attach a PDF of some of its pages."),
            )
    return texts, kinds


def _read_page(number: int, page: Any | None, annotations: Annotations) -> tuple[str, str]:
    if page is None:
        return "", "damaged"
    objects = pdfium.FPDFPage_CountObjects(page)
    pictured = _has_picture(page, min(objects, _MOST_OBJECTS))
    written, noted = _page_text(page), "\n".join(annotations.lines_of_page(number, page))
    text = f"{written}\n\n{noted}" if written.strip() and noted else written or noted
    # A page without text may still show a picture, or something drawn.
    silent = "drawn" if objects > 0 else "empty"
    kind = ("pictured" if pictured else "text") if text.strip() else silent
    page.close()
    return text, kind


def _has_picture(page: Any, objects: int) -> bool:
    kinds = (pdfium.FPDFPageObj_GetType(pdfium.FPDFPage_GetObject(page, one)) for one in range(objects))
    return objects >= _MOST_OBJECTS or pdfium.FPDF_PAGEOBJ_IMAGE in kinds


def _pictured(numbers: Sequence[int]) -> tuple[str, ...]:
    if not numbers:
        return ()
    return (tr("pictures on {page_numbers} left out", page_numbers=_page_numbers(numbers)),)


def _page_numbers(numbers: Sequence[int]) -> str:
    """Names pages by their numbers, only the first few of many."""
    some = ", ".join(str(number) for number in numbers[:_MOST_NAMED])
    rest = tr(" and {n:,} more", n=len(numbers) - _MOST_NAMED) if len(numbers) > _MOST_NAMED else ""
    return (
        tr("page {some}", some=some) if len(numbers) == 1 else tr("pages {some}{rest}", some=some, rest=rest)
    )


def _page_text(page: Any) -> str:
    try:
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError:
        return ""
    text: str = textpage.get_text_range()
    textpage.close()
    lines = _CONTROLS.sub("", _SOFT_HYPHEN.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line.rstrip() for line in clean(lines).strip("\n").split("\n"))


def _join_pages(texts: Sequence[str]) -> tuple[str, tuple[Section, ...]]:
    pieces: list[str] = []
    pages: list[Section] = []
    place = 0
    for number, text in enumerate(texts, 1):
        piece = f"--- page {number} ---\n{text}\n" if text.strip() else f"--- page {number} ---\n"
        pages.append(Section(f"p{number}", f"page {number}", 1, place, place + len(piece), number, number))
        pieces.append(piece)
        place += len(piece)
    return "".join(pieces), tuple(pages)


def _notes(silent: Mapping[int, str], scanned: bool) -> tuple[str, ...]:
    if scanned and "drawn" in silent.values():
        return (tr("its pages are pictures without text"),)
    notes = []
    for kind, one, more in (
        (
            "drawn",
            tr("has no text, only pictures or drawings"),
            tr("have no text, only pictures or drawings"),
        ),
        ("empty", tr("has no text"), tr("have no text")),
    ):
        numbers = [number for number, what in silent.items() if what == kind]
        if numbers:
            notes.append(joined((_page_numbers(numbers), one if len(numbers) == 1 else more)))
    return tuple(notes)


# Bookmarks: where each one points to, found again in the text of its page.


@dataclass(frozen=True, slots=True)
class _Bookmark:
    title: str
    level: int
    page: int


def _bookmarks(pdf: Any) -> Iterator[_Bookmark]:
    try:
        for number, one in enumerate(pdf.get_toc(max_depth=_DEEPEST_BOOKMARK)):
            if number >= MOST_SECTIONS:
                return
            title = _SPACES.sub(" ", clean(one.get_title())).strip()
            destination = one.get_dest()
            index = destination.get_index() if destination is not None else None
            if title and index is not None and index >= 0:
                yield _Bookmark(title[:300], one.level + 1, index + 1)
    except (pypdfium2.PdfiumError, ValueError):
        return


def _sections(text: str, pages: Sequence[Section], marks: Sequence[_Bookmark]) -> tuple[Section, ...]:
    headings = sorted(
        (
            (mark.title, mark.level, _place(text, pages[mark.page - 1], mark.title))
            for mark in marks
            if mark.page <= len(pages)
        ),
        key=lambda one: one[2],
    )
    starts = [page.start for page in pages]
    return tuple(
        replace(
            one,
            first_page=bisect.bisect_right(starts, one.start),
            last_page=bisect.bisect_right(starts, max(one.start, one.end - 1)),
        )
        for one in sections_of_headings(headings, len(text))
    )


def _place(text: str, page: Section, title: str) -> int:
    """Returns where a bookmark's heading starts on its page; the page's start where it is not found."""
    words = [re.escape(word) for word in title.split()[:30]]
    # A number before it may be written on the page and not in the bookmark.
    number = r"^[^\S\n]*(?:(?:\d[\dA-Z.]{0,7}|[A-Z]\.?)[^\S\n]+)?"
    found = re.compile(number + r"\s*".join(words), re.IGNORECASE | re.MULTILINE).search(
        text, page.start, page.end
    )
    if found is None:
        return page.start
    # What opens a page takes the line with the page's number, and a number at its head, with it.
    opens = not re.search(r"[^\W\d_]{2}", text[text.find("\n", page.start) : found.start()])
    return page.start if opens else found.start()
