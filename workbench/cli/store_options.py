"""The options every command takes: where the history lies, and what opens it."""

from __future__ import annotations

import argparse


def add_places(parser: argparse.ArgumentParser, default: str | None) -> None:
    """The options every command takes, before its name or after.

    After the name they are suppressed unless given: a default there would overwrite what stood before the name.
    """
    parser.add_argument(
        "--data-dir",
        metavar="DIR",
        default=default,
        help="folder for history and settings (replay needs none)",
    )
    parser.add_argument(
        "--key-file",
        metavar="FILE",
        default=default,
        help="file that unlocks the history (replay needs none)",
    )
