"""Copies of passing requests and answers, each within a limit, and all together within another."""

from __future__ import annotations

import io
import re
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from threading import Lock

from workbench.domain.watch.exchange import Ending, Exchange, Unread, without_keys
from workbench.domain.watch.routes import is_aside
from workbench.domain.watch.rules import Changed

# Reads compressed copies of bodies: for looking only, and never more than a limit, however much a body promises.


_MOST_LAYERS = 3
_BIGGEST_WINDOW = 128 * 1024 * 1024
_STEP = 256 * 1024
_LITTLE = 128
_NO_ZERO = re.compile(rb"[^\0]")
_MEMBER = 512
"""The first read of a gzip member, which may end after twenty bytes."""


class Undecodable(Exception):
    """An unknown content encoding, or bytes that are not in it."""


class TooLarge(Exception):
    """The content is larger than the limit."""


def decode_body(body: bytes, encodings: str, limit: int) -> bytes:
    """Decompresses a body; of one that was cut off, as much as there is."""
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


class StreamDecoder:
    """Decompresses a body while it arrives; after the first error nothing more is returned."""

    def __init__(self, encodings: str, limit: int) -> None:
        layers = [one.strip().lower() for one in encodings.split(",") if one.strip()]
        layers = [one for one in layers if one != "identity"]
        self._left = limit
        self.failed = False
        self._steps: list[Callable[[bytes], bytes]] | None = None
        if len(layers) <= _MOST_LAYERS and all(one in _STREAMS for one in layers):
            self._steps = [_STREAMS[one]() for one in reversed(layers)]
        self.failed = self._steps is None

    def add(self, piece: bytes) -> bytes:
        """Returns what a piece contains, decompressed."""
        if self._steps is None or not piece:
            return b""
        try:
            found = b"".join(self._read(piece)) if self._steps else piece
        except Exception:  # noqa: BLE001  (each library has its own; the whole body is read at its end)
            self._steps, self.failed = None, True
            return b""
        return found

    def _read(self, piece: bytes) -> Iterator[bytes]:
        """Decompresses in small steps, since a hundred bytes may expand to millions."""
        for start in range(0, len(piece), _LITTLE):
            found = piece[start : start + _LITTLE]
            for step in self._steps or ():
                found = step(found)
            self._left -= len(found)
            if self._left < 0:
                raise TooLarge
            yield found


def _zlib_stream(bits: int) -> Callable[[], Callable[[bytes], bytes]]:
    return lambda: zlib.decompressobj(bits).decompress


def _brotli_stream() -> Callable[[bytes], bytes]:
    import brotli

    stream = brotli.Decompressor()

    def step(piece: bytes) -> bytes:
        found = stream.process(piece, output_buffer_limit=_STEP)
        if not stream.can_accept_more_data():
            raise TooLarge  # for looking while it comes; the whole body is read at its end
        return bytes(found)

    return step


def _zstd_stream() -> Callable[[bytes], bytes]:
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=_BIGGEST_WINDOW).decompressobj().decompress


def _gunzip(body: bytes, limit: int) -> bytes:
    """Decompresses all gzip members in steps: a decompressor copies everything after its member in the piece."""
    out, stream, place, step = io.BytesIO(), zlib.decompressobj(31), 0, _MEMBER
    while place < len(body):
        piece = body[place : place + step]
        out.write(_inflate_piece(stream, piece, limit - out.tell()))
        place, step = place + len(piece) - len(stream.unused_data), min(4 * step, _STEP)
        if stream.eof:
            stream, step = zlib.decompressobj(31), _MEMBER
            after_zeros = _NO_ZERO.search(body, place)
            place = len(body) if after_zeros is None else after_zeros.start()
    return out.getvalue()


def _inflate(body: bytes, limit: int) -> bytes:
    """Decompresses deflate, with zlib's header or without it."""
    try:
        return _inflate_piece(zlib.decompressobj(15), body, limit)
    except Undecodable:
        return _inflate_piece(zlib.decompressobj(-15), body, limit)


def _inflate_piece(stream: zlib._Decompress, piece: bytes, limit: int) -> bytes:
    try:
        out = stream.decompress(piece, limit + 1)
    except zlib.error as problem:
        raise Undecodable("zlib") from problem
    if len(out) > limit:
        raise TooLarge
    return out


def _unbrotli(body: bytes, limit: int) -> bytes:
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


def _unzstd(body: bytes, limit: int) -> bytes:
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
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}

_STREAMS: dict[str, Callable[[], Callable[[bytes], bytes]]] = {
    "gzip": _zlib_stream(31),
    "x-gzip": _zlib_stream(31),
    "deflate": _zlib_stream(15),
    "br": _brotli_stream,
    "zstd": _zstd_stream,
}


MOST_REQUEST = 32 * 1024 * 1024
MOST_ANSWER = 8 * 1024 * 1024
MOST_DECODED = 64 * 1024 * 1024
MOST_TOGETHER = 256 * 1024 * 1024
MOST_END = 256 * 1024
"""How much of the end of an answer is kept where its middle is not: it states the usage."""
AT_ONCE = 64 * 1024
"""About how much of an answer is read at once while it passes."""


class CopyBudget:
    """A shared limit for the bytes of all copies; what does not fit is passed on without a copy."""

    def __init__(self, most: int = MOST_TOGETHER) -> None:
        self.left = most
        # Taken on the loop and given back in a thread: a count that drifts would end all copies after days.
        self._lock = Lock()

    def take(self, size: int) -> bool:
        """Reserves bytes; returns whether there was room."""
        with self._lock:
            if size > self.left:
                return False
            self.left -= size
            return True

    def give_back(self, size: int) -> None:
        """Releases reserved bytes."""
        with self._lock:
            self.left += size


class Copy:
    """A copy of a passing body up to its limit; `size` counts all of it.

    Beyond the limit its start and end are kept, or nothing where it is useless without the rest (`entire`).
    """

    def __init__(self, room: CopyBudget, most: int, entire: bool = False) -> None:
        self._room, self._most, self._entire = room, most, entire
        self._pieces: list[bytes] = []
        self._held = 0
        self._end: deque[bytes] = deque()
        self._end_size = 0
        self.size = 0
        self.whole = True

    def add(self, piece: bytes) -> None:
        """Adds a piece, if it and all before it fit."""
        self.size += len(piece)
        if not piece:
            return
        if not self.whole:
            self._add_to_end(piece)
            return
        if self._held + len(piece) > self._most or not self._room.take(len(piece)):
            self.whole = False
            if self._entire:
                self.release()
            self._add_to_end(piece)
            return
        self._held += len(piece)
        self._pieces.append(piece)

    def _add_to_end(self, piece: bytes) -> None:
        if self._entire:
            return
        self._end.append(piece)
        self._end_size += len(piece)
        while self._end_size - len(self._end[0]) >= MOST_END:
            self._end_size -= len(self._end.popleft())

    @property
    def end(self) -> bytes:
        """The last bytes of a body that was cut; empty where all of it is kept."""
        return b"".join(self._end)[-MOST_END:]

    def joined(self) -> bytes:
        """Returns what was kept, and goes on holding it."""
        self._pieces = [b"".join(self._pieces)]
        return self._pieces[0]

    def pieces_from(self, place: int, most: int) -> list[bytes]:
        """Returns pieces from an index on, up to about `most` bytes; others may be added meanwhile."""
        found, size = [], 0
        for piece in self._pieces[place:]:
            found.append(piece)
            size += len(piece)
            if size >= most:
                break
        return found

    def release(self) -> bytes:
        """Returns what was kept, and releases it."""
        pieces, self._pieces = self._pieces, []
        self._room.give_back(self._held)
        self._held = 0
        return b"".join(pieces)


def _no_callback(_passing: Passing) -> None:
    pass


@dataclass(slots=True)
class Passing:
    """A request with its answer, while it passes and afterwards; `exchange` reads the copies.

    Attributes:
        about: what is known without the bodies.
        request_encoding, answer_encoding: how they are compressed.
        asked, grew: called on the loop when the request has passed whole, and when the answer has grown.
        told: whether `asked` was called.
        awaited: whether `grew` was called and the answer has not been read since.
        changed: what rules or a person made of the request, where it was held for them.
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
    asked: Callable[[Passing], None] = _no_callback
    grew: Callable[[Passing], None] = _no_callback
    awaited: bool = False
    changed: Changed | None = None
    told: bool = False
    _sent: Exchange | None = field(default=None, init=False)
    _growing: StreamDecoder | None = field(default=None, init=False)
    _followed: int = field(default=0, init=False)

    @property
    def n(self) -> int:
        return self.about.n

    def tell_asked(self) -> None:
        """Tells that the request has passed whole, or waits for a person; once."""
        if not self.told:
            self.told = True
            self.asked(self)

    def begun(self) -> Exchange:
        """Returns the request alone, once it has passed whole.

        May take a while, and only one thread may call it at a time.
        """
        if self._sent is None:
            size, whole = self.request.size, self.request.whole
            body, unread = _read(self.request.joined(), self.request_encoding, whole)
            unread = unread or _unread(self.about, body)
            self._sent = replace(self.about, request=without_keys(body), request_bytes=size, unread=unread)
        return _with_changes(self._sent, self.changed)

    def more(self) -> bytes:
        """Returns what arrived of the answer since the last call, decompressed, a limited amount at a time."""
        self.awaited = False  # first: what comes from here on is told again
        if self._growing is None:
            self._growing = StreamDecoder(self.answer_encoding, MOST_DECODED)
        pieces = self.answer.pieces_from(self._followed, AT_ONCE)
        self._followed += len(pieces)
        return self._growing.add(b"".join(pieces))

    def exchange(self) -> Exchange:
        """Returns request and answer, decompressed; may take a while, from any thread, once only."""
        sent, size, cut = self.begun(), self.answer.size, not self.answer.whole
        self.request.release()
        answer, unread = _read(self.answer.release(), self.answer_encoding, whole=True)
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
        return decode_body(body, encoding, MOST_DECODED), ""
    except TooLarge:
        return b"", "too_large"
    except Undecodable:
        return b"", "encoding"


def _with_changes(came: Exchange, changed: Changed | None) -> Exchange:
    """The exchange with the body that was sent, where that is another one than came."""
    if changed is None:
        return came
    if changed.body is None:
        return replace(came, rules=changed.outcomes, sent_bytes=came.request_bytes)
    sent = without_keys(changed.body)
    size = len(changed.body)
    return replace(came, request=sent, came_in=came.request, sent_bytes=size, rules=changed.outcomes)


def _unread(about: Exchange, body: bytes) -> Unread:
    if about.format is None:
        return "unknown_path" if body and not is_aside(about.path) else ""
    return "" if body.strip().startswith(b"{") else "not_json"
