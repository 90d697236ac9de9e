"""The command line: reads which command was asked for, and runs it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import workbench
from workbench.cli import doctor, inspect, keys, models, presets, tour, window, workspaces
from workbench.cli.ask import command as ask
from workbench.cli.history import command as history
from workbench.cli.parts import Parts
from workbench.cli.places import add_places
from workbench.cli.replay import command as replay
from workbench.domain.errors import WorkbenchError


class Command(NamedTuple):
    """One command: how it is called and what it does."""

    name: str
    summary: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Parts], int]


COMMANDS = (
    Command(
        "ask",
        "ask a model one or more questions in a chat, with files attached",
        ask.add_arguments,
        ask.run,
    ),
    Command(
        "replay",
        "run a conversation file through the builder and print what each request would be",
        replay.add_arguments,
        replay.run,
    ),
    Command(
        "inspect",
        "show a request as it was sent, or how two of them differ",
        inspect.add_arguments,
        inspect.run,
    ),
    Command(
        "keys",
        "show and change what opens the encrypted store, and the keys of providers",
        keys.add_arguments,
        keys.run,
    ),
    Command(
        "history",
        "list, show, search, export, import, undo, check and back up what is kept",
        history.add_arguments,
        history.run,
    ),
    Command(
        "presets",
        "list, show and remove settings that are kept under a name",
        presets.add_arguments,
        presets.run,
    ),
    Command(
        "workspaces",
        "list, show, create, export, import and delete named places for chats",
        workspaces.add_arguments,
        workspaces.run,
    ),
    Command(
        "models", "list what can be used now, or fetch the built-in model", models.add_arguments, models.run
    ),
    Command(
        "tour",
        "show what the program is for without a window: a request, an answer, a picture",
        tour.add_arguments,
        tour.run,
    ),
    Command("doctor", "check that everything is there, and say what to do", doctor.add_arguments, doctor.run),
)


def run(
    argv: Sequence[str],
    load_parts: Callable[[argparse.Namespace], Parts],
    open_window: Callable[[argparse.Namespace], int] | None = None,
) -> int:
    """Run the command in argv, or open the window; parts are loaded only once it is clear that they are needed.

    Where there is no window at all, its place is taken by the help.
    """
    parser = build_parser(COMMANDS)
    arguments = parser.parse_args(argv)
    window.check_arguments(parser, arguments)
    try:
        if arguments.command is None:
            return _show_help(parser) if open_window is None else open_window(arguments)
        command: Command = arguments.command
        return command.run(arguments, load_parts(arguments))
    except WorkbenchError as error:
        print(f"workbench: {error}", file=sys.stderr)
        return 1


def _show_help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def build_parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    """The parser of all commands; wrong usage makes it print why and exit with 2."""
    parser = argparse.ArgumentParser(
        prog="workbench",
        description="Builds the request to a language model in layers and shows it. Without a command: the window.",
    )
    parser.add_argument("--version", action="version", version=f"workbench {workbench.__version__}")
    add_places(parser, default=None)
    window.add_arguments(parser)
    parser.set_defaults(command=None)
    choices = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in commands:
        subparser = choices.add_parser(command.name, help=command.summary, description=command.summary)
        add_places(subparser, default=argparse.SUPPRESS)
        command.add_arguments(subparser)
        subparser.set_defaults(command=command)
    return parser
