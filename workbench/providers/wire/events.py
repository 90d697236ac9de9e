"""Parses server-sent events and JSON lines from a byte stream; comments and keep-alives are skipped."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import dataclass
from typing import Any

from workbench.domain.translation import tr
from workbench.providers.wire.faults import CutOff, Garbled, TooBig
from workbench.providers.wire.strict_json import parse_json, parse_object

# Bytes as they arrive, cut into lines; a line that never ends is refused before it fills the memory.


_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class LineReader:
    """Splits bytes into lines ending with LF, CRLF or CR, wherever packets were cut.

    Drops a byte order mark at the start.
    """

    def __init__(self, longest_bytes: int) -> None:
        self._longest_bytes = longest_bytes
        self._rest = bytearray()
        self._after_return = False
        self._at_start = True

    def feed(self, piece: bytes) -> list[bytes]:
        """Returns the lines that are complete now."""
        if not piece:
            return []
        ended, self._after_return = self._after_return, piece.endswith(b"\r")
        if ended and piece.startswith(b"\n"):
            piece = piece[1:]
        first, *others = _LINE_END.split(piece)
        self._rest += first
        self._check(len(self._rest))
        if not others:
            return []
        lines = [bytes(self._rest), *others[:-1]]
        self._rest = bytearray(others[-1])
        self._check(max(map(len, others)))
        return self._without_bom(lines)

    def rest(self) -> bytes:
        """Returns what follows the last line end, when the stream is over."""
        return self._without_bom([bytes(self._rest)])[0]

    def _check(self, size_bytes: int) -> None:
        if size_bytes > self._longest_bytes:
            raise TooBig(tr("a line of more than {longest_bytes:,} bytes", longest_bytes=self._longest_bytes))

    def _without_bom(self, lines: list[bytes]) -> list[bytes]:
        if self._at_start:
            self._at_start = False
            lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
        return lines


# A stream of JSON objects, one a line.


async def json_objects(
    pieces: AsyncIterable[bytes], longest_bytes: int
) -> AsyncGenerator[dict[str, Any], None]:
    """Yields every JSON object, one per line; blank lines are skipped."""
    lines = LineReader(longest_bytes)
    async for piece in pieces:
        for line in lines.feed(piece):
            if line.strip():
                yield parse_object(line)
    last = _last_object(lines.rest())
    if last is not None:
        yield last


def _last_object(rest: bytes) -> dict[str, Any] | None:
    """Returns the object at the end of the stream, without a line end; `CutOff` where it is incomplete."""
    if not rest.strip():
        return None
    try:
        return parse_object(rest)
    except Garbled:
        pass
    raise CutOff


DONE = b"[DONE]"


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `name` is empty where the server gave none."""

    name: str
    content: bytes


class _Assembly:
    """Assembles an event from its lines."""

    def __init__(self, longest_bytes: int) -> None:
        self._longest_bytes = longest_bytes
        self._size_bytes = 0
        self._name = ""
        self._lines: list[bytes] = []

    def take(self, line: bytes) -> Event | None:
        """Adds a line; returns the event if the line ends it."""
        if not line:
            return self.finish()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._add(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        return None

    def finish(self) -> Event | None:
        """Returns the event assembled so far; None where there is none."""
        event = Event(self._name, b"\n".join(self._lines)) if self._lines else None
        self._name, self._lines, self._size_bytes = "", [], 0
        return event

    def _add(self, value: bytes) -> None:
        self._size_bytes += len(value)
        if self._size_bytes > self._longest_bytes:
            raise TooBig(
                tr("an event of more than {longest_bytes:,} bytes", longest_bytes=self._longest_bytes)
            )
        self._lines.append(value)


async def events(pieces: AsyncIterable[bytes], longest_bytes: int) -> AsyncGenerator[Event, None]:
    """Yields every event of the stream, in order."""
    lines, assembly = LineReader(longest_bytes), _Assembly(longest_bytes)
    async for piece in pieces:
        for line in lines.feed(piece):
            if (event := assembly.take(line)) is not None:
                yield event
    last = _last_event(lines, assembly)
    if last is not None:
        yield last


def _last_event(lines: LineReader, assembly: _Assembly) -> Event | None:
    """Returns the event at the end of the stream: some servers omit its blank line, others were cut off in it."""
    if rest := lines.rest():
        assembly.take(rest)
    event = assembly.finish()
    if event is None or event.content == DONE:
        return event
    try:
        parse_json(event.content)
    except Garbled:
        event = None
    if event is None:
        raise CutOff
    return event
