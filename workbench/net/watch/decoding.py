"""Reads compressed copies of bodies: for looking only, and never more than a limit, however much a body promises."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator

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
