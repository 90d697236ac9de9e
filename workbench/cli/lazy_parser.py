"""Parsers that add their arguments only when their command is called, so that `--help` imports no command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from workbench.domain.translation import N_
from workbench.files.language import words_in_language

# `argparse` looks up its own words by this name, in a catalogue of the system that there is none of.
vars(argparse)["_"] = words_in_language


OWN_WORDS = (
    N_("usage: "), N_("options"), N_("positional arguments"), N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"), N_("argument %(argument_name)s: %(message)s"),
    N_("the following arguments are required: %s"), N_("unrecognized arguments: %s"), N_("expected one argument"),
    N_("expected at least one argument"), N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"), N_("not allowed with argument %s"),
)  # fmt: skip
"""What `argparse` says itself, which it has no catalogues of."""


class _Help(argparse.HelpFormatter):
    """Help in the language that is shown."""

    def add_text(self, text: str | None) -> None:
        """Adds a paragraph."""
        super().add_text(words_in_language(text) if text else text)

    def start_section(self, heading: str | None) -> None:
        """Begins a section under its heading."""
        super().start_section(words_in_language(heading) if heading else heading)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return words_in_language(action.help) if action.help else action.help


class PlainParser(argparse.ArgumentParser):
    """A parser whose help is in the language that is shown, and whose errors escape control characters in arguments."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", _Help)
        super().__init__(**options)

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
            return self._with_later_names(*super().parse_known_args(args, namespace))
        end = args.index("--") if "--" in args else len(args)
        found, unknown = self._with_later_names(*super().parse_known_args(args[:end], namespace))
        found.program = tuple(args[end + 1 :])
        return found, unknown

    def _with_later_names(self, found: argparse.Namespace, unknown: list[str]) -> tuple[Any, list[str]]:
        """Names that stand behind an option: `argparse` ends a list of names at the first option."""
        many = next((one for one in self._actions if one.nargs == "*" and not one.option_strings), None)
        if many is None or any(one.startswith("-") for one in unknown):
            return found, unknown
        setattr(found, many.dest, [*(getattr(found, many.dest) or ()), *unknown])
        return found, []


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
