"""What a picture costs, by OpenAI's rule of tiles."""

from __future__ import annotations

import pytest

from workbench.domain.attached import AttachedPicture, CannotAttach


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1, 1, 255),
        (512, 512, 255),
        (1024, 1024, 765),
        (2048, 4096, 1105),
        (4096, 8192, 1105),
        (513, 100, 425),
    ],
)
def test_tiles_are_counted_after_shrinking(width: int, height: int, tokens: int):
    """1024 × 1024 → 765 and 2048 × 4096 → 1105 are OpenAI's own examples."""
    assert AttachedPicture("image/png", width, height).tokens == tokens


def test_a_refusal_says_what_why_and_what_to_do():
    refusal = str(CannotAttach("a", "it is a folder", "Attach a file."))
    assert refusal == "a was not attached: it is a folder. Attach a file."


def test_a_picture_has_a_line_that_stands_for_it():
    assert AttachedPicture("image/png", 640, 480).described == "A picture: image/png, 640 × 480 pixels."
