"""A request written out as text, with the place of every piece in it: noted while writing, never searched for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from workbench.domain.wire_form import WireForm

BETWEEN_MESSAGES = "\n\n"


class Span(NamedTuple):
    """Where a piece of a message stands; `start` and `end` count characters of the text."""

    message: int
    piece: int
    start: int
    end: int


class Head(NamedTuple):
    """Where a message begins; the view puts a line with its role there, which is no part of the text."""

    message: int
    at: int


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A whole text, its pieces in order, and how it is to be read.

    Attributes:
        escaped: whether the pieces stand there as JSON strings do, line ends written as `\\n`.
        between: whether what stands between the pieces is worth showing.
        encoded: where bytes stand that nobody reads, a picture's for example; folded in view, whole in every copy.
    """

    text: str
    spans: tuple[Span, ...] = ()
    heads: tuple[Head, ...] = ()
    escaped: bool = False
    between: bool = True
    encoded: tuple[tuple[int, int], ...] = ()


def messages_text(form: WireForm) -> WrittenText:
    """What each message says, one after the other."""
    parts: list[str] = []
    spans: list[Span] = []
    heads: list[Head] = []
    at = 0
    for number, message in enumerate(form.messages):
        if number:
            parts.append(BETWEEN_MESSAGES)
            at += len(BETWEEN_MESSAGES)
        heads.append(Head(number, at))
        for index, piece in enumerate(message.pieces):
            spans.append(Span(number, index, at, at + len(piece.text)))
            parts.append(piece.text)
            at += len(piece.text)
    return WrittenText("".join(parts), tuple(spans), tuple(heads), between=False)
