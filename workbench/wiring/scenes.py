"""Pictures of scripted scenes: the same on every machine, with or without a display."""

from __future__ import annotations

import asyncio
import os
from argparse import Namespace
from pathlib import Path

from workbench.domain.errors import InvalidInput
from workbench.sources.resources import resource_path


def draw_scene(arguments: Namespace) -> int:
    """Write the picture that was asked for; the exit code."""
    width, height = arguments.size
    picture(arguments.screenshot, (arguments.scene, width, height, arguments.scale, arguments.theme))
    return 0


def picture(path: str, shot: tuple[str, int, int, float, str | None]) -> None:
    """Draw a scene (its name, width, height, pixels for a point, theme) into a PNG file."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["TZ"] = "UTC"
    from workbench.ui.scenes.script import SCENES
    from workbench.ui.scenes.stage import Shot, png_of, take
    from workbench.wiring.rehearsal import moments

    name = SCENES[shot[0]].moment
    shown = asyncio.run(moments([name]))[name]
    drawn = png_of(take(Shot(*shot), shown, resource_path()))
    try:
        Path(path).write_bytes(drawn)
    except OSError as problem:
        raise InvalidInput("--screenshot", f"{path} cannot be written: {problem.strerror}") from problem
