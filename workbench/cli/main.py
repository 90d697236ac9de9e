"""The command line: parses which command was named, and runs it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from workbench.cli import window
from workbench.cli.lazy_parser import LazyParser, PlainParser, add_common_options
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.translation import joined, tr

if TYPE_CHECKING:  # what a command needs is loaded with it: `--help` names them all and loads none
    from workbench.cli.services import Services
    from workbench.domain.about import ProgramFacts


class CommandModule(Protocol):
    """What the module of a command must provide."""

    def add_arguments(self, parser: argparse.ArgumentParser, /) -> None:
        """Adds the command's arguments to its parser."""

    def run(self, arguments: argparse.Namespace, services: Services, /) -> int:
        """Runs the command; returns the exit code."""


class Command(NamedTuple):
    """One command: its name, its summary, and a function that imports its module."""

    name: str
    summary: str
    load: Callable[[], CommandModule]


def _ask() -> CommandModule:
    from workbench.cli.ask import command

    return command


def _replay() -> CommandModule:
    from workbench.cli.replay import command

    return command


def _inspect() -> CommandModule:
    from workbench.cli import inspect

    return inspect


def _compare() -> CommandModule:
    from workbench.cli import compare

    return compare


def _influence() -> CommandModule:
    from workbench.cli import influence

    return influence


def _watch() -> CommandModule:
    from workbench.cli.watch import command

    return command


def _spend() -> CommandModule:
    from workbench.cli import spend

    return spend


def _keys() -> CommandModule:
    from workbench.cli import keys

    return keys


def _history() -> CommandModule:
    from workbench.cli.history import command

    return command


def _presets() -> CommandModule:
    from workbench.cli import presets

    return presets


def _settings() -> CommandModule:
    from workbench.cli import settings

    return settings


def _workspaces() -> CommandModule:
    from workbench.cli import workspaces

    return workspaces


def _folders() -> CommandModule:
    from workbench.cli import folders

    return folders


def _tools() -> CommandModule:
    from workbench.cli import tools as command

    return command


def _models() -> CommandModule:
    from workbench.cli import models

    return models


def _tour() -> CommandModule:
    from workbench.cli import tour

    return tour


def _doctor() -> CommandModule:
    from workbench.cli import doctor

    return doctor


def _guide() -> CommandModule:
    from workbench.cli import guide

    return guide


def _integrate() -> CommandModule:
    from workbench.cli import integrate

    return integrate


def _about() -> CommandModule:
    from workbench.cli import about

    return about


def _completion() -> CommandModule:
    from workbench.cli.shell import Completion

    return Completion()


def _manual() -> CommandModule:
    from workbench.cli.shell import Manual

    return Manual()


COMMANDS = (
    Command("ask", tr("ask a model one or more questions in a chat, with files attached"), _ask),
    Command(
        "replay",
        tr("run a conversation file through the builder and print what each request would be"),
        _replay,
    ),
    Command("inspect", tr("show a request as it was sent, or how two of them differ"), _inspect),
    Command("compare", tr("show a request beside others, or beside itself under other settings"), _compare),
    Command("influence", tr("show which piece of a request carried its answer"), _influence),
    Command("watch", tr("show what another program sends to its model, and pass it on unchanged"), _watch),
    Command("spend", tr("show what requests cost, by day, model, workspace or program"), _spend),
    Command("keys", tr("show and change how the store is unlocked, and provider keys"), _keys),
    Command("history", tr("list, show, search, export, import, undo, check and back up chats"), _history),
    Command(
        "settings", tr("list everything that --set takes; show and change the program's settings"), _settings
    ),
    Command("presets", tr("list, show, rename, remove, export and import named settings"), _presets),
    Command(
        "workspaces", tr("list, show, create, export, import and delete named places for chats"), _workspaces
    ),
    Command("folders", tr("index folders, list and remove them, and search in them"), _folders),
    Command("tools", tr("add, list, review, approve and remove the MCP servers of a workspace"), _tools),
    Command("models", tr("list available models, or fetch the built-in one"), _models),
    Command(
        "tour", tr("show what the program is for without a window: a request, an answer, a picture"), _tour
    ),
    Command("doctor", tr("check the setup and suggest fixes"), _doctor),
    Command("guide", tr("print a page of the guide, or list and search its pages"), _guide),
    Command("integrate", tr("put the program into the desktop's menu, or take it out"), _integrate),
    Command("about", tr("show the version, and every part of the program with its licence"), _about),
    Command("completion", tr("print a script that lets a shell complete commands and options"), _completion),
    Command("man", tr("print a manual page"), _manual),
)


def run(
    argv: Sequence[str],
    load_parts: Callable[[argparse.Namespace], Services],
    open_window: Callable[[argparse.Namespace], int] | None = None,
    program_facts: Callable[[], ProgramFacts] | None = None,
) -> int:
    """Runs the command in argv, or opens the window; adapters are loaded only once they are needed.

    Without a window, the help is printed instead.
    """
    parser = build_parser(COMMANDS)
    arguments = parser.parse_args(window.with_files(argv, [command.name for command in COMMANDS]))
    if arguments.version_json and (arguments.command is not None or not arguments.version):
        parser.error(tr("--json goes with --version here; a command has its own, after its name"))
    if arguments.version and program_facts is not None:
        return _show_version(program_facts(), as_json=arguments.version_json)
    window.check_arguments(parser, arguments)
    try:
        _check_words(arguments)
        if arguments.command is None:
            return _show_help(parser) if open_window is None else open_window(arguments)
        command: Command = arguments.command
        return command.load().run(arguments, load_parts(arguments))
    except WorkbenchError as error:
        return _tell(error, arguments)


_WORDS = {
    "texts": "TEXT", "question": "--question", "overrides": "--set", "model": "--model", "models": "--models",
    "save_preset": "--save-preset", "title": "TITLE", "words": "WORDS", "expect": "--expect", "judge": "--judge",
}  # fmt: skip


def _check_words(arguments: argparse.Namespace) -> None:
    """Raises `InvalidInput` for arguments that are not UTF-8; paths may be any bytes."""
    for name, shown in _WORDS.items():
        given = getattr(arguments, name, None)
        for text in [given] if isinstance(given, str) else given or ():
            try:
                text.encode("utf-8", "surrogateescape").decode("utf-8")
            except UnicodeDecodeError as problem:
                byte = f"byte {problem.start} (0x{problem.object[problem.start]:02x})"
                raise InvalidInput(
                    shown, tr("it is not UTF-8 at {byte}; nothing was asked or changed", byte=byte)
                ) from None
            except UnicodeEncodeError as problem:
                what = tr("it holds half a character at {start}", start=problem.start)
                raise InvalidInput(shown, tr("{what}; nothing was asked or changed", what=what)) from None


def _tell(error: WorkbenchError, arguments: argparse.Namespace) -> int:
    """Prints an error, with `--json` also as JSON; returns 2 for wrong usage or unusable settings, else 1."""
    # Late: `--help` answers without them.
    from workbench.cli.terminal import print_json, tell, visible_line
    from workbench.domain.settings.app_preferences import SendingOff

    misused = isinstance(error, InvalidInput) and arguments.command is not None
    who = f"workbench {arguments.command.name}" if misused else "workbench"
    tell(joined((who, visible_line(str(error)) if misused else str(error)), ": "))
    if getattr(arguments, "json", False):
        kind = "usage" if misused else "settings" if isinstance(error, SendingOff) else _kind(error)
        print_json({"error": {"kind": kind, "message": str(error)}})
    return 2 if misused or isinstance(error, SendingOff) else 1


def _kind(error: WorkbenchError) -> str:
    """Returns "cap" where a request would have passed a cap on spending."""
    from workbench.domain.answer import ModelFailed
    from workbench.domain.spending import CapReached

    cause = error.__cause__
    capped = isinstance(cause, ModelFailed) and cause.failure.kind == "cap"
    return "cap" if capped or isinstance(error, CapReached) else "failed"


def _show_help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def _show_version(facts: ProgramFacts, *, as_json: bool) -> int:
    if as_json:
        from workbench.cli.terminal import print_json

        print_json(facts._asdict())
    else:
        print(facts.line)
    return 0


def build_parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    """Builds the parser of all commands; wrong usage makes it print why and exit with 2."""
    parser = PlainParser(
        prog="workbench",
        description="See, edit and send model requests. Without a command: the window.",
    )
    parser.add_argument(
        "--version", action="store_true", help="print the version, commit, Python and Qt, and leave"
    )
    parser.add_argument(
        "--json", action="store_true", dest="version_json", help="with --version: print it as JSON"
    )
    add_common_options(parser, default=None)
    window.add_arguments(parser)
    parser.set_defaults(command=None, root=parser)
    choices = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=LazyParser)
    for command in commands:
        subparser = choices.add_parser(command.name, help=command.summary, description=command.summary)
        subparser.fill = partial(_fill, subparser, command)
    return parser


def _fill(parser: argparse.ArgumentParser, command: Command) -> None:
    add_common_options(parser, default=argparse.SUPPRESS)
    command.load().add_arguments(parser)
    parser.set_defaults(command=command)
