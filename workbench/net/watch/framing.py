"""Follows HTTP messages that pass by: where a body lies and where it ends. The bytes themselves go on untouched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import h11

LONGEST_HEAD = 256 * 1024


@dataclass(frozen=True, slots=True)
class Seen:
    """What a piece of a message held: its share of the body, and how many of its bytes belong to the message."""

    body: bytes
    used: int


class Framing:
    """One message, piece by piece; where it cannot be followed it is `lost`, and goes on until the connection ends."""

    def __init__(self, parser: h11.Connection) -> None:
        self._parser = parser
        self.head: Any = None
        self.over = False
        self.lost = False
        self._left: int | None = None
        self._behind = b""

    def see(self, piece: bytes) -> Seen:
        """Take the next piece; an empty one is the end of the connection."""
        if self._left is not None and not self.over:
            return self._counted(piece, self._left)
        if self.lost:
            return Seen(b"", len(piece))
        try:
            self._parser.receive_data(piece)
            body = self._events()
        except h11.ProtocolError:
            self.lost = True
            return Seen(b"", len(piece))
        return Seen(body, len(piece) - (len(self.behind) if self.over else 0))

    def _counted(self, piece: bytes, left: int) -> Seen:
        """The next piece of a body whose length is known: it is counted, and not copied."""
        if not piece:
            self.lost, self._left = True, None
            return Seen(b"", 0)
        taken = min(len(piece), left)
        self._left, self.over = left - taken, taken == left
        body = piece if taken == len(piece) else piece[:taken]
        self._behind = piece[taken:]
        return Seen(body, taken)

    @property
    def behind(self) -> bytes:
        """Bytes that arrived and were not taken for this message; of the next one once it is over."""
        data: bytes = self._parser.trailing_data[0] if self._left is None else self._behind
        return data

    def _events(self) -> bytes:
        body = self._parsed()
        if self.head is not None and not self.over and self._left is None:
            given = dict(self.head.headers)
            if b"transfer-encoding" not in given and b"content-length" in given:
                self._left = int(given[b"content-length"]) - len(body)
        return body

    def _parsed(self) -> bytes:
        found = []
        while not self.over:
            event = self._parser.next_event()
            if isinstance(event, h11.Data):
                found.append(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self.over = True
            elif isinstance(event, h11.Response):
                self.head = event
            elif not isinstance(event, h11.InformationalResponse):
                break
        return b"".join(found)


class RequestFraming(Framing):
    """A request as it arrives; its head is read first, since it is not passed on as it is."""

    def __init__(self) -> None:
        super().__init__(h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD))

    def begin(self, piece: bytes) -> bool:
        """Take a piece until the head is whole; whether it is. `h11.ProtocolError` where it cannot be read."""
        self._parser.receive_data(piece)
        event = self._parser.next_event()
        if isinstance(event, h11.Request):
            self.head = event
        return self.head is not None

    def beginning(self) -> tuple[bytes, Seen]:
        """What of the body came with the head: as it is on the wire, and as it was seen."""
        raw = self.behind
        try:
            body = self._events()
        except h11.ProtocolError:
            self.lost = True
            return raw, Seen(b"", len(raw))
        return raw, Seen(body, len(raw) - (len(self.behind) if self.over else 0))


def answer_framing(method: bytes) -> Framing:
    """What follows the answer to a request of that method, on which the end of an answer depends."""
    parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=LONGEST_HEAD)
    parser.send(h11.Request(method=method, target=b"/", headers=[(b"host", b"any")]))
    parser.send(h11.EndOfMessage())
    return Framing(parser)
