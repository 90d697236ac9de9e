"""A file in, a document out: finds the kind, calls its reader, and puts down how it was read."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.files.document import AS_FOUND, PLAIN_KINDS, TEXT_KINDS, Document, DocumentKind, Reading
from workbench.domain.files.pictures import picture_in
from workbench.sources.extract.kinds import KINDS, Given, binary_kind, text_kind
from workbench.sources.extract.refusal import MOST_CHARACTERS, MOST_SECTIONS, Unreadable
from workbench.sources.extract.signs import ZIP, looks_like
from workbench.sources.extract.text import decoded

_DEEPEST = 3
"""How deep documents are read that lie in others: a message in a message in a message."""


def read_document(name: str, content: bytes, reading: Reading, password: str = "") -> Document:
    """What a file became; `Unreadable` where that is nothing."""
    return _checked_read(name, content, reading, password, 0)


def _checked_read(name: str, content: bytes, reading: Reading, password: str, depth: int) -> Document:
    document = _read(name, content, reading, password, depth)
    if len(document.text) > MOST_CHARACTERS:
        raise Unreadable(f"its text has over {MOST_CHARACTERS:,} characters", "Attach a part of it.")
    if document.read_as.kind not in PLAIN_KINDS:
        _no_empty(document)
    notes = document.read_as.notes
    if len(document.sections) >= MOST_SECTIONS:
        notes = (*notes, f"its outline ends after {MOST_SECTIONS:,} parts")
    read_as = replace(document.read_as, chosen=reading, notes=notes)
    return replace(document, read_as=read_as, sections=document.sections[:MOST_SECTIONS])


def preload() -> None:
    """Load what readers need, so that every fork has it."""
    import charset_normalizer  # noqa: F401

    from workbench.sources.extract import images  # noqa: F401

    for kind in KINDS.values():
        kind.load()


def _no_empty(document: Document) -> None:
    if not document.text.strip() and not document.scanned:
        raise Unreadable(
            f"it is {KINDS[document.read_as.kind].words} without any text", "Attach another file."
        )


def _read(name: str, content: bytes, reading: Reading, password: str, depth: int) -> Document:
    def inside(title: str, attached: bytes) -> Document:
        return _checked_read(title, attached, AS_FOUND, "", depth + 1)

    given = Given(name, content, password=password, read=inside if depth < _DEEPEST else None)
    if reading.kind in TEXT_KINDS:
        text, encoding = _text_of(content, reading)
        return _read_as(reading.kind, replace(given, text=text, encoding=encoding))
    if reading.kind:
        return _read_as(_checked(content, reading.kind), given)
    kind = binary_kind(content)
    if kind is not None:
        return _read_as(kind, given)
    text, encoding = decoded(content, reading.encoding)
    return _read_as(text_kind(name, text), replace(given, text=text, encoding=encoding))


def _read_as(kind: DocumentKind, given: Given) -> Document:
    return KINDS[kind].load()(given)


def _checked(content: bytes, wanted: DocumentKind) -> DocumentKind:
    """The kind that was wanted, where the file is of it."""
    if wanted not in KINDS:
        raise Unreadable(
            f"it is to be read as {wanted!r}, which has no reader", "Choose another kind, or let it be found."
        )
    found = _found(content)
    if found == KINDS[wanted].words:
        return wanted
    raise Unreadable(
        f"it is not {KINDS[wanted].words}: it is {found}", "Choose another kind, or let it be found."
    )


def _found(content: bytes) -> str:
    try:
        kind = binary_kind(content)
    except Unreadable as refusal:
        return refusal.reason.removeprefix("it is ")
    return "text, or of no kind that is known" if kind is None else KINDS[kind].words


def _text_of(content: bytes, reading: Reading) -> tuple[str, str]:
    try:
        return decoded(content, reading.encoding)
    except Unreadable as refusal:
        if reading.encoding:
            raise
        known = looks_like(content) is not None or picture_in(content) is not None or content.startswith(ZIP)
        what = _found(content) if known or content.lstrip().startswith(b"%PDF-") else ""
        raise Unreadable(f"it is {what}, not text", refusal.advice) if what else refusal from None
