"""Cuts an attached text to a length by its shape (table, log, code, prose), and says how the model can get the rest."""

from __future__ import annotations

import csv
import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from workbench.context.shorten.code import plan_code
from workbench.context.shorten.compact import Shortening, enforced, extract_of, headings, joins, lines_with
from workbench.context.shorten.fair_shares import fair_shares
from workbench.context.shorten.head_and_tail import HeadAndTail
from workbench.context.shorten.pieces import (
    Pieces,
    Plan,
    Span,
    Tier,
    clipped,
    delimiter_of,
    end_of_head,
    ending_of,
    line_spans,
    shape_of,
    spread,
    start_of_tail,
)
from workbench.domain.files.attachment import Artifact

# A table in short: its header, sample rows and a summary of every column, with what is left out in words.


_SUMMARY_SHARE = 0.4
_MOST_CELLS = 2_000_000
_MOST_RECORD_LINES = 100
_LEAST_ROWS = 6
_LAST_ROWS = 3
_TELLING = 160
"""For the words that say which rows are shown."""
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d.*)?|\d\d?[./]\d\d?[./]\d{2,4}")
_RULE = re.compile(r"\|[-:| \t]+\|?\s*")


@dataclass(frozen=True)
class _Table:
    """One table: its header, its rows, and a one-line summary of each column."""

    text: str
    header: Span
    rows: tuple[Span, ...]
    summary: tuple[str, ...]

    @property
    def chars(self) -> int:
        return self.rows[-1][1] - self.header[0]

    def cut(self, chars: int) -> str:
        head = self.text[self.header[0] : self.header[1]].rstrip("\n")
        if len(head) > chars // 3:
            head = head[: end_of_head(head, chars // 3)].rstrip() + " …"
        summary = self._summary(int(chars * _SUMMARY_SHARE))
        rows, said = self._sample(chars - len(head) - len(summary) - _TELLING)
        return "\n".join(part for part in (head, rows, said, summary) if part)

    def _summary(self, limit: int) -> str:
        lines = [f"[every column, over all {len(self.rows):,} rows:"]
        room = limit - len(lines[0]) - 40
        for line in self.summary:
            if len(line) + 1 > room:
                lines.append(f"… and {len(self.summary) - len(lines) + 1:,} more columns")
                break
            room -= len(line) + 1
            lines.append(line)
        told = any(line in lines for line in self.summary)
        return "\n".join(lines) + "]" if told else ""

    def _sample(self, room: int) -> tuple[str, str]:
        """As many rows as fit (the first, every n-th, the last), and a line that says which they are."""
        rows = self.rows
        sizes = [end - start for start, end in rows]
        average = max(1, sum(sizes) // len(sizes))
        last = min(_LAST_ROWS, max(0, room) // average // 4)
        tail = list(range(len(rows) - last, len(rows)))
        room -= sum(sizes[number] for number in tail)
        step = max(2, math.ceil(len(rows) * average / max(1, room // 2)))
        middle: list[int] = []
        while step < len(rows):
            middle = list(range(step - 1, len(rows) - last, step))
            if sum(sizes[number] for number in middle) <= max(0, room * 2 // 3):
                break
            middle, step = [], step * 5 // 4 + 1
        room -= sum(sizes[number] for number in middle)
        spaced = set(middle)
        first = 0
        while first < len(rows) - last:
            room -= 0 if first in spaced else sizes[first]
            if room < 0:
                break
            first += 1
        shown = sorted({*range(first), *middle, *tail})
        text = "".join(self.text[rows[number][0] : rows[number][1]] for number in shown).rstrip("\n")
        return text, self._row_note(first, step if any(n >= first for n in middle) else 0, last, len(shown))

    def _row_note(self, first: int, step: int, last: int, shown: int) -> str:
        if not shown:
            return f"[{len(self.rows):,} rows are left out]"
        every = f", then every {step:,}th" if step else ""
        left = len(self.rows) - shown
        ends = (f"the first {first:,}{every}", f"the last {last:,}" if last else "")
        which = ", and ".join(filter(None, ends))
        return f"[these are {shown:,} of {len(self.rows):,} rows: {which}; {left:,} rows are left out]"


@dataclass(frozen=True)
class _Tables:
    """A text with tables in it; short tables stay whole, the others share the characters available."""

    text: str
    tables: tuple[_Table, ...]

    def cut(self, chars: int) -> str:
        around = list(self._text_around_tables())
        room = chars - sum(map(len, around)) - 2 * len(around)
        if room < chars // 2:
            # Much is said around them: each piece of it gets its share, too.
            share = chars // 2 // max(1, len(around))
            around = [clipped(one, max(0, share - 4)) for one in around]
            room = chars - sum(map(len, around)) - 2 * len(around)
        shares = fair_shares(room, {str(place): table.chars for place, table in enumerate(self.tables)})
        parts: list[str] = []
        for place, (before, table) in enumerate(zip(around, self.tables, strict=False)):
            share = shares[str(place)]
            whole = self.text[table.header[0] : table.rows[-1][1]].rstrip("\n")
            parts += [before, whole if len(whole) <= share else table.cut(share)]
        parts += around[len(self.tables) :]
        return "\n".join(part for part in parts if part)

    def _text_around_tables(self) -> Iterator[str]:
        at = 0
        for table in self.tables:
            yield self.text[at : table.header[0]].strip("\n")
            at = table.rows[-1][1]
        yield self.text[at:].strip("\n")


def plan_table(text: str) -> _Tables | None:
    """Parse a text with tables; None where there are none."""
    lines = line_spans(text)
    marked = [text.startswith("|", start) for start, _ in lines]
    if sum(marked) * 2 >= len(lines):
        found = [_marked_table(text, lines[first:last]) for first, last in _runs_of_true(marked)]
    else:
        found = [_delimited(text, lines)]
    tables = tuple(table for table in found if table is not None)
    return _Tables(text, tables) if tables else None


def _runs_of_true(marked: Sequence[bool]) -> Iterator[Span]:
    first: int | None = None
    for number, one in enumerate((*marked, False)):
        if one and first is None:
            first = number
        elif not one and first is not None:
            yield first, number
            first = None


def _marked_table(text: str, lines: Sequence[Span]) -> _Table | None:
    ruled = len(lines) > 1 and _RULE.fullmatch(text, *lines[1]) is not None
    rows = lines[2 if ruled else 1 :]
    if len(rows) < _LEAST_ROWS:
        return None
    header = (lines[0][0], rows[0][0])
    names = _marked_cells(text[lines[0][0] : lines[0][1]])
    cells = [_marked_cells(text[start:end]) for start, end in rows[: _MOST_CELLS // max(1, len(names))]]
    return _Table(text, header, tuple(rows), _summary(names, cells, len(rows)))


def _marked_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _delimited(text: str, lines: Sequence[Span]) -> _Table | None:
    """A table in CSV or a similar format; quoted cells may contain line breaks."""
    sign = delimiter_of([text[start:end] for start, end in lines[:20]]) or delimiter_of(
        [text[start:end] for start, end in lines[:1]]
    )
    records = list(_records(text, lines)) if sign else []
    if len(records) <= _LEAST_ROWS:
        return None
    try:
        header, rows = records[0], records[1:]
        (names,) = csv.reader([text[header[0] : header[1]]], delimiter=sign)
        cells = _cells(text, rows[: _MOST_CELLS // max(1, len(names))], sign)
    except (csv.Error, ValueError):
        return None
    return _Table(text, header, tuple(rows), _summary(names, cells, len(rows)))


def _cells(text: str, rows: Sequence[Span], sign: str) -> list[list[str]]:
    """The cells of every row, parsed at once, or row by row where an unclosed quote would swallow rows."""
    written = text[rows[0][0] : rows[-1][1]].split("\n")
    cells = [row for row in csv.reader((f"{line}\n" for line in written), delimiter=sign) if row]
    if len(cells) == len(rows):
        return cells
    return [
        next(csv.reader(text[start:end].splitlines(keepends=True), delimiter=sign), []) for start, end in rows
    ]


def _records(text: str, lines: Sequence[Span]) -> Iterator[Span]:
    """Rows of a CSV text: lines joined while a quoted cell is open; an unclosed quote is an ordinary character."""
    if '"' not in text:
        yield from ((start, end) for start, end in lines if text[start:end].strip())
        return
    number = 0
    while number < len(lines):
        last, odd = number, text.count('"', *lines[number]) % 2
        while odd and last + 1 < len(lines) and last - number < _MOST_RECORD_LINES:
            last += 1
            odd ^= text.count('"', *lines[last]) % 2
        if odd:
            last = number
        if text[lines[number][0] : lines[last][1]].strip():
            yield lines[number][0], lines[last][1]
        number = last + 1


def _summary(names: Sequence[str], cells: Sequence[Sequence[str]], rows: int) -> tuple[str, ...]:
    if len(cells) < rows:
        return (f"of the first {len(cells):,} rows only", *_summary(names, cells, len(cells)))
    columns = zip_longest(*cells, fillvalue="")
    return tuple(
        _column(name or f"column {number}", list(column))
        for number, (name, column) in enumerate(zip_longest(names, columns, fillvalue=()), start=1)
        if isinstance(name, str)
    )


def _column(name: str, values: Sequence[str]) -> str:
    """A column in one line: its type, number of distinct values, range, and number of empty cells."""
    distinct = {value.strip() for value in values}
    empty = sum(not value.strip() for value in values)
    distinct.discard("")
    said = [f"{len(distinct):,} distinct"]
    if distinct:
        kind, least, most = _range(distinct)
        said = [kind, *said, f"from {clipped(least, 40)} to {clipped(most, 40)}"]
    if empty:
        said.append(f"{empty:,} empty")
    return f"{clipped(' '.join(name.split()), 60)}: {', '.join(said)}"


def _range(distinct: set[str]) -> tuple[str, str, str]:
    try:
        numbers = {value: float(value) for value in distinct}
    except ValueError:
        numbers = {}
    if numbers and all(map(math.isfinite, numbers.values())):
        kind = "whole numbers" if all(map(float.is_integer, numbers.values())) else "numbers"
        ranked = sorted(numbers, key=lambda value: (numbers[value], value))
        return kind, ranked[0], ranked[-1]
    kind = "dates" if all(map(_DATE.fullmatch, distinct)) else "text"
    least, most = (" ".join(chosen(distinct).split()) for chosen in (min, max))
    return kind, least, most


# A log in short: its head and its tail, and what was wrong in the middle, each kind once with its count.


_HEAD_SHARE, _OUTLINE_SHARE, _MOST_OUTLINE = 0.45, 0.4, 0.75
_FEW_TROUBLES = 600
_LINE_CHARS = 200
_ENTRY_CHARS = 28
_WORDS_CHARS = 90
"""For the words around the warnings and errors."""
_SPAN_CHARS = 2_000
_BAD = re.compile(
    r"\b(?:(FATAL|CRITICAL|PANIC|EMERG|ALERT|SEVERE|ERROR|ERR|FAIL|FAILED|FAILURE|Exception|Traceback)|WARN|WARNING)\b"
    r"|\w(?:Error|Exception)\b",
    re.IGNORECASE,
)
_LONGEST_LINE = 4_000
# Looking for a word is far quicker than trying every place of a text: only lines with one are looked at.
_MARKS = tuple(
    form
    for word in (
        "fatal",
        "critical",
        "panic",
        "emerg",
        "alert",
        "severe",
        "err",
        "fail",
        "exception",
        "traceback",
        "warn",
    )
    for form in (word, word.title(), word.upper())
)
_VARYING = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+", re.IGNORECASE)
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|\b\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
)


@dataclass(frozen=True, slots=True)
class _Trouble:
    """One kind of warning or error: all its lines by their numbers."""

    severe: bool
    lines: tuple[int, ...]

    def between(self, first: int, last: int) -> tuple[int, ...]:
        return self.lines[bisect_left(self.lines, first) : bisect_left(self.lines, last)]


@dataclass(frozen=True)
class _Log:
    text: str
    lines: tuple[Span, ...]
    troubles: tuple[_Trouble, ...]

    def cut(self, chars: int) -> str:
        text = self.text
        # Little room is better used for a few kinds of trouble than for a few lines of either end.
        share = max(int(chars * _OUTLINE_SHARE), min(int(chars * _MOST_OUTLINE), _FEW_TROUBLES))
        outline = self._gap_note(*self._ends(chars - share), share)
        # What the outline did not need is given back to the two ends.
        start, end = self._ends(max(0, chars - len(outline) - _ENTRY_CHARS))
        said = self._gap_note(start, end, chars - start - (len(text) - end) - 2)
        made = f"{text[:start].rstrip()}\n{said}\n{text[end:].strip()}".strip("\n")
        # A count that has one digit more than was thought, or no room even for the words about the gap.
        return made if len(made) <= chars else HeadAndTail(text).cut(chars)

    def _ends(self, chars: int) -> Span:
        head = int(chars * _HEAD_SHARE)
        start = end_of_head(self.text, head)
        return start, start_of_tail(self.text, max(start, len(self.text) - (chars - head)))

    def _gap_note(self, start: int, end: int, limit: int) -> str:
        """A summary of the omitted lines between two places: how many, their times, and warnings and errors."""
        first, last = (bisect_left(self.lines, (place, -1)) for place in (start, end))
        gap = f"[… lines {first + 1:,} to {last:,} of {len(self.lines):,} are left out here"
        if times := self._times(start, end):
            gap += f", {times}"
        named, unnamed = self._problem_lines(first, last, limit - len(gap) - _WORDS_CHARS)
        if not named:
            return gap + "]"
        more = f"\nand {unnamed:,} more kind{'s' if unnamed > 1 else ''} of trouble" if unnamed else ""
        return f"{gap}; warnings and errors in them:\n" + "\n".join(named) + more + "\n…]"

    def _times(self, start: int, end: int) -> str:
        first = _TIME.search(self.text, start, min(end, start + _SPAN_CHARS))
        later = _TIME.findall(self.text, max(start, end - _SPAN_CHARS), end)
        return f"from {first[0]} to {later[-1]}" if first and later and first[0] != later[-1] else ""

    def _problem_lines(self, first: int, last: int, limit: int) -> tuple[list[str], int]:
        """One line for each kind of problem that fits, errors before warnings, in the order of the log."""
        there = [(one, found) for one in self.troubles if (found := one.between(first, last))]
        chosen: list[tuple[int, str]] = []
        for severe in (True, False):
            kinds = [(found[0], place) for place, (one, found) in enumerate(there) if one.severe is severe]
            for number, place in spread(kinds):
                if limit < _ENTRY_CHARS:
                    break
                entry = self._entry(number, there[place][1])
                if len(entry) < limit:
                    limit -= len(entry) + 1
                    chosen.append((number, entry))
        return [entry for _, entry in sorted(chosen)], len(there) - len(chosen)

    def _entry(self, number: int, found: tuple[int, ...]) -> str:
        start, end = self.lines[number]
        line = clipped(self.text[start:end].strip(), _LINE_CHARS)
        more = f" ({len(found):,} like it, the last in line {found[-1] + 1:,})" if len(found) > 1 else ""
        return f"line {number + 1:,}: {line}{more}"


def plan_log(text: str) -> _Log:
    """Parse a log: its lines, and its warnings and errors grouped by message."""
    lines = line_spans(text)
    kinds: dict[str, tuple[bool, list[int]]] = {}
    for place in sorted({start for mark in _MARKS for start in lines_with(text, mark)}):
        number = bisect_left(lines, (place, -1))
        start, end = lines[number]
        found = _BAD.search(text, start, min(end, start + _LONGEST_LINE))
        if found is None:
            continue
        key = _VARYING.sub("#", text[start : min(end, start + _LINE_CHARS)])
        severe = found[1] is not None or not found[0].lower().startswith("warn")
        kinds.setdefault(key, (severe, []))[1].append(number)
    troubles = tuple(_Trouble(severe, tuple(numbers)) for severe, numbers in kinds.values())
    return _Log(text, tuple(lines), troubles)


# Prose in short: its headings and the first sentence of every section, then more of each as far as the room goes.


_GAP = "[…]"
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
# A sentence ends with its sign and the space after it, or with the sign alone where words are not spaced.
_SENTENCE_END = re.compile(r"[.!?…]['\")\]’”»]*(?=\s)|[。！？]['\")\]’”»]*")
_SENTENCE_CHARS = 400
_DEPTH = 40
"""The number of paragraphs of a section that are ranked; later ones rank equally."""


def plan_prose(text: str) -> Pieces:
    """Parse prose into tiers: headings, first sentences, the rest of first paragraphs, then further paragraphs."""
    tops: list[Span] = []
    firsts: list[Span] = []
    rests: list[list[Span]] = [[] for _ in range(_DEPTH)]
    for heading, body in _sections(text):
        if heading[0] < heading[1]:
            tops.append(heading)
        for depth, paragraph in enumerate(_paragraphs(text, body)):
            if depth:
                rests[min(depth, _DEPTH - 1)] += _sentences(text, paragraph)
                continue
            first, *more = _sentences(text, paragraph)
            firsts.append(first)
            rests[0] += more
    if not tops:
        # Without headings every paragraph is a section of its own.
        firsts, rests = _by_paragraph(text)
    tiers = [Tier(tuple(tops)), Tier(tuple(firsts)), *(Tier(tuple(one)) for one in rests)]
    return Pieces(text, tuple(tier for tier in tiers if tier.spans), _gap, len(_GAP) + 2)


def _gap(text: str, span: Span) -> str:
    """The mark for omitted text: within a paragraph, or on a line of its own."""
    start, end = span
    before = "" if start == 0 or text[start - 1].isspace() else " "
    if "\n" in text[start:end] and (start == 0 or text[start - 1] == "\n" or text[start] == "\n"):
        return f"\n{_GAP}\n" if start and text[start - 1] != "\n" else f"{_GAP}\n"
    return f"{before}{_GAP}" + ("\n" if end < len(text) and "\n" in text[start:end] else " ")


def _sections(text: str) -> Iterator[tuple[Span, Span]]:
    """Each heading's line and the text under it; text before the first heading has an empty heading."""
    starts = list(headings(text))
    if not starts or starts[0] > 0:
        yield (0, 0), (0, starts[0] if starts else len(text))
    for start, end in pairwise([*starts, len(text)]):
        newline = text.find("\n", start, end)
        body = end if newline < 0 else newline + 1
        yield (start, body), (body, end)


def _by_paragraph(text: str) -> tuple[list[Span], list[list[Span]]]:
    firsts: list[Span] = []
    rest: list[Span] = []
    for paragraph in _paragraphs(text, (0, len(text))):
        first, *more = _sentences(text, paragraph)
        firsts.append(first)
        rest += more
    return firsts, [rest]


def _paragraphs(text: str, body: Span) -> Iterator[Span]:
    at, end = body
    while at < end and text[at].isspace():
        at += 1
    for found in _PARAGRAPH_END.finditer(text, at, end):
        if found.start() > at:
            yield at, found.start()
        at = found.end()
    if at < end and not text[at:end].isspace():
        yield at, end


def _sentences(text: str, paragraph: Span) -> Sequence[Span]:
    """A paragraph's sentences, each with its trailing white space; never cut inside a character."""
    start, end = paragraph
    spans: list[Span] = []
    at = start
    for found in _SENTENCE_END.finditer(text, start, end):
        place = found.end()
        while place < end and text[place].isspace():
            place += 1
        if place >= end or joins(text[place - 1], text[place]):
            continue
        spans += _in_reach(text, at, place)
        at = place
    return [*spans, *_in_reach(text, at, end)]


def _in_reach(text: str, start: int, end: int) -> Iterator[Span]:
    """A very long sentence, such as a list without full stops, in parts that end with a word."""
    while end - start > _SENTENCE_CHARS:
        place = max(
            text.rfind(mark, start + _SENTENCE_CHARS // 2, start + _SENTENCE_CHARS) for mark in ("\n", " ")
        )
        place = start + _SENTENCE_CHARS if place < 0 else place + 1
        while place < end and joins(text[place - 1], text[place]):
            place += 1
        yield start, place
        start = place
    if start < end:
        yield start, end


def plan_of(name: str, text: str) -> Plan:
    """Parse a text by its shape, ready to be cut to any length."""
    match shape_of(name, text):
        case "log":
            return plan_log(text)
        case "code":
            return plan_code(text, ending_of(name))
        case "prose":
            return plan_prose(text)
        case "table":
            return plan_table(text) or HeadAndTail(text)
        case _:
            return HeadAndTail(text)


def least_chars(artifact: Artifact, how: Shortening) -> int:
    """The fewest characters worth sending of a text: two sections' worth; with less room it is dropped."""
    return min(2 * how.sizes.section_chars, len(artifact.text) // 4)


def recovery(artifact: Artifact, how: Shortening) -> str:
    """How a model can get the rest of a text that was cut: with a tool that it has, else by asking the user."""
    return artifact.recover_with if how.can_recover(artifact) else f"ask for {artifact.name_for_model}"


def summary_text(artifact: Artifact, summary: str, how: Shortening) -> str | None:
    """A summary to send in place of a text; None where it is not shorter. Its facts were checked when it was made."""
    note = f"[a summary of {len(artifact.text):,} characters; to have them: {recovery(artifact, how)}"
    note += "]" if how.can_recover(artifact) else f", or {artifact.recover_with}]"
    return enforced(f"{summary}\n{note}", extract_of(artifact, recovery(artifact, how))).text


def fitted_text(artifact: Artifact, chars: int, how: Shortening, plan: Plan | None = None) -> str | None:
    """A text cut to at most about `chars` characters; None where it must be sent whole or not at all."""
    text = artifact.text
    if not how.applies_to(artifact) or chars >= len(text):
        return None
    body = (plan or plan_of(artifact.name_for_model, text)).cut(chars)
    hint = recovery(artifact, how)
    note = f"[compacted from {len(text):,} characters; to have it in full: {hint}]"
    return enforced(f"{body}\n{note}", extract_of(artifact, hint)).text
