"""PDF by pypdfium2: the text page by page, the bookmarks as sections, and pages as pictures."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.sources.extract.outline import under_headings
from workbench.sources.extract.pdf_annotations import Annotations
from workbench.sources.extract.refusal import (
    MOST_CHARACTERS,
    MOST_SECTIONS,
    NeedsPassword,
    Unreadable,
    broken,
    clean,
    counted,
)

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
    """The pages as text, each under a line with its number."""
    pdf = _opened(content, password)
    try:
        annotations = Annotations(pdf)
        texts, kinds = _pages(pdf, annotations)
        bookmarks = list(_bookmarks(pdf))
    finally:
        pdf.close()
    text, pages = _joined(texts)
    silent = {number: kinds[number] for number, one in enumerate(texts, 1) if not one.strip()}
    if all(kind == "damaged" for kind in kinds.values()):
        raise broken("PDF: none of its pages can be read")
    scanned = len(silent) == len(texts)
    pictured = _pictured([one for one, kind in kinds.items() if kind == "pictured"])
    lost = [number for number, kind in kinds.items() if kind == "damaged"]
    damaged = f"{_named(lost)} {'is' if len(lost) == 1 else 'are'} damaged and left out" if lost else ""
    cut = (*([damaged] if damaged else []), *annotations.cut())
    notes = (*_notes(silent, scanned), *pictured, *annotations.notes())
    read_as = ReadAs("pdf", pages=len(texts), notes=notes, unread=cut)
    return Document(text, read_as, _sections(text, pages, bookmarks), pages, scanned)


def page_pictures(content: bytes, first: int, last: int, password: str = "") -> list[tuple[int, bytes]]:
    """Pages as PNG pictures, with their numbers."""
    pdf = _opened(content, password)
    try:
        numbers = range(max(1, first), min(last, len(pdf)) + 1)
        if not numbers:
            raise Unreadable(f"it has {counted(len(pdf), 'page')}", "Choose pages that are there.")
        if len(numbers) > MOST_PICTURES:
            raise Unreadable(
                f"at most {MOST_PICTURES} pages are made pictures at once", "Choose fewer pages of it."
            )
        return [(number, _picture(pdf, number)) for number in numbers]
    finally:
        pdf.close()


def _picture(pdf: Any, number: int) -> bytes:
    page = _page(pdf, number)
    if page is None:
        raise Unreadable(f"its page {number} is damaged", "Choose other pages.")
    longest = max(*page.get_size(), 1.0)
    written = BytesIO()
    page.render(scale=LONGEST_SIDE / longest).to_pil().convert("RGB").save(written, "PNG")
    page.close()
    return written.getvalue()


def _opened(content: bytes, password: str) -> Any:
    try:
        pdf = pypdfium2.PdfDocument(content, password or None)
    except pypdfium2.PdfiumError as error:
        code = error.err_code
        # PDFium also asks for a password where it has lost its way in a file that has none.
        if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY) and b"/Encrypt" in content:
            raise NeedsPassword("PDF", wrong=bool(password)) from None
        raise broken("PDF") from None
    if not len(pdf):
        pdf.close()
        raise Unreadable("it is a PDF without pages", "Open it in its own program, and save it again.")
    return pdf


def _page(pdf: Any, number: int) -> Any | None:
    try:
        return pdf[number - 1]
    except pypdfium2.PdfiumError:
        return None


def _pages(pdf: Any, annotations: Annotations) -> tuple[list[str], dict[int, str]]:
    """The text of each page, and what each is that has none."""
    texts: list[str] = []
    kinds: dict[int, str] = {}
    length = 0
    for number in range(1, len(pdf) + 1):
        text, kinds[number] = _read_page(number, _page(pdf, number), annotations)
        texts.append(text)
        length += len(text)
        if length > MOST_CHARACTERS:
            raise Unreadable(
                f"its text has over {MOST_CHARACTERS:,} characters", "Attach a PDF of some of its pages."
            )
    return texts, kinds


def _read_page(number: int, page: Any | None, annotations: Annotations) -> tuple[str, str]:
    if page is None:
        return "", "damaged"
    objects = pdfium.FPDFPage_CountObjects(page)
    pictured = _has_picture(page, min(objects, _MOST_OBJECTS))
    written, noted = _page_text(page), "\n".join(annotations.of(number, page))
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
    return (f"pictures on {_named(numbers)} left out",)


def _named(numbers: Sequence[int]) -> str:
    """Pages by their numbers, the first few of many."""
    some = ", ".join(str(number) for number in numbers[:_MOST_NAMED])
    rest = f" and {len(numbers) - _MOST_NAMED:,} more" if len(numbers) > _MOST_NAMED else ""
    return f"page {some}" if len(numbers) == 1 else f"pages {some}{rest}"


def _page_text(page: Any) -> str:
    try:
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError:
        return ""
    text: str = textpage.get_text_range()
    textpage.close()
    lines = _CONTROLS.sub("", _SOFT_HYPHEN.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line.rstrip() for line in clean(lines).strip("\n").split("\n"))


def _joined(texts: Sequence[str]) -> tuple[str, tuple[Section, ...]]:
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
        return ("its pages are pictures without text",)
    notes = []
    for kind, one, more in (
        ("drawn", "has no text, only pictures or drawings", "have no text, only pictures or drawings"),
        ("empty", "has no text", "have no text"),
    ):
        numbers = [number for number, what in silent.items() if what == kind]
        if numbers:
            notes.append(f"{_named(numbers)} {one if len(numbers) == 1 else more}")
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
        for one in under_headings(headings, len(text))
    )


def _place(text: str, page: Section, title: str) -> int:
    """Where a heading's line begins on its page; the page's start where it cannot be found."""
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
