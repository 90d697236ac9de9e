"""Prose in short: its headings and the first sentence of every section, then more of each as far as the room goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from workbench.context.shorten.compact import headings, joins
from workbench.context.shorten.pieces import Pieces, Span, Tier

_GAP = "[…]"
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
# A sentence ends with its sign and the space after it, or with the sign alone where words are not spaced.
_SENTENCE_END = re.compile(r"[.!?…]['\")\]’”»]*(?=\s)|[。！？]['\")\]’”»]*")
_SENTENCE_CHARS = 400
_DEPTH = 40
"""So many paragraphs of a section are told apart by their worth; what comes after them counts alike."""


def plan_prose(text: str) -> Pieces:
    """Prose looked through: headings, first sentences, the rest of first paragraphs, then paragraph by paragraph."""
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
    """A mark: within a paragraph, or on a line of its own."""
    start, end = span
    before = "" if start == 0 or text[start - 1].isspace() else " "
    if "\n" in text[start:end] and (start == 0 or text[start - 1] == "\n" or text[start] == "\n"):
        return f"\n{_GAP}\n" if start and text[start - 1] != "\n" else f"{_GAP}\n"
    return f"{before}{_GAP}" + ("\n" if end < len(text) and "\n" in text[start:end] else " ")


def _sections(text: str) -> Iterator[tuple[Span, Span]]:
    """Every heading with its line, and what stands under it; what stands before the first has an empty heading."""
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
    """A paragraph in sentences, the white space after each with it; never inside a character."""
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
    """A very long sentence in parts that end with a word: a list without full stops is one."""
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
