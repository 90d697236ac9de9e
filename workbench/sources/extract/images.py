"""Rotates pictures upright and shrinks them, for providers that would refuse them."""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from workbench.domain.files.pictures import picture_in
from workbench.domain.translation import tr
from workbench.sources.extract.refusal import Unreadable, broken

MOST_PIXELS = 120_000_000
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_QUALITIES = (90, 80, 70, 55, 40)
_SMALLEST_SIDE = 64
_ORIENTATION = 0x0112


def smaller_picture(content: bytes, most_bytes: int, longest_side: int) -> bytes:
    """Returns the picture upright and within the limits: the same bytes where it already is."""
    shown = picture_in(content)
    if shown is None:
        raise Unreadable(tr("it is not a supported image"), tr("Attach a PNG, JPEG, GIF or WebP."))
    if shown.width * shown.height > MOST_PIXELS:
        raise Unreadable(
            tr(
                "it has {width:,} × {height:,} pixels, and the limit is {most_pixels:,} in all",
                width=shown.width,
                height=shown.height,
                most_pixels=MOST_PIXELS,
            ),
            tr("Attach a smaller copy of it."),
        )
    picture = _opened(content)
    fits = len(content) <= most_bytes and max(shown.width, shown.height) <= longest_side
    if fits and _orientation(picture) == 1:
        return content
    return _encode(_upright(picture), most_bytes, max(1, longest_side))


def _opened(content: bytes) -> Image.Image:
    # A warning of Pillow's about its own limit: ours is checked above.
    Image.MAX_IMAGE_PIXELS = 2 * MOST_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = Image.open(BytesIO(content), formats=_FORMATS)
            picture.load()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        raise broken(tr("picture")) from None
    return picture


def _orientation(picture: Image.Image) -> int:
    try:
        found = picture.getexif().get(_ORIENTATION, 1)
    except (OSError, SyntaxError, ValueError, KeyError):
        return 1
    return found if isinstance(found, int) and 2 <= found <= 8 else 1


def _upright(picture: Image.Image) -> Image.Image:
    """Rotates a picture as its EXIF data says, and converts it to plain colours without metadata."""
    kind = picture.format
    try:
        turned = ImageOps.exif_transpose(picture)
    except (OSError, SyntaxError, ValueError, KeyError):
        turned = picture
    see_through = "A" in turned.getbands() or "transparency" in turned.info
    made = turned.convert("RGBA" if see_through else "RGB")
    made.format = kind
    return made


def _encode(picture: Image.Image, most_bytes: int, longest_side: int) -> bytes:
    """Encodes a picture within a size: PNG for few colours if it fits, else lower quality, then smaller sides."""
    sharp = picture.format in ("PNG", "GIF")
    side = min(longest_side, max(picture.size))
    while True:
        small = _within(picture, side)
        if sharp and len(made := _png(small)) <= most_bytes:
            return made
        for quality in _QUALITIES:
            made = _lossy(small, quality)
            if len(made) <= most_bytes:
                return made
        if side <= _SMALLEST_SIDE:
            raise Unreadable(
                tr("it cannot be made smaller than {most_bytes:,} bytes", most_bytes=most_bytes),
                tr("Attach a smaller copy of it."),
            )
        side = max(_SMALLEST_SIDE, side * 3 // 4)


def _within(picture: Image.Image, side: int) -> Image.Image:
    if max(picture.size) <= side:
        return picture
    scale = side / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _png(picture: Image.Image) -> bytes:
    written = BytesIO()
    picture.save(written, "PNG", optimize=True)
    return written.getvalue()


def _lossy(picture: Image.Image, quality: int) -> bytes:
    """Encodes as JPEG; as WebP where there is transparency."""
    written = BytesIO()
    if picture.mode == "RGBA":
        picture.save(written, "WEBP", quality=quality, method=4)
    else:
        picture.save(written, "JPEG", quality=quality, optimize=True)
    return written.getvalue()
