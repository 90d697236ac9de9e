"""The options of the window: files to open, a throw-away sample, and pictures of scripted scenes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from workbench.domain.translation import tr

SCENES = (
    "main",
    "inspector",
    "diff",
    "attachments",
    "settings",
    "first-run",
    "over-limit",
    "dark",
    "history",
    "cache",
    "compare",
    "influence",
    "facts",
    "palette",
    "folder",
    "sections",
    "workspace",
    "tools",
    "instructions",
    "prompts",
    "recall",
    "explain",
    "guide",
    "watch",
    "spend",
)
PARTS = ("inspector", "bar", "drop-order", "chat", "composer", "chats", "attachments", "page", "dialog")
SIZE = re.compile(r"(\d{3,4})x(\d{3,4})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the window."""
    group = parser.add_argument_group(tr("the window"))
    group.add_argument(
        "--open",
        nargs="+",
        default=[],
        metavar="FILE",
        help="open exported chats, workspaces or trajectories in the window; FILE alone does the same",
    )
    group.add_argument("--demo", action="store_true", help="open a filled sample chat in a throw-away folder")
    group.add_argument(
        "--screenshot", metavar="FILE", help="draw a scene into a PNG file, and leave; needs no display"
    )
    group.add_argument(
        "--scene", choices=SCENES, metavar="NAME", help=tr("which scene: {scenes}", scenes=", ".join(SCENES))
    )
    group.add_argument(
        "--size", type=size, default=(1600, 1000), metavar="WxH", help="of the scene (1600x1000)"
    )
    group.add_argument("--scale", type=scale, default=1.0, metavar="N", help="pixels for a point: 1 to 4")
    group.add_argument(
        "--part",
        choices=PARTS,
        default="",
        metavar="NAME",
        help=tr("only a part of the scene: {parts}", parts=", ".join(PARTS)),
    )
    group.add_argument("--theme", choices=("light", "dark"), help="in place of the scene's own")


def with_files(argv: Sequence[str], commands: Collection[str]) -> list[str]:
    """Puts `--open` before file names that a file manager passes alone."""
    first = argv[0] if argv else ""
    # A word without a dot or a folder is a command, perhaps one that was mistyped.
    is_file = not first.startswith("-") and first not in commands and any(sign in first for sign in "./\\")
    return ["--open", *argv] if is_file else list(argv)


def check_arguments(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Exits with an error where options do not go together."""
    if arguments.command is not None and (
        arguments.demo or arguments.screenshot or arguments.scene or arguments.open
    ):
        parser.error(tr("--open, --demo, --screenshot and --scene are for the window, without a command"))
    missing = next((name for name in arguments.open if not Path(name).exists()), None)
    if missing is not None:
        parser.error(tr("there is no file {missing!r} to open", missing=missing))
    if arguments.open and (arguments.demo or arguments.screenshot):
        parser.error(tr("--open takes files into your chats; --demo and --screenshot have none"))
    if (arguments.screenshot is None) != (arguments.scene is None):
        parser.error(tr("--screenshot FILE and --scene NAME belong together"))


def size(text: str) -> tuple[int, int]:
    """Parses width and height, such as 1600x1000."""
    found = SIZE.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(tr("{text!r} is not a size such as 1600x1000", text=text))
    return int(found[1]), int(found[2])


def scale(text: str) -> float:
    """Parses how many pixels a point has, from 1 to 4."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number <= 4:
        raise argparse.ArgumentTypeError(tr("{text!r} is not between 1 and 4", text=text))
    return number
