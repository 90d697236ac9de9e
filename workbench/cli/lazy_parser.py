"""Arguments that are added when their command is called: `--help` names all commands and loads none."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


class LazyParser(argparse.ArgumentParser):
    """A command's parser, which gets its arguments when the command is called.

    Attributes:
        fill: adds them; nothing once they are there.
    """

    fill: Callable[[], None] | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What was given, read by the arguments that are added now."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill()
        return super().parse_known_args(args, namespace)
