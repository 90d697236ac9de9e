"""Reads compressed copies of bodies: for looking only, and never more than a limit, however much a body promises."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable

_MOST_LAYERS = 3
_BIGGEST_WINDOW = 128 * 1024 * 1024
_STEP = 256 * 1024


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


def _gunzipped(body: bytes, limit: int) -> bytes:
    out = b""
    while body:
        piece, body = _inflated(body, limit - len(out), 31)
        out += piece
        body = body.lstrip(b"\0")
    return out


def _undeflated(body: bytes, limit: int) -> bytes:
    """With zlib's head, as it should be, or without."""
    try:
        return _inflated(body, limit, 15)[0]
    except Undecodable:
        return _inflated(body, limit, -15)[0]


def _inflated(body: bytes, limit: int, bits: int) -> tuple[bytes, bytes]:
    stream = zlib.decompressobj(bits)
    try:
        out = stream.decompress(body, limit + 1)
    except zlib.error as problem:
        raise Undecodable("zlib") from problem
    if len(out) > limit:
        raise TooLarge
    return out, stream.unused_data


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
