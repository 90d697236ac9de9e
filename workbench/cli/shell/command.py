"""`workbench completion` and `workbench man`: for the shell and for the reader, made from the parsers themselves."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import workbench
from workbench.cli.shell.completion import SHELLS
from workbench.cli.shell.described import described
from workbench.cli.shell.manual import pages
from workbench.cli.terminal import print_text
from workbench.domain.errors import InvalidInput

if TYPE_CHECKING:
    from workbench.cli.services import Services

SUMMARY = "see and edit exactly what a language model gets"


class Completion:
    """Prints what a shell completes by."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("shell", choices=tuple(SHELLS), metavar="SHELL", help="bash, zsh or fish")

    def run(self, arguments: argparse.Namespace, services: Services) -> int:
        print_text(SHELLS[arguments.shell](described(arguments.root)).rstrip("\n"))
        return 0


class Manual:
    """Prints a manual page."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "page", nargs="?", metavar="COMMAND", help="the page of a command; else of the program"
        )

    def run(self, arguments: argparse.Namespace, services: Services) -> int:
        made = pages(
            described(arguments.root),
            workbench.__version__,
            SUMMARY,
        )
        name = f"workbench-{arguments.page}.1" if arguments.page else "workbench.1"
        if name not in made:
            raise InvalidInput("COMMAND", f"there is no command {arguments.page!r}")
        print_text(made[name].rstrip("\n"))
        return 0
