"""Trying an installed program: the picture of its display, and what a silent program is told as."""

from __future__ import annotations

import io
import struct
import sys
from pathlib import Path

import pytest

import trial
from failure import Failure


def frame_of(pixels: list[tuple[int, int, int]], width: int) -> bytes:
    """What Xvfb keeps: a head of a hundred bytes, one colour that says nothing, and pixels with the low byte first."""
    height = len(pixels) // width
    head = [0] * 25
    head[0], head[4], head[5], head[7], head[12], head[19] = 100, width, height, 0, width * 4, 1
    return (
        struct.pack(">25I", *head)
        + b"\xee" * 12
        + b"".join(bytes((blue, green, red, 0)) for red, green, blue in pixels)
    )


def test_a_picture_has_the_colours_of_the_display():
    from PIL import Image

    pixels = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (1, 2, 3), (4, 5, 6), (7, 8, 9)]
    picture = Image.open(io.BytesIO(trial.png_of(frame_of(pixels, width=3))))
    assert picture.size == (3, 2)
    assert [picture.getpixel((x, y)) for y in range(2) for x in range(3)] == pixels


def test_a_program_that_does_not_start_is_a_failure_with_its_words(tmp_path: Path):
    with pytest.raises(Failure, match="ended with 3:\nno such thing"):
        trial.try_program(
            [sys.executable, "-c", "print('no such thing'); raise SystemExit(3)"],
            tmp_path,
            tmp_path / "p.png",
        )


def test_the_program_finds_nothing_of_this_checkout_around_it(tmp_path: Path):
    assert set(trial.clean_environment(tmp_path)) == {"PATH", "HOME", "LANG", "WORKBENCH_PASSPHRASE"}
