"""A log in short: its head and its tail, and what was wrong in the middle, each kind once with its count."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from workbench.context.shorten.compact import lines_with
from workbench.context.shorten.head_and_tail import HeadAndTail
from workbench.context.shorten.pieces import Span, clipped, end_of_head, line_spans, spread, start_of_tail

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
        outline = self._said(*self._ends(chars - share), share)
        # What the outline did not need is given back to the two ends.
        start, end = self._ends(max(0, chars - len(outline) - _ENTRY_CHARS))
        said = self._said(start, end, chars - start - (len(text) - end) - 2)
        made = f"{text[:start].rstrip()}\n{said}\n{text[end:].strip()}".strip("\n")
        # A count that has one digit more than was thought, or no room even for the words about the gap.
        return made if len(made) <= chars else HeadAndTail(text).cut(chars)

    def _ends(self, chars: int) -> Span:
        head = int(chars * _HEAD_SHARE)
        start = end_of_head(self.text, head)
        return start, start_of_tail(self.text, max(start, len(self.text) - (chars - head)))

    def _said(self, start: int, end: int, limit: int) -> str:
        """What stands between two places, in words."""
        first, last = (bisect_left(self.lines, (place, -1)) for place in (start, end))
        gap = f"[… lines {first + 1:,} to {last:,} of {len(self.lines):,} are left out here"
        if times := self._times(start, end):
            gap += f", {times}"
        named, unnamed = self._named(first, last, limit - len(gap) - _WORDS_CHARS)
        if not named:
            return gap + "]"
        more = f"\nand {unnamed:,} more kind{'s' if unnamed > 1 else ''} of trouble" if unnamed else ""
        return f"{gap}; warnings and errors in them:\n" + "\n".join(named) + more + "\n…]"

    def _times(self, start: int, end: int) -> str:
        first = _TIME.search(self.text, start, min(end, start + _SPAN_CHARS))
        later = _TIME.findall(self.text, max(start, end - _SPAN_CHARS), end)
        return f"from {first[0]} to {later[-1]}" if first and later and first[0] != later[-1] else ""

    def _named(self, first: int, last: int, limit: int) -> tuple[list[str], int]:
        """One line for each kind that there is room for, errors before warnings, in the order of the log."""
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
    """A log looked through: its lines, and its warnings and errors by what they say."""
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
