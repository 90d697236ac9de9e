"""The table of document kinds: how each is recognised, what it is called, and its reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from workbench.domain.files.document import BinaryKind, Document, DocumentKind, ReadAs, TextKind
from workbench.domain.files.pictures import picture_in
from workbench.domain.translation import tr
from workbench.sources.extract import signs
from workbench.sources.extract.refusal import clean
from workbench.sources.extract.signs import BinaryContent, TextContent

Name = TypeVar("Name", bound=DocumentKind)
Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Given:
    """A file as its reader gets it; `text` is empty where it is not text.

    `read` reads files embedded in it; None where they are nested too deeply.
    """

    name: str
    content: bytes
    text: str = ""
    encoding: str = ""
    password: str = ""
    read: Callable[[str, bytes], Document] | None = None


Reader = Callable[[Given], Document]


@dataclass(frozen=True, slots=True)
class Kind(Generic[Name, Content]):
    """One kind of document.

    Attributes:
        words: what a file of this kind is called in a refusal.
        is_it: recognises it; the first kind whose test passes is used.
        load: imports the reader with its library, only when it is needed and only in the child process.
    """

    name: Name
    words: str
    is_it: Callable[[Content], bool]
    load: Callable[[], Reader]


def _picture() -> Reader:
    def read(given: Given) -> Document:
        shown = picture_in(given.content)
        return Document("" if shown is None else shown.described, ReadAs("image"))

    return read


def _pdf() -> Reader:
    from workbench.sources.extract.pdf import read_pdf

    return lambda given: read_pdf(given.content, given.password)


def _word() -> Reader:
    from workbench.sources.extract.word import read_word

    return lambda given: read_word(given.content, given.read)


def _slides() -> Reader:
    from workbench.sources.extract.slides import read_slides

    return lambda given: read_slides(given.content, given.read)


def _sheets() -> Reader:
    from workbench.sources.extract.sheets import read_sheets

    return lambda given: read_sheets(given.content)


def _odt() -> Reader:
    from workbench.sources.extract.odf import read_odt

    return lambda given: read_odt(given.content)


def _odp() -> Reader:
    from workbench.sources.extract.odf import read_odp

    return lambda given: read_odp(given.content)


def _ods() -> Reader:
    from workbench.sources.extract.odf import read_ods

    return lambda given: read_ods(given.content)


def _epub() -> Reader:
    from workbench.sources.extract.epub import read_epub

    return lambda given: read_epub(given.content)


def _rtf() -> Reader:
    from workbench.sources.extract.rtf import read_rtf

    return lambda given: read_rtf(given.content)


def _notebook() -> Reader:
    from workbench.sources.extract.notebook import read_notebook

    return lambda given: _decoded(read_notebook(clean(given.text)), given)


def _page() -> Reader:
    from workbench.sources.extract.html import read_html
    from workbench.sources.extract.mail import read_saved_page

    def read(given: Given) -> Document:
        if signs.is_saved_page(given.text):
            return read_saved_page(given.content)
        return _decoded(read_html(clean(given.text)), given)

    return read


def _mail() -> Reader:
    from workbench.sources.extract.mail import read_mail

    return lambda given: read_mail(given.content, given.read)


def _plain(kind: TextKind) -> Callable[[], Reader]:
    def load() -> Reader:
        from workbench.sources.extract.outline import outline, table_notes

        def read(given: Given) -> Document:
            notes = table_notes(given.text) if kind == "table" else ()
            sections = outline(kind, given.name, given.text)
            return Document(given.text, ReadAs(kind, given.encoding, notes=notes), sections)

        return read

    return load


def _decoded(document: Document, given: Given) -> Document:
    return replace(document, read_as=replace(document.read_as, encoding=given.encoding))


BINARY_KINDS: tuple[Kind[BinaryKind, BinaryContent], ...] = (
    Kind("image", tr("a picture"), signs.is_picture, _picture),
    Kind("pdf", tr("a PDF"), signs.is_pdf, _pdf),
    Kind("word", tr("a Word document"), signs.has_folder("word/"), _word),
    Kind("slides", tr("a PowerPoint file"), signs.has_folder("ppt/"), _slides),
    Kind("sheets", tr("an Excel workbook"), signs.has_folder("xl/"), _sheets),
    Kind("odt", tr("an OpenDocument text"), signs.is_open_document("text"), _odt),
    Kind("odp", tr("an OpenDocument presentation"), signs.is_open_document("presentation", "graphics"), _odp),
    Kind("ods", tr("an OpenDocument spreadsheet"), signs.is_open_document("spreadsheet"), _ods),
    Kind("epub", tr("an e-book"), signs.is_book, _epub),
    Kind("rtf", tr("a rich-text document"), lambda seen: seen.bytes.startswith(b"{\\rt"), _rtf),
)
TEXT_KINDS: tuple[Kind[TextKind, TextContent], ...] = (
    Kind("notebook", tr("a notebook"), signs.is_notebook, _notebook),
    Kind("html", tr("a page"), signs.is_page, _page),
    Kind("email", tr("an e-mail"), signs.is_mail, _mail),
    Kind("markdown", tr("Markdown"), signs.is_markdown, _plain("markdown")),
    Kind("table", tr("a table"), signs.is_table, _plain("table")),
    Kind("code", tr("code"), signs.is_code, _plain("code")),
    Kind("text", tr("text"), lambda _: True, _plain("text")),
)
_LINES: tuple[Kind[Any, Any], ...] = (*BINARY_KINDS, *TEXT_KINDS)
KINDS: dict[DocumentKind, Kind[Any, Any]] = {kind.name: kind for kind in _LINES}


def binary_kind(content: bytes) -> BinaryKind | None:
    """Detects a file's kind by its bytes; None where it may be text. Known formats without a reader are refused."""
    seen = BinaryContent(content)
    for kind in BINARY_KINDS:
        if kind.is_it(seen):
            return kind.name
    refusal = signs.refusal_of_binary(content)
    if refusal is not None:
        raise refusal
    return None


def text_kind(name: str, text: str) -> TextKind:
    """Detects the kind of a text."""
    seen = TextContent(name, text)
    return next(kind.name for kind in TEXT_KINDS if kind.is_it(seen))
