"""Draws pictures of scenes off screen and in UTC, so that they are the same on every machine."""

from __future__ import annotations

import os
from argparse import Namespace


def draw_scene(arguments: Namespace) -> int:
    """Writes the picture that was asked for; returns the exit code."""
    shot = (arguments.scene, *arguments.size, arguments.scale, arguments.theme, arguments.part)
    picture(arguments.screenshot, shot)
    return 0


def picture(path: str, shot: tuple[str, int, int, float, str | None, str]) -> None:
    """Draws a scene (name, width, height, pixels per point, theme, part) into a PNG file."""
    # Qt reads both when it is loaded.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["TZ"] = "UTC"
    from workbench.showroom.pictures import Shot, write_picture

    write_picture(path, Shot(*shot))
