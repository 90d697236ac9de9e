"""Parsers that add their arguments only when their command is called, so that `--help` imports no command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn


class PlainParser(argparse.ArgumentParser):
    """A parser whose error messages escape control characters in the arguments."""

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong, and exits."""
        from workbench.cli.terminal import visible  # late: most calls are right

        super().error(visible(message))


class LazyParser(PlainParser):
    """A command's parser, which adds its arguments when the command is called.

    Attributes:
        fill: adds the arguments; None once that is done.
        takes_program: keep what follows `--` unparsed as `program`: the command line of another program.
    """

    fill: Callable[[], None] | None = None
    takes_program = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Adds the arguments, then parses."""
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


def add_common_options(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Adds the options that every command takes, before its name or after.

    After the name they have no default, which would overwrite what was given before it.
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
