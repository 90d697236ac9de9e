"""Arguments that are added when their command is called: `--help` names all commands and loads none."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn


class PlainParser(argparse.ArgumentParser):
    """A parser whose complaints cannot act on the terminal, whatever stands in the arguments."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and leave."""
        from workbench.cli.terminal import visible  # late: most calls are right

        super().error(visible(message))


class LazyParser(PlainParser):
    """A command's parser, which gets its arguments when the command is called.

    Attributes:
        fill: adds them; nothing once they are there.
        takes_program: what follows `--` is a command line of another program: it is kept as `program`, unread.
    """

    fill: Callable[[], None] | None = None
    takes_program = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What was given, read by the arguments that are added now."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill()
        if not self.takes_program or args is None:
            return super().parse_known_args(args, namespace)
        end = args.index("--") if "--" in args else len(args)
        found, unknown = super().parse_known_args(args[:end], namespace)
        found.program = tuple(args[end + 1 :])
        return found, unknown


# The options every command takes: where the history lies, and what opens it.


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
