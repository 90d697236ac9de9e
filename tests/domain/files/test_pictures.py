"""Pictures are told by their first bytes, and damaged ones are none."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.attached import AttachedPicture
from workbench.domain.files.pictures import picture_in

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x02\0\0\0"
GIF = b"GIF89a" + struct.pack("<HH", 640, 480) + b"\0\0\0"
JPEG = (
    b"\xff\xd8\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + bytes(9)
    + b"\xff\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640) + bytes(10)
)  # fmt: skip
RIFF = b"RIFF\0\0\0\0WEBP"
WEBP_X = RIFF + b"VP8X" + bytes(8) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
WEBP_L = RIFF + b"VP8L" + bytes(4) + b"\x2f" + (639 | 479 << 14).to_bytes(4, "little")
WEBP_LOSSY = RIFF + b"VP8 " + bytes(10) + struct.pack("<HH", 640, 480)


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PNG, "image/png"),
        (GIF, "image/gif"),
        (JPEG, "image/jpeg"),
        (WEBP_X, "image/webp"),
        (WEBP_L, "image/webp"),
        (WEBP_LOSSY, "image/webp"),
    ],
)
def test_a_picture_is_known_with_its_size(content: bytes, media_type: str):
    assert picture_in(content) == AttachedPicture(media_type, 640, 480)


@pytest.mark.parametrize("content", [PNG, GIF, JPEG, WEBP_X, WEBP_L, WEBP_LOSSY])
def test_half_a_header_is_no_picture_and_no_error(content: bytes):
    for length in range(len(content) - 1):
        found = picture_in(content[:length])
        assert found is None or (found.width, found.height) == (640, 480) or found.media_type == "image/webp"


@pytest.mark.parametrize(
    "content",
    [b"", b"text", PNG.replace(b"IHDR", b"XXXX"), b"GIF89a\0\0\0\0", b"\xff\xd8\xff\xd8" + bytes(20)],
)
def test_anything_else_is_none(content: bytes):
    assert picture_in(content) is None


@given(st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", RIFF]), st.binary(max_size=200))
def test_garbage_behind_a_magic_number_is_no_error(magic: bytes, garbage: bytes):
    found = picture_in(magic + garbage)
    assert found is None or min(found.width, found.height) > 0
