"""Choosing what stays of a text: spans of it in order of their worth, as many as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from workbench.context.shorten.compact import fact_around, joins, whole_facts

Span = tuple[int, int]
"""Where a piece of a text begins and where it ends."""

# Tidying a cut may cost a twentieth of its part, no more: the room is there to be used.
_TIDY_SHARE = 20
_WORTH_TEARING = 40
_PASSES = 6
_MISSES = 300
"""So many pieces that do not fit one after the other are enough to see that there is little room left."""


class Plan(Protocol):
    """A text that was looked through once, ready to be cut to any length."""

    def cut(self, chars: int) -> str:
        """About so many characters of it, never more, with what is left out told in its place."""
        ...


@dataclass(frozen=True, slots=True)
class Tier:
    """Pieces that are worth the same.

    Where there is no room for all, those that stay stand for the whole stretch; with `in_order` the first ones stay.
    """

    spans: tuple[Span, ...]
    in_order: bool = False


@dataclass(frozen=True)
class Pieces:
    """A text in tiers, the most worthy first; `gap` says in the text's own way that something is left out there."""

    text: str
    tiers: tuple[Tier, ...]
    gap: Callable[[str, Span], str]
    gap_chars: int

    def cut(self, chars: int) -> str:
        """The pieces that there is room for, in the order of the text."""
        kept: set[Span] = set()
        room, made = chars, ""
        for _ in range(_PASSES):
            more = list(self._chosen(kept, room))
            if not more:
                break
            attempt = kept.union(more)
            written = self._written(attempt)
            if len(written) > chars:
                break
            kept, made = attempt, written
            room = chars - len(made)
        return self._with_torn(kept, made, chars)

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

    def _with_torn(self, kept: set[Span], made: str, chars: int) -> str:
        """The beginning of one more piece, where much room is left."""
        room = chars - len(made) - 2 * self.gap_chars
        if room < max(_WORTH_TEARING, chars // _TIDY_SHARE):
            return made
        missing = (span for span in self._ordered if span not in kept)
        first = next((span for span in missing if span[1] - span[0] > room), None)
        if first is None:
            return made
        end = end_of_head(self.text[first[0] : first[1]], room)
        torn = self._written(kept | {(first[0], first[0] + end)}) if end > 0 else made
        return torn if len(torn) <= chars else made

    def _written(self, kept: Iterable[Span]) -> str:
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
    """The same items so that any first few of them are evenly taken from all: the halves, the quarters, and so on."""
    width = max(1, (len(items) - 1).bit_length())
    for number in range(1 << width):
        place = int(f"{number:0{width}b}"[::-1], 2)
        if place < len(items):
            yield items[place]


def end_of_head(text: str, limit: int) -> int:
    """Where a head of at most so many characters ends: with a line, else a word, and never inside a character."""
    if limit >= len(text):
        return len(text)
    least = limit - limit // _TIDY_SHARE
    for mark in ("\n", " "):
        place = text.rfind(mark, least, limit)
        if place >= 0:
            return place + 1
    return len(whole_facts(text, max(0, limit)))


def start_of_tail(text: str, limit: int) -> int:
    """Where a tail begins that is not before a place: with a line, else a word, and never inside a character."""
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
    """Every line with its line end."""
    spans: list[Span] = []
    at = 0
    for line in text.split("\n"):
        spans.append((at, min(len(text), at + len(line) + 1)))
        at += len(line) + 1
    return spans if spans[-1][0] < spans[-1][1] else spans[:-1]


def clipped(line: str, most: int = 120) -> str:
    """A line that is not too long to be named."""
    return line if len(line) <= most else whole_facts(line, most).rstrip() + " …"
