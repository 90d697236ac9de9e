"""`workbench watch`: passes another program's requests on to its model's server, and says what they held."""

from __future__ import annotations

import argparse

from workbench.cli.lazy_parser import LazyParser
from workbench.cli.services import Services
from workbench.cli.watch.kept import KeptAction, add_actions
from workbench.domain.errors import InvalidInput

_LAST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    if isinstance(parser, LazyParser):
        parser.takes_program = True
        parser.epilog = (
            "The COMMAND runs with the usual variables set to the address of the watch, and no other change"
        )
    parser.add_argument(
        "--to", metavar="NAME|URL", default="",
        help="where requests go: anthropic | openai | ollama | gemini | an address; default: where the variables of "
        "each API lead, else its vendor",
    )  # fmt: skip
    parser.add_argument(
        "--port", type=_port, default=0, metavar="N", help="the port to listen on; default: a free one"
    )
    parser.add_argument(
        "--json", action="store_true",
        help="print one JSON line per request; with a COMMAND, whose output is its own, into --out",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="append the JSON lines to a file")
    parser.add_argument(
        "--no-keep", action="store_true", help="keep nothing; the default is to save requests with your chats"
    )
    for kind, title in (("claude", "Claude Code"), ("codex", "Codex")):
        parser.add_argument(
            f"--import-{kind}", nargs="?", const="", metavar="DIR",
            help=f"read the sessions that {title} left on disk instead of watching; default: where it leaves them",
        )  # fmt: skip
    parser.add_argument(
        "--session", metavar="FILE", default="",
        help="of those sessions only this one, as `watch sessions` names it; default: all",
    )  # fmt: skip
    parser.set_defaults(program=(), kept_action=None)
    add_actions(parser)
    # Last: what is called like it begins with it.
    parser.usage = "%(prog)s [options] [-- COMMAND ARGS…]\n       %(prog)s ACTION …"


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not a port; write a number up to {_LAST_PORT:,}")
    return int(text)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Watch until the command ends, or until Ctrl-C."""
    # Late: `--help` answers without them.
    import asyncio

    from workbench.cli.watch.imports import import_sessions, wanted
    from workbench.cli.watch.running import watch

    action: KeptAction | None = arguments.kept_action
    if action is not None:
        return asyncio.run(action.run(arguments, services))
    if (sessions := wanted(arguments)) is not None:
        if arguments.program:
            raise InvalidInput("--import", "sessions are read without a command; leave it out")
        return asyncio.run(import_sessions(*sessions, arguments, services))
    if arguments.json and arguments.program and not arguments.out:
        raise InvalidInput("--json", "standard output belongs to the command; name a file with --out")
    return asyncio.run(watch(arguments, services))
