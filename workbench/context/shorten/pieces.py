"""Selects what stays of a text: spans in order of importance, as many as fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from workbench.context.shorten.compact import fact_around, headings, joins, whole_facts
from workbench.domain.files.document_parts import split_anchor

Span = tuple[int, int]
"""Where a piece of a text begins and where it ends."""

# Tidying a cut may cost a twentieth of its part, no more: the room is there to be used.
_TIDY_SHARE = 20
_WORTH_TEARING = 40
_PASSES = 6
_MISSES = 300
"""How many consecutive pieces that do not fit show that there is little room left."""


class Plan(Protocol):
    """A parsed text, ready to be cut to any length."""

    def cut(self, chars: int) -> str:
        """At most `chars` characters of it, with notes where something is omitted."""
        ...


@dataclass(frozen=True, slots=True)
class Tier:
    """Pieces of equal importance.

    Where not all fit, an even selection stays; with `in_order` the first ones.
    """

    spans: tuple[Span, ...]
    in_order: bool = False


@dataclass(frozen=True)
class Pieces:
    """A text in tiers, the most important first; `gap` writes the note for an omission in the text's own style."""

    text: str
    tiers: tuple[Tier, ...]
    gap: Callable[[str, Span], str]
    gap_chars: int

    def cut(self, chars: int) -> str:
        """The pieces that fit, in the order of the text."""
        kept: set[Span] = set()
        room, made = chars, ""
        for _ in range(_PASSES):
            more = list(self._chosen(kept, room))
            if not more:
                break
            attempt = kept.union(more)
            written = self._join_with_gaps(attempt)
            if len(written) > chars:
                break
            kept, made = attempt, written
            room = chars - len(made)
        return self._with_partial_piece(kept, made, chars)

    def _chosen(self, kept: set[Span], room: int) -> Iterator[Span]:
        missed = 0
        for span in self._ordered:
            if span in kept:
                continue
            cost = span[1] - span[0] + self.gap_chars
            if cost <= room:
                room, missed = room - cost, 0
                yield span
            elif (missed := missed + 1) > _MISSES or room <= self.gap_chars:
                return

    @cached_property
    def _ordered(self) -> list[Span]:
        return [span for tier in self.tiers for span in (tier.spans if tier.in_order else spread(tier.spans))]

    def _with_partial_piece(self, kept: set[Span], made: str, chars: int) -> str:
        """The beginning of one more piece, where much room is left."""
        room = chars - len(made) - 2 * self.gap_chars
        if room < max(_WORTH_TEARING, chars // _TIDY_SHARE):
            return made
        missing = (span for span in self._ordered if span not in kept)
        first = next((span for span in missing if span[1] - span[0] > room), None)
        if first is None:
            return made
        end = end_of_head(self.text[first[0] : first[1]], room)
        torn = self._join_with_gaps(kept | {(first[0], first[0] + end)}) if end > 0 else made
        return torn if len(torn) <= chars else made

    def _join_with_gaps(self, kept: Iterable[Span]) -> str:
        parts: list[str] = []
        at = 0
        for start, end in sorted(kept):
            if start > at:
                parts.append(self._gap(at, start))
            parts.append(self.text[max(start, at) : end])
            at = max(at, end)
        if at < len(self.text):
            parts.append(self._gap(at, len(self.text)))
        return "".join(parts).strip("\n").rstrip()

    def _gap(self, start: int, end: int) -> str:
        between = self.text[start:end]
        return self.gap(self.text, (start, end)) if between.strip() else between


def spread(items: Sequence[Span]) -> Iterator[Span]:
    """The items reordered so that any first few are evenly spread: the halves, the quarters, and so on."""
    width = max(1, (len(items) - 1).bit_length())
    for number in range(1 << width):
        place = int(f"{number:0{width}b}"[::-1], 2)
        if place < len(items):
            yield items[place]


def end_of_head(text: str, limit: int) -> int:
    """The end of a head of at most `limit` characters: at a line end, else a word's, never inside a character."""
    if limit >= len(text):
        return len(text)
    least = limit - limit // _TIDY_SHARE
    for mark in ("\n", " "):
        place = text.rfind(mark, least, limit)
        if place >= 0:
            return place + 1
    return len(whole_facts(text, max(0, limit)))


def start_of_tail(text: str, limit: int) -> int:
    """The start of a tail not before `limit`: at a line, else a word, never inside a character."""
    most = limit + (len(text) - limit) // _TIDY_SHARE
    for mark in ("\n", " "):
        place = text.find(mark, limit, most)
        if place >= 0:
            return place + 1
    fact = fact_around(text, limit)
    limit = limit if fact is None else fact[1]
    while 0 < limit < len(text) and joins(text[limit - 1], text[limit]):
        limit += 1
    return limit


def line_spans(text: str) -> list[Span]:
    """The span of every line, with its line break."""
    spans: list[Span] = []
    at = 0
    for line in text.split("\n"):
        spans.append((at, min(len(text), at + len(line) + 1)))
        at += len(line) + 1
    return spans if spans[-1][0] < spans[-1][1] else spans[:-1]


def clipped(line: str, most: int = 120) -> str:
    """A line shortened to at most `most` characters."""
    return line if len(line) <= most else whole_facts(line, most).rstrip() + " …"


# What kind of text something is, found from its name and from itself: that decides how it is cut.


Shape = Literal["log", "code", "prose", "table", "other"]

_LOGS = frozenset({"log", "out", "err", "trace"})
_PROSE = frozenset(
    {"md", "markdown", "mdx", "rst", "txt", "adoc", "tex", "html", "htm", "docx", "pdf", "odt", "eml"}
)
_TABLES = frozenset({"csv", "tsv", "tab", "xlsx", "xlsm", "xls", "ods"})
BRACES = frozenset(
    {
        "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "dart", "go", "java", "js", "jsx", "kt", "m", "mjs", "php", "rs",
        "scala", "swift", "ts", "tsx", "zig",
    }
)  # fmt: skip
"""Endings of files in languages whose functions may begin without a word for it, and with a brace."""
_CODE = BRACES | {"ex", "exs", "jl", "lua", "nim", "pl", "pm", "py", "pyi", "pyx", "r", "rb", "sh", "vb"}

_SAMPLE_CHARS, _SAMPLE_LINES = 40_000, 200
_LONG_LINE = 400
_STAMP = re.compile(r"\W{0,3}(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d)")
_LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b")
_DECLARED = re.compile(
    r"\s*(?:(?:export|pub|public|private|static|async|abstract)\s+)*(?:def|class|fn|func|function|struct|impl)\s+\w"
)
_LEAST_LINES = 12


def shape_of(name: str, text: str) -> Shape:
    """The shape of a text; a part of a file, `name#part`, has its file's shape where its text allows it."""
    sample = text[:_SAMPLE_CHARS]
    lines = [line for line in sample.split("\n")[:_SAMPLE_LINES] if line.strip()]
    ending = ending_of(name)
    if len(lines) >= _LEAST_LINES and len(sample) < _LONG_LINE * sample.count("\n"):
        if ending in _LOGS:
            return "log"
        if ending in _CODE:
            return "code"
        if found := _by_content(lines, ending):
            return found
    return "prose" if _reads_as_prose(text, sample, ending) else "other"


def ending_of(name: str) -> str:
    """A file name's extension in lower case; the part after # is ignored."""
    path, _ = split_anchor(name)
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if stem and dot else ""


def delimiter_of(lines: Sequence[str]) -> str:
    """The delimiter that splits all these lines into equally many columns; empty where there is none."""
    for sign in ("\t", ";", ",", "|"):
        numbers = {_outside_quotes(line).count(sign) for line in lines}
        if len(numbers) == 1 and min(numbers) >= 1:
            return sign
    return ""


def _outside_quotes(line: str) -> str:
    return "".join(line.split('"')[::2])


def _by_content(lines: Sequence[str], ending: str) -> Shape | None:
    """The shape that the lines suggest, whatever the name says."""
    most = 0.6 * len(lines)
    if sum(line.startswith("|") for line in lines) >= most:
        return "table"
    if ending in _TABLES and delimiter_of(lines[:1]):
        return "table"
    if ending not in _PROSE and len(lines) >= _LEAST_LINES and delimiter_of(lines[:40]) in ("\t", ";", ","):
        return "table"
    if sum(bool(_STAMP.match(line) or _LEVEL.search(line[:80])) for line in lines) >= most:
        return "log"
    declared = sum(bool(_DECLARED.match(line)) for line in lines)
    if ending not in _PROSE and declared >= max(3, 0.02 * len(lines)):
        return "code"
    return None


def _reads_as_prose(text: str, sample: str, ending: str) -> bool:
    """Whether a text is prose: sections under headings, or long paragraphs."""
    found = headings(text)
    if next(found, None) is not None and next(found, None) is not None:
        return True
    paragraphs = [part for part in sample.split("\n\n") if part.strip()]
    long_enough = len(paragraphs) >= 4 and len(sample) >= 80 * len(paragraphs)
    return long_enough and (ending in _PROSE or sample.count(". ") >= len(paragraphs))
