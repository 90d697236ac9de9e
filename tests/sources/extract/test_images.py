"""Pictures made upright and smaller."""

from __future__ import annotations

import io
from itertools import product

import pytest
from PIL import Image

from tests.fakes.corpus import picture
from tests.fakes.corpus_hostile import png_bomb
from workbench.domain.files.pictures import picture_in
from workbench.sources.extract import images
from workbench.sources.extract.images import smaller_picture
from workbench.sources.extract.refusal import Unreadable

MUCH = 10_000_000


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def noise(kind: str, size: tuple[int, int], mode: str = "RGB") -> bytes:
    """A picture that cannot be packed well."""
    state, out = 1, bytearray()
    for _ in range(size[0] * size[1] * len(mode)):
        state = (state * 1103515245 + 12345) % 2**31
        out.append(state >> 16 & 255)
    written = io.BytesIO()
    Image.frombytes(mode, size, bytes(out)).save(written, kind)
    return written.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_what_is_upright_and_small_stays_byte_for_byte(kind: str):
    content = picture(kind)
    assert smaller_picture(content, MUCH, 100) == content


@pytest.mark.parametrize(("orientation", "kind"), list(product(range(2, 9), ["JPEG", "PNG", "WEBP"])))
def test_it_is_turned_as_it_is_looked_at(orientation: int, kind: str):
    """What a camera wrote sideways is upright, and says nothing about being turned any more."""
    turned = smaller_picture(picture(kind, (80, 60), orientation), MUCH, 100)
    upright = opened(turned).convert("RGB")
    assert upright.size == ((60, 80) if orientation >= 5 else (80, 60))
    assert opened(turned).getexif().get(0x0112, 1) == 1
    corners = {2: (1, 0), 3: (1, 1), 4: (0, 1), 5: (0, 0), 6: (1, 0), 7: (1, 1), 8: (0, 1)}
    right, down = corners[orientation]
    width, height = upright.size
    red = upright.getpixel((width - 5 if right else 5, height - 5 if down else 5))
    assert isinstance(red, tuple)
    assert red[0] > 200
    assert red[1] < 80


def test_a_long_side_is_shortened_and_png_stays_png():
    made = smaller_picture(picture("PNG", (800, 400)), MUCH, 200)
    shown = picture_in(made)
    assert shown is not None
    assert (shown.media_type, shown.width, shown.height) == ("image/png", 200, 100)


def test_too_many_bytes_lose_quality_then_size():
    content = noise("PNG", (300, 300))
    made = smaller_picture(content, 60_000, 1000)
    shown = picture_in(made)
    assert len(made) <= 60_000
    assert shown is not None
    assert (shown.media_type, shown.width) == ("image/jpeg", 300)
    tiny = smaller_picture(content, 4_000, 1000)
    shown = picture_in(tiny)
    assert len(tiny) <= 4_000
    assert shown is not None
    assert shown.width < 300


def test_what_is_transparent_stays_so():
    content = noise("PNG", (200, 200), "RGBA")
    made = smaller_picture(content, 40_000, 1000)
    assert opened(made).format == "WEBP"
    assert "A" in opened(made).getbands()


def test_the_same_bytes_every_time():
    content = noise("JPEG", (300, 200))
    assert smaller_picture(content, 20_000, 150) == smaller_picture(content, 20_000, 150)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"words", "not a supported image"),
        (png_bomb(60_000, 60_000), "the limit is 120,000,000"),
        (picture("PNG", (80, 60))[:-40], "a damaged picture"),
        (png_bomb(9_000, 9_000), "a damaged picture"),
    ],
    ids=["no picture", "a bomb", "cut off", "less than it says"],
)
def test_what_cannot_be_is_refused(content: bytes, reason: str):
    with pytest.raises(Unreadable, match=reason):
        smaller_picture(content, 1000, 50)


def test_what_cannot_be_small_enough_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(images, "_QUALITIES", (90,))
    with pytest.raises(Unreadable, match="cannot be made smaller"):
        smaller_picture(noise("PNG", (100, 100)), 300, 90)
