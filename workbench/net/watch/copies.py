"""Copies of what passes by, for looking: each within its limit, and all of them together within another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock

from workbench.domain.watch.bodies import without_keys
from workbench.domain.watch.exchange import Ending, Exchange, Unread
from workbench.domain.watch.routes import is_aside
from workbench.net.watch.decoding import Growing, TooLarge, Undecodable, decoded

MOST_REQUEST = 32 * 1024 * 1024
MOST_ANSWER = 8 * 1024 * 1024
MOST_DECODED = 64 * 1024 * 1024
MOST_TOGETHER = 256 * 1024 * 1024
MOST_END = 256 * 1024
"""So much of the end of an answer is kept where its middle is not: there it says what was used."""
AT_ONCE = 64 * 1024
"""About so much of an answer is read in one go while it passes."""


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

    Beyond its limit its start and its end are kept, unless it is of no use without the rest (`entire`).
    """

    def __init__(self, room: Room, most: int, entire: bool = False) -> None:
        self._room, self._most, self._entire = room, most, entire
        self._pieces: list[bytes] = []
        self._held = 0
        self._end = bytearray()
        self.size = 0
        self.whole = True

    def add(self, piece: bytes) -> None:
        """Keep a piece, if it and all before it find room."""
        self.size += len(piece)
        if not piece:
            return
        if not self.whole:
            self._add_to_end(piece)
            return
        if self._held + len(piece) > self._most or not self._room.take(len(piece)):
            self.whole = False
            if self._entire:
                self.taken()
            self._add_to_end(piece)
            return
        self._held += len(piece)
        self._pieces.append(piece)

    def _add_to_end(self, piece: bytes) -> None:
        if not self._entire:
            self._end += piece
            if len(self._end) > 2 * MOST_END:  # not at every piece: most are far smaller than what moves
                del self._end[:-MOST_END]

    @property
    def end(self) -> bytes:
        """The last bytes of what was cut; nothing where all is kept."""
        return bytes(self._end[-MOST_END:])

    def joined(self) -> bytes:
        """All that was kept, which stays held."""
        self._pieces = [b"".join(self._pieces)]
        return self._pieces[0]

    def following(self, place: int, most: int) -> list[bytes]:
        """The pieces from a place on, until they are as many bytes; while others are added."""
        found, size = [], 0
        for piece in self._pieces[place:]:
            found.append(piece)
            size += len(piece)
            if size >= most:
                break
        return found

    def taken(self) -> bytes:
        """All that was kept; nothing is held any more."""
        pieces, self._pieces = self._pieces, []
        self._room.give_back(self._held)
        self._held = 0
        return b"".join(pieces)


def _nobody(_passing: Passing) -> None:
    pass


@dataclass(slots=True)
class Passing:
    """A request while it passes and afterwards, with its answer; `exchange` reads the copies.

    Attributes:
        about: what is known without the bodies.
        request_encoding, answer_encoding: how they are compressed.
        asked, grew: who is told that the request has passed whole, and that the answer has grown; on the loop.
        awaited: whether somebody was told of the answer and has not looked since.
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
    asked: Callable[[Passing], None] = _nobody
    grew: Callable[[Passing], None] = _nobody
    awaited: bool = False
    _sent: Exchange | None = field(default=None, init=False)
    _growing: Growing | None = field(default=None, init=False)
    _followed: int = field(default=0, init=False)

    @property
    def n(self) -> int:
        return self.about.n

    def begun(self) -> Exchange:
        """The request alone, once it has passed whole; may take a while. One thread at a time may ask."""
        if self._sent is None:
            size, whole = self.request.size, self.request.whole
            body, unread = _read(self.request.joined(), self.request_encoding, whole)
            unread = unread or _unread(self.about, body)
            self._sent = replace(self.about, request=without_keys(body), request_bytes=size, unread=unread)
        return self._sent

    def more(self) -> bytes:
        """What of the answer came since this was last asked, decompressed, some of it at a time."""
        self.awaited = False  # first: what comes from here on is told again
        if self._growing is None:
            self._growing = Growing(self.answer_encoding, MOST_DECODED)
        pieces = self.answer.following(self._followed, AT_ONCE)
        self._followed += len(pieces)
        return self._growing.add(b"".join(pieces))

    def exchange(self) -> Exchange:
        """What passed, decompressed; may take a while, and may be asked once. Any thread may ask."""
        sent, size, cut = self.begun(), self.answer.size, not self.answer.whole
        self.request.taken()
        answer, unread = _read(self.answer.taken(), self.answer_encoding, whole=True)
        plain = self.answer_encoding.strip().lower() in ("", "identity")
        return replace(
            sent,
            answer=answer,
            answer_bytes=size,
            answer_cut=cut or unread == "too_large",
            answer_end=self.answer.end if plain else b"",
            status=self.status,
            first_byte_ms=self.first_byte_ms,
            total_ms=self.total_ms,
            ending=self.ending,
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
