"""The blocks that a message's Markdown is parsed into, as plain values: lines of prose, code, tables and formulas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

LineKind = Literal["text", "heading", "rule"]
Align = Literal["", "left", "center", "right"]

LINES_A_GROUP = 40
"""Prose is laid out in groups of this many lines, so that an added line never lays out a long text again."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; a formula's text is its source, and `link` is empty where nothing can be opened."""

    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    math: bool = False
    link: str = ""


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph, a heading, an item of a list, or a rule; if `close`, it follows the line before without a gap."""

    spans: Spans = ()
    kind: LineKind = "text"
    level: int = 0
    indent: int = 0
    quote: int = 0
    marker: str = ""
    close: bool = False


@dataclass(frozen=True, slots=True)
class Prose:
    """Consecutive lines that are shown in one text widget."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code, in the language its writer named."""

    text: str
    language: str = ""
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its first row is the head."""

    rows: tuple[tuple[Spans, ...], ...]
    aligns: tuple[Align, ...] = ()
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula, in LaTeX."""

    source: str
    indent: int = 0


Part = Line | Code | Table | Formula
Block = Prose | Code | Table | Formula


def grouped(parts: Iterable[Part]) -> tuple[Block, ...]:
    """The parts as blocks; consecutive lines become prose."""
    blocks: list[Block] = []
    lines: list[Line] = []
    for part in parts:
        if isinstance(part, Line):
            lines.append(part)
            if len(lines) < LINES_A_GROUP:
                continue
        if lines:
            blocks.append(Prose(tuple(lines)))
            lines = []
        if not isinstance(part, Line):
            blocks.append(part)
    return (*blocks, Prose(tuple(lines))) if lines else tuple(blocks)


def spans_text(spans: Spans) -> str:
    """The plain text of spans."""
    return "".join(span.text for span in spans)


def line_text(line: Line) -> str:
    """A line as plain text, with its marker."""
    return "---" if line.kind == "rule" else f"{line_lead(line)}{spans_text(line.spans)}"


def line_lead(line: Line) -> str:
    """What comes before a line's text in plain text: quote signs, indentation and its marker."""
    marker = f"{line.marker} " if line.marker else ""
    return f"{'> ' * line.quote}{'  ' * max(0, line.indent - 1)}{marker}"


def block_text(block: Block) -> str:
    """A block as plain text, for the clipboard and screen readers."""
    match block:
        case Prose(lines):
            gaps = (
                "" if number == 0 else "\n" if line.close else "\n\n" for number, line in enumerate(lines)
            )
            return "".join(f"{gap}{line_text(line)}" for gap, line in zip(gaps, lines, strict=True))
        case Code(text):
            return text
        case Table(rows):
            return "\n".join("\t".join(spans_text(cell) for cell in row) for row in rows)
        case Formula(source):
            return source


def blocks_text(blocks: Iterable[Block]) -> str:
    """Blocks as plain text, with an empty line between them."""
    return "\n\n".join(block_text(block) for block in blocks)
