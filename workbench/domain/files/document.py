"""The result of reading a file: its text, its kind, and the parts that can be attached separately."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

PlainKind = Literal["text", "markdown", "code", "table"]
TextKind = Literal[PlainKind, "html", "email", "notebook"]
BinaryKind = Literal["pdf", "word", "slides", "sheets", "odt", "odp", "ods", "epub", "rtf", "image"]
DocumentKind = Literal[TextKind, BinaryKind]
DOCUMENT_KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
PLAIN_KINDS: frozenset[DocumentKind] = frozenset(get_args(PlainKind))
"""Kinds whose text is the file itself, in some encoding."""

TEXT_KINDS: tuple[TextKind, ...] = get_args(TextKind)
"""Kinds that are a text in some encoding, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the user wants a file to be read; empty fields are detected from its content.

    Attributes:
        kind: one of `DOCUMENT_KINDS`.
        encoding: for text: a name that Python knows.
    """

    kind: Literal[DocumentKind, ""] = ""
    encoding: str = ""


AS_FOUND = Reading()


@dataclass(frozen=True, slots=True)
class ReadAs:
    """How a file was read, for display.

    Attributes:
        encoding: of a text.
        pages: how many there are, of what has pages or slides.
        notes: what is not in the text, in words: pictures, macros, hidden sheets.
        unread: what is not in the text because a reader takes no more of it, in words: the text is not the whole file.
        chosen: what the user chose, where it was not detected from the content.
    """

    kind: DocumentKind = "text"
    encoding: str = ""
    pages: int = 0
    notes: tuple[str, ...] = ()
    chosen: Reading = field(default_factory=Reading)
    unread: tuple[str, ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """Everything that is missing from the text, the most important first."""
        return (*self.unread, *self.notes)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document's text, from `start` to `end`; deeper ones lie within the one before them.

    Attributes:
        anchor: its name after #: `p3`, `L120-180`, `Clock-skew`, `Parser.read`, `Sales!A1:D20`.
        title: what it is called where it is listed.
        level: how deep it lies, from 1.
        first_page, last_page: 0 where there are no pages.
    """

    anchor: str
    title: str
    level: int
    start: int
    end: int
    first_page: int = 0
    last_page: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A file as text. `sections` are its outline in order (headings, symbols, sheets), `pages` its pages.

    `scanned`: its pages are pictures without text.
    """

    text: str
    read_as: ReadAs = field(default_factory=ReadAs)
    sections: tuple[Section, ...] = ()
    pages: tuple[Section, ...] = ()
    scanned: bool = False
