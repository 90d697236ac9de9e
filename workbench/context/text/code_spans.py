"""Where in a text there is code: fenced blocks, indented lines, and words between backticks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_INDENTED = re.compile(r"(?: {4}|\t)")
_TICKS = re.compile(r"`+")


def code_spans(text: str) -> tuple[Span, ...]:
    """All code, in order; a fence that is never closed goes to the end, as Markdown has it."""
    spans: list[Span] = []
    prose_start = 0
    for start, end in _blocks(text):
        spans += [*_inline(text, prose_start, start), (start, end)]
        prose_start = end
    return (*spans, *_inline(text, prose_start, len(text)))


def is_in(spans: Sequence[Span], place: int) -> bool:
    """Whether a place lies in one of the spans, which are in order and do not overlap."""
    before = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return before >= 0 and place < spans[before][1]


def _blocks(text: str) -> Iterator[Span]:
    fence, opened, place = "", 0, 0
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                yield opened, place + len(line)
                fence = ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence, opened = found[1], place
        elif _INDENTED.match(line):
            yield place, place + len(line)
        place += len(line)
    if fence:
        yield opened, len(text)


def _inline(text: str, start: int, end: int) -> Iterator[Span]:
    """Between a run of backticks and the next run of the same length."""
    runs = list(_TICKS.finditer(text, start, end))
    closing: dict[int, list[int]] = {}
    for number, run in enumerate(runs):
        closing.setdefault(len(run[0]), []).append(number)
    number = 0
    while number < len(runs):
        same = closing[len(runs[number][0])]
        following = bisect_right(same, number)
        if following == len(same):
            number += 1
            continue
        yield runs[number].start(), runs[same[following]].end()
        number = same[following] + 1
