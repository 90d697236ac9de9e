"""Server-sent events, read from lines: comments and keep-alives say nothing, an event ends with a blank line."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import dataclass

from workbench.providers.wire.faults import CutOff, Garbled, TooBig
from workbench.providers.wire.lines import LineReader
from workbench.providers.wire.strict_json import parse_json

DONE = b"[DONE]"


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `name` is empty where the server gave none."""

    name: str
    content: bytes


class _Assembly:
    """The event whose lines are arriving."""

    def __init__(self, longest_bytes: int) -> None:
        self._longest_bytes = longest_bytes
        self._size_bytes = 0
        self._name = ""
        self._lines: list[bytes] = []

    def take(self, line: bytes) -> Event | None:
        """The event, if this line ends it."""
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
        """What has arrived so far; None where that is no event."""
        event = Event(self._name, b"\n".join(self._lines)) if self._lines else None
        self._name, self._lines, self._size_bytes = "", [], 0
        return event

    def _add(self, value: bytes) -> None:
        self._size_bytes += len(value)
        if self._size_bytes > self._longest_bytes:
            raise TooBig(f"an event of more than {self._longest_bytes:,} bytes")
        self._lines.append(value)


async def events(pieces: AsyncIterable[bytes], longest_bytes: int) -> AsyncGenerator[Event, None]:
    """Every event of the stream, in order."""
    lines, assembly = LineReader(longest_bytes), _Assembly(longest_bytes)
    async for piece in pieces:
        for line in lines.feed(piece):
            if (event := assembly.take(line)) is not None:
                yield event
    last = _last_event(lines, assembly)
    if last is not None:
        yield last


def _last_event(lines: LineReader, assembly: _Assembly) -> Event | None:
    """The event before the end of the stream: some servers forget its blank line, others were cut off in it."""
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
