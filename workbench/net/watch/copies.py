"""Copies of what passes by, for looking: each within its limit, and all of them together within another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock

from workbench.domain.watch.bodies import without_keys
from workbench.domain.watch.exchange import Ending, Exchange, Unread
from workbench.domain.watch.routes import is_aside
from workbench.net.watch.decoding import TooLarge, Undecodable, decoded

MOST_REQUEST = 32 * 1024 * 1024
MOST_ANSWER = 8 * 1024 * 1024
MOST_DECODED = 64 * 1024 * 1024
MOST_TOGETHER = 256 * 1024 * 1024


class Room:
    """How many bytes may be held at once; what finds no room is passed on without a copy."""

    def __init__(self, most: int = MOST_TOGETHER) -> None:
        self.left = most
        # Taken on the loop and given back in a thread: a count that drifts would end all copies after days.
        self._lock = Lock()

    def take(self, size: int) -> bool:
        """Whether there was room for so many."""
        with self._lock:
            if size > self.left:
                return False
            self.left -= size
            return True

    def give_back(self, size: int) -> None:
        """So many are held no longer."""
        with self._lock:
            self.left += size


class Copy:
    """A body as it passed by, up to its limit; `size` counts all of it.

    Beyond its limit its start is kept, unless it is of no use without the rest (`entire`).
    """

    def __init__(self, room: Room, most: int, entire: bool = False) -> None:
        self._room, self._most, self._entire = room, most, entire
        self._pieces: list[bytes] = []
        self._held = 0
        self.size = 0
        self.whole = True

    def add(self, piece: bytes) -> None:
        """Keep a piece, if it and all before it find room."""
        self.size += len(piece)
        if not piece or not self.whole:
            return
        if self._held + len(piece) > self._most or not self._room.take(len(piece)):
            self.whole = False
            if self._entire:
                self.taken()
            return
        self._held += len(piece)
        self._pieces.append(piece)

    def taken(self) -> bytes:
        """All that was kept; nothing is held any more."""
        pieces, self._pieces = self._pieces, []
        self._room.give_back(self._held)
        self._held = 0
        return b"".join(pieces)


@dataclass(slots=True)
class Passing:
    """A request while it passes and afterwards, with its answer; `exchange` reads the copies.

    Attributes:
        about: what is known without the bodies.
        request_encoding, answer_encoding: how they are compressed.
    """

    about: Exchange
    request: Copy
    answer: Copy
    request_encoding: str = ""
    answer_encoding: str = ""
    ending: Ending = "complete"
    status: int | None = None
    first_byte_ms: float | None = None
    total_ms: float | None = None

    def exchange(self) -> Exchange:
        """What passed, decompressed; may take a while, and may be asked once. Any thread may ask."""
        sizes = (self.request.size, self.answer.size)
        whole = self.request.whole
        body, unread = _read(self.request.taken(), self.request_encoding, whole)
        answer, _ = _read(self.answer.taken(), self.answer_encoding, whole=True)
        return replace(
            self.about,
            request=without_keys(body),
            request_bytes=sizes[0],
            answer=answer,
            answer_bytes=sizes[1],
            status=self.status,
            first_byte_ms=self.first_byte_ms,
            total_ms=self.total_ms,
            ending=self.ending,
            unread=unread or _unread(self.about, body),
        )


def _read(body: bytes, encoding: str, whole: bool) -> tuple[bytes, Unread]:
    if not whole:
        return b"", "too_large"
    try:
        return decoded(body, encoding, MOST_DECODED), ""
    except TooLarge:
        return b"", "too_large"
    except Undecodable:
        return b"", "encoding"


def _unread(about: Exchange, body: bytes) -> Unread:
    if about.format is None:
        return "unknown_path" if body and not is_aside(about.path) else ""
    return "" if body.strip().startswith(b"{") else "not_json"
