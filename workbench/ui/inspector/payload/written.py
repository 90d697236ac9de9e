"""A request written out as JSON or as a curl command, with the position of every piece."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from json.encoder import encode_basestring as _quoted
from typing import Any, NamedTuple

from workbench.domain.reading.node import JsonPath
from workbench.domain.request import Piece, WireForm, curl_around

PRETTY, COMPACT = 2, 0
"""Spaces of indentation per level; with 0 everything is on one line, as it is sent."""
LONGEST_DATA = 64
"""Encoded data that is not longer than this is not folded."""
_BASE64 = ";base64,"
_ENCODED = re.compile(r"[A-Za-z0-9+/]+")
BETWEEN_MESSAGES = "\n\n"


class Span(NamedTuple):
    """Where a piece of a message is in the text, in characters."""

    message: int
    piece: int
    start: int
    end: int


class Head(NamedTuple):
    """Where a message begins; the view shows a line with its role there, which is not part of the text."""

    message: int
    at: int


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A request as text, with the positions of its pieces and messages.

    Attributes:
        escaped: whether the pieces are written as JSON strings, with line ends as `\\n`.
        between: whether the text between the pieces is shown.
        encoded: ranges of encoded bytes, such as pictures; folded in the view, complete in every copy.
    """

    text: str
    spans: tuple[Span, ...] = ()
    heads: tuple[Head, ...] = ()
    escaped: bool = False
    between: bool = True
    encoded: tuple[tuple[int, int], ...] = ()


def messages_text(form: WireForm) -> WrittenText:
    """The texts of all messages, one after the other, without any JSON."""
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


class Cut(NamedTuple):
    """The part of a piece that is in one string of the body."""

    piece: int
    text: str


def json_text(form: WireForm, indent: int = PRETTY) -> WrittenText:
    """The body as JSON, with the ranges of the pieces inside its strings."""
    writer = _Writer(form, indent)
    writer.write(form.body, ())
    starts = list(accumulate(map(len, writer.parts), initial=0))
    spans = tuple(Span(*owner, starts[part], starts[part + 1]) for owner, part in writer.owned)
    encoded = tuple((starts[part], starts[part + 1]) for part in writer.encoded)
    text = "".join(writer.parts)
    if indent == COMPACT and form.raw and form.raw != text:
        # Another program writes its spaces and letters otherwise: its bytes are shown, whosever they are.
        return WrittenText(form.raw, escaped=True)
    return WrittenText(text, spans, escaped=True, encoded=encoded)


def sent_text(form: WireForm) -> str:
    """The body in one line, as it is sent: what `json_text` writes without spaces, in a fraction of the time."""
    return form.raw or json.dumps(form.body, ensure_ascii=False, separators=(",", ":"))


def cuts_of(form: WireForm) -> dict[JsonPath, tuple[int, tuple[Cut, ...]]]:
    """For the path of each string of the body: its message's number, and which parts of pieces it consists of.

    A provider may want a message's text in several blocks, and a piece may reach from one into the next. If the body
    differs from the message's text, there is no entry: the ranges would point at other words.
    """
    found = {}
    for number, message in enumerate(form.messages):
        places = _places(form, number)
        texts = [_text_at(form.body, place) for place in places]
        if places and "".join(texts) == "".join(piece.text for piece in message.pieces):
            for place, cuts in zip(
                places, _distribute(message.pieces, [len(text) for text in texts]), strict=True
            ):
                found[place] = (number, tuple(cuts))
    return found


def _places(form: WireForm, number: int) -> tuple[JsonPath, ...]:
    if number < len(form.stretches):
        return form.stretches[number]
    place = form.places[number] if number < len(form.places) else None
    return () if place is None else (place,)


def _text_at(body: Any, place: JsonPath) -> str:
    for step in place:
        body = body[step]
    return body if isinstance(body, str) else ""


def _distribute(pieces: Sequence[Piece], lengths: list[int]) -> list[list[Cut]]:
    """Distribute pieces over strings of these lengths, in order; a piece may continue in the next string."""
    dealt: list[list[Cut]] = [[] for _ in lengths]
    room = 0
    left = lengths[0]
    for index, piece in enumerate(pieces):
        at = 0
        while True:
            taken = min(left, len(piece.text) - at)
            if taken or not piece.text:
                dealt[room].append(Cut(index, piece.text[at : at + taken]))
            at, left = at + taken, left - taken
            if at >= len(piece.text):
                break
            room, left = room + 1, lengths[room + 1]
    return dealt


class _Writer:
    """Writes one JSON document, and notes which parts of it belong to pieces.

    Attributes:
        parts: the written strings, to be joined; owned: message and piece with the number of the part they own.
        encoded: the numbers of parts that are encoded bytes.
    """

    def __init__(self, form: WireForm, indent: int) -> None:
        self.parts: list[str] = []
        self.owned: list[tuple[tuple[int, int], int]] = []
        self.encoded: list[int] = []
        self._add = self.parts.append
        self._indent = indent
        self._colon = ": " if indent else ":"
        self._cuts = cuts_of(form)

    def write(self, value: Any, path: JsonPath) -> None:
        match value:
            case str():
                self._text(value, path)
            case dict() if value:
                self._object(value, path)
            case list() | tuple() if value:
                self._array(value, path)
            case _:
                self._add(json.dumps(value, ensure_ascii=False))

    def _object(self, value: dict[str, Any], path: JsonPath) -> None:
        gap, line = "{", self._line(len(path) + 1)
        for key, member in value.items():
            self._add(f"{gap}{line}{_quoted(key)}{self._colon}")
            self.write(member, (*path, key))
            gap = ","
        self._add(f"{self._line(len(path))}}}")

    def _array(self, value: Sequence[Any], path: JsonPath) -> None:
        gap, line = "[", self._line(len(path) + 1)
        for index, member in enumerate(value):
            self._add(f"{gap}{line}")
            self.write(member, (*path, index))
            gap = ","
        self._add(f"{self._line(len(path))}]")

    def _text(self, value: str, path: JsonPath) -> None:
        number, cuts = self._cuts.get(path, (0, ()))
        if not cuts:
            self._data(value)
            return
        self._add('"')
        for cut in cuts:
            self.owned.append(((number, cut.piece), len(self.parts)))
            self._add(_quoted(cut.text)[1:-1])
        self._add('"')

    def _data(self, value: str) -> None:
        """Write a string that belongs to no piece, and note which part of it is encoded bytes, if any."""
        start = value.find(_BASE64) + len(_BASE64) if value.startswith("data:") and _BASE64 in value else 0
        if len(value) - start <= LONGEST_DATA or not _ENCODED.fullmatch(value, start, start + LONGEST_DATA):
            self._add(_quoted(value))
            return
        self._add(f'"{_quoted(value[:start])[1:-1]}')
        self.encoded.append(len(self.parts))
        self._add(_quoted(value[start:])[1:-1])
        self._add('"')

    def _line(self, depth: int) -> str:
        return f"\n{' ' * (self._indent * depth)}" if self._indent else ""


def curl_text(form: WireForm) -> WrittenText:
    """The curl command that sends a request."""
    body = json_text(form, COMPACT)
    before, after = curl_around(form.url, form.headers, body.text)
    shifted = tuple(
        span._replace(start=span.start + len(before), end=span.end + len(before)) for span in body.spans
    )
    encoded = tuple((start + len(before), end + len(before)) for start, end in body.encoded)
    return WrittenText(f"{before}{body.text}{after}", shifted, escaped=True, encoded=encoded)
