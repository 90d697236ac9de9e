"""Copies of what passes by, for looking: each within its limit, and all of them together within another."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from threading import Lock

from workbench.domain.watch.exchange import Ending, Exchange, Unread, without_keys
from workbench.domain.watch.routes import is_aside

# Reads compressed copies of bodies: for looking only, and never more than a limit, however much a body promises.


_MOST_LAYERS = 3
_BIGGEST_WINDOW = 128 * 1024 * 1024
_STEP = 256 * 1024
_LITTLE = 128
_NO_ZERO = re.compile(rb"[^\0]")
_MEMBER = 512
"""So much is read first of a member of gzip: it may be over after twenty bytes."""


class Undecodable(Exception):
    """An encoding that is not known, or bytes that are not in it."""


class TooLarge(Exception):
    """More than the limit."""


def decoded(body: bytes, encodings: str, limit: int) -> bytes:
    """The body without its encodings; where it was cut off, as much as there is."""
    layers = [one.strip().lower() for one in encodings.split(",") if one.strip()]
    layers = [one for one in layers if one != "identity"]
    if len(layers) > _MOST_LAYERS:
        raise Undecodable(encodings)
    for layer in reversed(layers):
        if layer not in _DECODERS:
            raise Undecodable(layer)
        body = _DECODERS[layer](body, limit) if body else body
    if len(body) > limit:
        raise TooLarge
    return body


class Growing:
    """A body that is read while it comes; from where it cannot be read on, nothing more of it is."""

    def __init__(self, encodings: str, limit: int) -> None:
        layers = [one.strip().lower() for one in encodings.split(",") if one.strip()]
        layers = [one for one in layers if one != "identity"]
        self._left = limit
        self._steps: list[Callable[[bytes], bytes]] | None = None
        if len(layers) <= _MOST_LAYERS and all(one in _STREAMS for one in layers):
            self._steps = [_STREAMS[one]() for one in reversed(layers)]

    def add(self, piece: bytes) -> bytes:
        """What a piece holds, without its encodings."""
        if self._steps is None or not piece:
            return b""
        try:
            found = b"".join(self._read(piece)) if self._steps else piece
        except Exception:  # noqa: BLE001  (each library has its own; the whole body is read at its end)
            self._steps = None
            return b""
        return found

    def _read(self, piece: bytes) -> Iterator[bytes]:
        """In little steps: a hundred bytes may promise millions."""
        for start in range(0, len(piece), _LITTLE):
            found = piece[start : start + _LITTLE]
            for step in self._steps or ():
                found = step(found)
            self._left -= len(found)
            if self._left < 0:
                raise TooLarge
            yield found


def _inflating(bits: int) -> Callable[[], Callable[[bytes], bytes]]:
    return lambda: zlib.decompressobj(bits).decompress


def _unbrotling() -> Callable[[bytes], bytes]:
    import brotli

    stream = brotli.Decompressor()

    def step(piece: bytes) -> bytes:
        found = stream.process(piece, output_buffer_limit=_STEP)
        if not stream.can_accept_more_data():
            raise TooLarge  # for looking while it comes; the whole body is read at its end
        return bytes(found)

    return step


def _unzstding() -> Callable[[bytes], bytes]:
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=_BIGGEST_WINDOW).decompressobj().decompress


def _gunzipped(body: bytes, limit: int) -> bytes:
    """All members one after the other, in steps: a member copies what stands behind it in its piece."""
    out, stream, place, step = io.BytesIO(), zlib.decompressobj(31), 0, _MEMBER
    while place < len(body):
        piece = body[place : place + step]
        out.write(_some_inflated(stream, piece, limit - out.tell()))
        place, step = place + len(piece) - len(stream.unused_data), min(4 * step, _STEP)
        if stream.eof:
            stream, step = zlib.decompressobj(31), _MEMBER
            after_zeros = _NO_ZERO.search(body, place)
            place = len(body) if after_zeros is None else after_zeros.start()
    return out.getvalue()


def _undeflated(body: bytes, limit: int) -> bytes:
    """With zlib's head, as it should be, or without."""
    try:
        return _some_inflated(zlib.decompressobj(15), body, limit)
    except Undecodable:
        return _some_inflated(zlib.decompressobj(-15), body, limit)


def _some_inflated(stream: zlib._Decompress, piece: bytes, limit: int) -> bytes:
    try:
        out = stream.decompress(piece, limit + 1)
    except zlib.error as problem:
        raise Undecodable("zlib") from problem
    if len(out) > limit:
        raise TooLarge
    return out


def _unbrotlied(body: bytes, limit: int) -> bytes:
    import brotli

    stream = brotli.Decompressor()
    out = io.BytesIO()
    try:
        piece = stream.process(body, output_buffer_limit=_STEP)
        while piece:
            out.write(piece)
            if out.tell() > limit:
                raise TooLarge
            piece = stream.process(b"", output_buffer_limit=_STEP)
    except brotli.error as problem:
        raise Undecodable("br") from problem
    return out.getvalue()


def _unzstded(body: bytes, limit: int) -> bytes:
    import zstandard

    reader = zstandard.ZstdDecompressor(max_window_size=_BIGGEST_WINDOW).stream_reader(
        io.BytesIO(body), read_across_frames=True
    )
    out = io.BytesIO()
    try:
        while piece := reader.read(_STEP):
            out.write(piece)
            if out.tell() > limit:
                raise TooLarge
    except zstandard.ZstdError as problem:
        raise Undecodable("zstd") from problem
    return out.getvalue()


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _undeflated,
    "br": _unbrotlied,
    "zstd": _unzstded,
}

_STREAMS: dict[str, Callable[[], Callable[[bytes], bytes]]] = {
    "gzip": _inflating(31),
    "x-gzip": _inflating(31),
    "deflate": _inflating(15),
    "br": _unbrotling,
    "zstd": _unzstding,
}


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
