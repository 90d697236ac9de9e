"""Recognises pictures by their first bytes: format and size, without decoding."""

from __future__ import annotations

import struct
from collections.abc import Callable

from workbench.domain.files.attached import AttachedPicture

# What every provider takes: 5 MB as it is written into a request, which is a third longer, and 8,000 pixels a side.
MOST_SENT_BYTES = 3_700_000
LONGEST_SENT_SIDE = 8_000
_EXIF_BYTES = 128 * 1024

Size = tuple[int, int]
# The JPEG segments that hold a picture's size: starts of frames, without tables (C4), extensions (C8) and DAC (CC).
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
_LARGEST_SIDE = 100_000


def picture_in(content: bytes) -> AttachedPicture | None:
    """The picture in these bytes; None where they are none, or one without a size."""
    for media_type, begins, size_of in _KINDS:
        if begins(content):
            size = _sensible(size_of, content)
            return AttachedPicture(media_type, *size) if size else None
    return None


def may_be_refused(content: bytes, picture: AttachedPicture) -> bool:
    """Whether a picture has to be converted before it is sent: too large, or perhaps rotated."""
    large = len(content) > MOST_SENT_BYTES or max(picture.width, picture.height) > LONGEST_SENT_SIDE
    return large or b"Exif" in content[:_EXIF_BYTES] or b"eXIf" in content[:_EXIF_BYTES]


def _sensible(size_of: Callable[[bytes], Size | None], content: bytes) -> Size | None:
    try:
        size = size_of(content)
    except (struct.error, IndexError):
        return None
    return size if size and all(0 < side <= _LARGEST_SIDE for side in size) else None


def _png(content: bytes) -> Size | None:
    width, height = struct.unpack_from(">II", content, 16)
    return (width, height) if content[12:16] == b"IHDR" else None


def _gif(content: bytes) -> Size | None:
    width, height = struct.unpack_from("<HH", content, 6)
    return width, height


def _jpeg(content: bytes) -> Size | None:
    place = 2
    while place < len(content) - 8:
        if content[place] != 0xFF:
            return None
        marker = content[place + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", content, place + 5)
            return width, height
        if marker == 0xFF:
            place += 1
        elif marker in _JPEG_WITHOUT_LENGTH:
            place += 2
        else:
            place += 2 + max(2, int.from_bytes(content[place + 2 : place + 4], "big"))
    return None


def _webp(content: bytes) -> Size | None:
    match content[12:16]:
        case b"VP8X":
            return (
                int.from_bytes(content[24:27], "little") + 1,
                int.from_bytes(content[27:30], "little") + 1,
            )
        case b"VP8L":
            bits = int.from_bytes(content[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", content, 26)
            return width & 0x3FFF, height & 0x3FFF
    return None


_KINDS: tuple[tuple[str, Callable[[bytes], bool], Callable[[bytes], Size | None]], ...] = (
    ("image/png", lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    ("image/jpeg", lambda content: content.startswith(b"\xff\xd8\xff"), _jpeg),
    ("image/gif", lambda content: content.startswith((b"GIF87a", b"GIF89a")), _gif),
    ("image/webp", lambda content: content[:4] == b"RIFF" and content[8:12] == b"WEBP", _webp),
)
