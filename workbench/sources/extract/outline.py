"""Outlines plain text: headings of prose, symbols of code, blocks of table rows; each a range of whole lines."""

from __future__ import annotations

import ast
import csv
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from pathlib import PurePath

from workbench.domain.files.document import DocumentKind, Section
from workbench.domain.files.document_parts import heading_anchor
from workbench.domain.translation import counted, tr
from workbench.sources.extract.refusal import MOST_SECTIONS
from workbench.sources.extract.symbols import Symbol, symbols_in

# Beyond that an outline would take longer than reading does; lines can still be chosen.
MOST_OUTLINED_CHARACTERS = 8_000_000
# A syntax tree takes some hundred times the room of its text.
_MOST_PARSED_CHARACTERS = 2_000_000

Heading = tuple[str, int, int]
"""A title, its level, and where it starts."""


def outline(kind: DocumentKind, name: str, text: str) -> tuple[Section, ...]:
    """Returns the sections of a plain text, in order."""
    if len(text) > MOST_OUTLINED_CHARACTERS:
        return ()
    ending = PurePath(name.replace("\\", "/")).suffix.lower()
    if kind == "markdown":
        return sections_of_headings(markdown_headings(text), len(text))
    if kind == "table":
        return row_blocks(text)
    if ending in (".rst", ".rest"):
        return sections_of_headings(_rst_headings(text), len(text))
    if kind == "code" or ending in (".py", ".tex"):
        return _symbols(ending or _by_shebang(text), text)
    return ()


def sections_of_headings(headings: Sequence[Heading], length: int) -> tuple[Section, ...]:
    """Returns a section for each heading, up to the next heading of the same or a higher level."""
    found: list[Section] = []
    anchors = Anchors()
    following: list[tuple[int, int]] = []
    ends: list[int] = []
    for _, level, start in reversed(headings):
        while following and following[-1][0] > level:
            following.pop()
        ends.append(following[-1][1] if following else length)
        following.append((level, start))
    for (title, level, start), end in zip(headings, reversed(ends), strict=True):
        found.append(Section(anchors.new(title[:200]), title[:200], level, start, end))
    return tuple(found)


class Anchors:
    """Makes the anchors (names behind `#`) of one document unique; fast even for thousands of equal titles."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def new(self, title: str) -> str:
        """Returns an anchor for a title that was not used yet."""
        plain = made = heading_anchor(title)
        while made in self._taken:
            self._numbers[plain] += 1
            made = f"{plain}~{self._numbers[plain] + 1}"
        self._taken.add(made)
        return made


# Markdown: `# so` and underlined, but not in code.

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-*+] |\d+[.)] |>|\||#|<)|\t| {4}")
_MARKS = re.compile(r"[*_`]+|!?\[([^\]]*)\]\([^)]*\)")


def markdown_headings(text: str) -> list[Heading]:
    """Returns each Markdown heading with its level and where its line starts."""
    found: list[Heading] = []
    fence = ""
    before, before_start, place = "", 0, 0
    lines = text.split("\r" if "\r" in text and "\n" not in text else "\n")
    front = _front_matter_end(lines)
    for number, raw in enumerate(lines):
        line = raw.rstrip("\r")[:2000]
        heading = None
        mark = _FENCE.match(line)
        if number < front:
            line = ""
        elif fence:
            fence = "" if mark and mark[1].startswith(fence) and not line.strip(" \t`~") else fence
            line = ""
        elif mark:
            fence, line = mark[1], ""
        else:
            heading = _heading(line, before, place, before_start)
        if heading is not None:
            found.append(heading)
            line = ""
        before, before_start = line, place
        place += len(raw) + 1
    return found[:MOST_SECTIONS]


def _heading(line: str, before: str, place: int, before_start: int) -> Heading | None:
    atx = _ATX.match(line)
    if atx:
        return _plain_title(atx[2] or ""), len(atx[1]), place
    under = _UNDERLINE.match(line)
    if under and before.strip() and not _NO_PARAGRAPH.match(before):
        return _plain_title(before), 1 if under[1][0] == "=" else 2, before_start
    return None


def _front_matter_end(lines: Sequence[str]) -> int:
    """Returns how many lines the front matter takes, whose end would look like a heading's underline."""
    if not lines or lines[0].rstrip("\r") != "---":
        return 0
    for number, line in enumerate(lines[1:200], 1):
        if line.rstrip("\r") in ("---", "..."):
            return number + 1
    return 0


def _plain_title(written: str) -> str:
    return _MARKS.sub(lambda mark: mark[1] or "", written).strip() or written.strip()


_ADORNMENT = re.compile(r"([=\-~^\"'`*+#<>:._])\1{2,}[ \t]*$")


def _rst_headings(text: str) -> list[Heading]:
    """Returns reStructuredText headings; the order in which underline characters appear gives their levels."""
    found: list[Heading] = []
    levels: list[str] = []
    before, before_start, place = "", 0, 0
    for raw in text.split("\n"):
        line = raw.rstrip()
        mark = _ADORNMENT.match(line)
        if mark and before and not before[0].isspace() and not _ADORNMENT.match(before):
            if len(line) >= len(before):
                if mark[1] not in levels:
                    levels.append(mark[1])
                found.append((before.strip(), levels.index(mark[1]) + 1, before_start))
            line = ""
        before, before_start = line, place
        place += len(raw) + 1
    return found[:MOST_SECTIONS]


# Code: Python by its syntax tree, the rest by simple grammars.


def _symbols(ending: str, text: str) -> tuple[Section, ...]:
    found: Sequence[Symbol] | None = None
    if ending in (".py", ".pyi"):
        found = _python_symbols(text)
    if found is None:
        found = symbols_in(ending, text)
    starts = line_starts(text)
    anchors = Anchors()
    sections = []
    for one in found[:MOST_SECTIONS]:
        end = starts[one.last] if one.last < len(starts) else len(text)
        sections.append(Section(anchors.new(one.name), one.name, one.level, starts[one.first - 1], end))
    return tuple(sections)


def _by_shebang(text: str) -> str:
    first = text[:200].partition("\n")[0]
    if not first.startswith("#!"):
        return ""
    names = (("python", ".py"), ("node", ".js"), ("ruby", ".rb"), ("sh", ".sh"))
    return next((ending for name, ending in names if name in first), "")


def _python_symbols(text: str) -> list[Symbol] | None:
    """Returns Python's symbols by its syntax tree; None where it cannot be parsed."""
    if len(text) > _MOST_PARSED_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        return list(_within(tree, "", 1))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _within(node: ast.AST, owner: str, level: int) -> Iterator[Symbol]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{owner}.{child.name}" if owner else child.name
            first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
            yield Symbol(name, level, first, child.end_lineno or child.lineno)
            if isinstance(child, ast.ClassDef):
                yield from _within(child, name, level + 1)
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _within(child, owner, level)


# Tables: how they are written, and their rows in blocks that can be attached by themselves.

_BLOCK_ROWS = 500
_MOST_BLOCKS = 200
_SEPARATORS = {",": tr("commas"), ";": tr("semicolons"), "\t": tr("tabs"), "|": tr("bars")}


def table_notes(text: str) -> tuple[str, ...]:
    """Says how many rows and columns a table has, and what separates them."""
    try:
        # Its time grows with the square of the text: of 20,000 characters a damaged file took a second.
        dialect = csv.Sniffer().sniff(text[:4_000], "".join(_SEPARATORS))
        head = next(iter(csv.reader(islice(text.splitlines(), 1), dialect)), [])
    except csv.Error:
        return ()
    rows = max(0, text.rstrip("\r\n").count("\n"))
    words = tr(
        "{rows} below the first, {columns}, separated by {mark}",
        rows=counted(rows, "row"),
        columns=counted(len(head), "column"),
        mark=_SEPARATORS[dialect.delimiter],
    )
    return (words,)


def row_blocks(text: str) -> tuple[Section, ...]:
    """Splits the rows below the first into blocks, larger ones in a long table; each is named by its lines."""
    starts = line_starts(text.rstrip("\r\n"))
    rows = len(starts) - 1
    if rows <= _BLOCK_ROWS:
        return ()
    size = max(_BLOCK_ROWS, -(-rows // (_MOST_BLOCKS * _BLOCK_ROWS)) * _BLOCK_ROWS)
    found = []
    for first in range(1, rows + 1, size):
        last = min(first + size - 1, rows)
        end = starts[last + 1] if last + 1 < len(starts) else len(text)
        found.append(Section(f"L{first + 1}-{last + 1}", f"rows {first:,}–{last:,}", 1, starts[first], end))
    return tuple(found)


def line_starts(text: str) -> list[int]:
    """Returns where each line starts, whatever its line ends are."""
    lines = re.split("(?<=\n)|(?<=\r)(?!\n)", text) if "\r" in text else text.split("\n")
    step = 0 if "\r" in text else 1
    return [0, *accumulate(len(line) + step for line in lines[:-1])]
