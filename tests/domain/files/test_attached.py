"""What can be attached, in words."""

from __future__ import annotations

from workbench.domain.files.attached import AttachedPicture, CannotAttach


def test_a_refusal_says_what_why_and_what_to_do():
    refusal = str(CannotAttach("a", "it is a folder", "Attach a file."))
    assert refusal == "a was not attached: it is a folder. Attach a file."


def test_a_picture_has_a_line_that_stands_for_it():
    assert AttachedPicture("image/png", 640, 480).described == "A picture: image/png, 640 × 480 pixels."
