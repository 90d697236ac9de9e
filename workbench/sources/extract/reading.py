"""A file in, a document out: finds the kind, calls its reader, and puts down how it was read."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.document import PLAIN_KINDS, Document, DocumentKind, ReadAs, Reading
from workbench.domain.pictures import picture_in
from workbench.sources.extract.kinds import binary_kind, header_names, looks_like, text_kind
from workbench.sources.extract.outline import outline
from workbench.sources.extract.refusal import MOST_CHARACTERS, MOST_SECTIONS, Unreadable, clean
from workbench.sources.extract.tables import table_notes
from workbench.sources.extract.text import decoded

KIND_NAMES: dict[DocumentKind, str] = {
    "text": "text", "markdown": "Markdown", "code": "code", "table": "a table", "pdf": "a PDF",
    "word": "a Word document", "slides": "a PowerPoint file", "sheets": "an Excel workbook", "html": "a page",
    "notebook": "a notebook", "email": "an e-mail", "image": "a picture",
}  # fmt: skip
_OF_TEXT = PLAIN_KINDS | {"html", "notebook", "email"}


def read_document(name: str, content: bytes, reading: Reading) -> Document:
    """What a file became; `Unreadable` where that is nothing."""
    document = _read(name, content, reading)
    if len(document.text) > MOST_CHARACTERS:
        raise Unreadable(f"its text has over {MOST_CHARACTERS:,} characters", "Attach a part of it.")
    if document.read_as.kind not in PLAIN_KINDS:
        _no_empty(document)
    read_as = replace(document.read_as, chosen=reading)
    return replace(document, read_as=read_as, sections=document.sections[:MOST_SECTIONS])


def preload() -> None:
    """Load what readers need, so that every fork has it."""
    import charset_normalizer  # noqa: F401

    from workbench.sources.extract import html, images, mail, notebook, pdf, sheets, slides, word  # noqa: F401


def _no_empty(document: Document) -> None:
    if not document.text.strip() and not document.scanned:
        raise Unreadable(
            f"it is {KIND_NAMES[document.read_as.kind]} without any text", "Attach another file."
        )


def _read(name: str, content: bytes, reading: Reading) -> Document:
    if reading.kind and reading.kind not in _OF_TEXT:
        return _of_bytes(_checked(content, reading.kind), content)
    if reading.kind:
        return _of_text(reading.kind, name, content, _text_of(content, reading))
    kind = binary_kind(content)
    if kind is not None:
        return _of_bytes(kind, content)
    found = decoded(content, reading.encoding)
    return _of_text(text_kind(name, found[0]), name, content, found)


def _checked(content: bytes, wanted: DocumentKind) -> DocumentKind:
    """The kind that was wanted, where the file is of it."""
    if wanted not in KIND_NAMES:
        raise _no_reader(wanted)
    found = _found(content)
    if found == KIND_NAMES[wanted]:
        return wanted
    raise Unreadable(
        f"it is not {KIND_NAMES[wanted]}: it is {found}", "Choose another kind, or let it be found."
    )


def _found(content: bytes) -> str:
    try:
        kind = binary_kind(content)
    except Unreadable as refusal:
        return refusal.reason.removeprefix("it is ")
    return "text, or of no kind that is known" if kind is None else KIND_NAMES[kind]


def _text_of(content: bytes, reading: Reading) -> tuple[str, str]:
    try:
        return decoded(content, reading.encoding)
    except Unreadable as refusal:
        if reading.encoding:
            raise
        known = (
            looks_like(content) is not None or picture_in(content) is not None or content[:4] == b"PK\x03\x04"
        )
        what = _found(content) if known or content.lstrip().startswith(b"%PDF-") else ""
        raise Unreadable(f"it is {what}, not text", refusal.advice) if what else refusal from None


def _of_text(kind: DocumentKind, name: str, content: bytes, found: tuple[str, str]) -> Document:
    text, encoding = found
    if kind in PLAIN_KINDS:
        notes = table_notes(text) if kind == "table" else ()
        return Document(text, ReadAs(kind, encoding, notes=notes), outline(kind, name, text))
    if kind == "notebook":
        from workbench.sources.extract.notebook import read_notebook

        document = read_notebook(clean(text))
    elif kind == "email":
        from workbench.sources.extract.mail import read_mail

        return read_mail(content)
    elif kind != "html":
        raise _no_reader(kind)
    elif _is_saved_page(text):
        from workbench.sources.extract.mail import read_saved_page

        return read_saved_page(content)
    else:
        from workbench.sources.extract.html import read_html

        document = read_html(clean(text))
    return replace(document, read_as=replace(document.read_as, encoding=encoding))


def _is_saved_page(text: str) -> bool:
    return bool({"mime-version", "content-type"} <= header_names(text[:20_000]))


def _of_bytes(kind: DocumentKind, content: bytes) -> Document:
    """Each reader's library is loaded when it is needed first."""
    picture = picture_in(content)
    if picture is not None:
        return Document(picture.described, ReadAs("image"))
    match kind:
        case "pdf":
            from workbench.sources.extract.pdf import read_pdf

            return read_pdf(content)
        case "word":
            from workbench.sources.extract.word import read_word

            return read_word(content)
        case "slides":
            from workbench.sources.extract.slides import read_slides

            return read_slides(content)
        case "sheets":
            from workbench.sources.extract.sheets import read_sheets

            return read_sheets(content)
        case _:
            raise _no_reader(kind)


def _no_reader(kind: str) -> Unreadable:
    return Unreadable(
        f"it is to be read as {kind!r}, which has no reader", "Choose another kind, or let it be found."
    )
