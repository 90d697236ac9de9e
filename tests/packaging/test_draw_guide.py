"""What of the guide is derived: pictures with few colours, each of a scene and a part that there is."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from draw_guide import COLOURS, PICTURES, write
from workbench.cli.window import PARTS, SCENES


def test_every_picture_is_of_a_scene_and_a_part_that_there_is():
    assert [one for one in PICTURES if one.scene not in SCENES or one.part not in ("", *PARTS)] == []


def test_a_picture_is_kept_with_few_colours_and_its_size(tmp_path: Path):
    held, gradient = io.BytesIO(), Image.new("RGB", (64, 64))
    gradient.putdata([(x * 4, y * 4, (x * y) % 256) for x in range(64) for y in range(64)])
    gradient.save(held, "PNG")
    write(tmp_path / "pictures" / "a.png", held.getvalue())
    with Image.open(tmp_path / "pictures" / "a.png") as kept:
        assert (kept.format, kept.mode, kept.size) == ("PNG", "P", (64, 64))
        assert len(kept.getcolors() or ()) <= COLOURS
