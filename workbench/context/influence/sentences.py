"""Sentences inside a piece, so that a second round can say which of them carried the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.context.influence.pieces import Piece, Unit
from workbench.domain.change import Built

# A sentence ends with its sign before white space, or with its line: code and logs have no other ends.
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?…。！？][\"'”’»)\]]*(?=\s|$)|\n|$)", re.MULTILINE)
_LEAST_CHARS = 12
MOST = 24
"""Of a longer text, neighbours are looked at together."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A part of a piece's text: where it begins, by its line, and the piece as it is left out without the rest."""

    line: int
    text: str
    tokens: int
    piece: Piece


def sentences_of(unit: Unit, built: Built) -> tuple[Sentence, ...]:
    """The sentences of a file or of messages that stand in the request; none where there is only one."""
    if unit.first.kind not in ("artifact", "exchange") or not unit.copies:
        return ()
    piece = unit.first
    sent = "\n".join(
        segment.text
        for message in built.envelope.messages
        for segment in message.segments
        if segment.id in unit.members
    )
    spans = [one for one in _spans(piece.text) if piece.text[slice(*one)].strip() in sent]
    if len(spans) < 2:
        return ()
    total = sum(end - start for start, end in spans)
    keys = tuple(dict.fromkeys(key for one in unit.pieces for key in one.keys))
    found = []
    for start, end in _together(spans):
        text = piece.text[start:end].strip()
        at = piece.text.index(text, start)
        part = Piece(
            f"{piece.id}#{at}", text, piece.layer, "sentence", 0, unit.members, keys, text, piece.place,
            nth=_before(piece.text, text, at),
        )  # fmt: skip
        line = piece.text.count("\n", 0, at) + 1
        found.append(Sentence(line, text, round(unit.tokens * (end - start) / total), part))
    return tuple(found)


def _before(whole: str, text: str, at: int) -> int:
    """How often a text stands in another before a place, overlaps included."""
    count, found = 0, whole.find(text)
    while found < at:
        count, found = count + 1, whole.find(text, found + 1)
    return count


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Sentence after sentence; what is too short to say something goes with the next one."""
    begun: int | None = None
    for found in _SENTENCE.finditer(text):
        start = found.start() if begun is None else begun
        said = text[start : found.end()].strip()
        ends = found.end() == len(text) or "\n" in text[found.start() : found.end() + 1]
        if said and (len(said) >= _LEAST_CHARS or ends):
            yield start, found.end()
            begun = None
        else:
            begun = start if said else None


def _together(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """At most so many, neighbours joined."""
    count = min(MOST, len(spans))
    for place in range(count):
        run = spans[place * len(spans) // count : (place + 1) * len(spans) // count]
        yield run[0][0], run[-1][1]
