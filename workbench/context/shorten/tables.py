"""A table in short: its header, sample rows and a summary of every column, with what is left out in words."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from workbench.context.shorten.fair_shares import fair_shares
from workbench.context.shorten.pieces import Span, clipped, end_of_head, line_spans
from workbench.context.shorten.shape import delimiter_of

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
    """Rows that stand together: the header, the others, and each column in a line."""

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
        """The first rows, every so many-th one, and the last ones; the first fill the room that is left."""
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
        return text, self._told(first, step if any(n >= first for n in middle) else 0, last, len(shown))

    def _told(self, first: int, step: int, last: int, shown: int) -> str:
        if not shown:
            return f"[{len(self.rows):,} rows are left out]"
        every = f", then every {step:,}th" if step else ""
        left = len(self.rows) - shown
        ends = (f"the first {first:,}{every}", f"the last {last:,}" if last else "")
        which = ", and ".join(filter(None, ends))
        return f"[these are {shown:,} of {len(self.rows):,} rows: {which}; {left:,} rows are left out]"


@dataclass(frozen=True)
class _Tables:
    """Tables and what stands around them; short tables stay whole, and the others share the room."""

    text: str
    tables: tuple[_Table, ...]

    def cut(self, chars: int) -> str:
        around = list(self._around())
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

    def _around(self) -> Iterator[str]:
        at = 0
        for table in self.tables:
            yield self.text[at : table.header[0]].strip("\n")
            at = table.rows[-1][1]
        yield self.text[at:].strip("\n")


def plan_table(text: str) -> _Tables | None:
    """Tables looked through; None where there is none after all."""
    lines = line_spans(text)
    marked = [text.startswith("|", start) for start, _ in lines]
    if sum(marked) * 2 >= len(lines):
        found = [_marked_table(text, lines[first:last]) for first, last in _stretches(marked)]
    else:
        found = [_delimited(text, lines)]
    tables = tuple(table for table in found if table is not None)
    return _Tables(text, tables) if tables else None


def _stretches(marked: Sequence[bool]) -> Iterator[Span]:
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
    """A table whose columns a sign parts; a quoted cell may hold line ends."""
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
    """The cells of every row: read at one go, or row by row where a quote that nobody closes would swallow some."""
    written = text[rows[0][0] : rows[-1][1]].split("\n")
    cells = [row for row in csv.reader((f"{line}\n" for line in written), delimiter=sign) if row]
    if len(cells) == len(rows):
        return cells
    return [
        next(csv.reader(text[start:end].splitlines(keepends=True), delimiter=sign), []) for start, end in rows
    ]


def _records(text: str, lines: Sequence[Span]) -> Iterator[Span]:
    """Lines joined while a quoted cell is open; a quote that nobody closes is a sign like any other."""
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
    """A column in a line: what it holds, how many different values, from which to which, how many are empty."""
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
