"""`workbench tools`: adds, lists, reviews, approves and removes the MCP servers of a workspace."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.cli.lazy_parser import LazyParser
from workbench.cli.services import Services
from workbench.cli.terminal import tell

if TYPE_CHECKING:  # it loads what `--help` does not need
    from collections.abc import Awaitable, Callable

# How many names an action takes, at least and at most, and what is said where there are others.
_NAMES = {
    "list": (0, 0, "takes no NAME"),
    "add": (1, 2, "needs a FILE, a NAME and a URL, or a NAME -- COMMAND ARGS…"),
    "review": (0, 1, "takes one NAME at most"),
    "approve": (1, 1000, "needs the NAME of a server, and may have those of its tools"),
    "remove": (1, 1, "needs the NAME of a server"),
    "offer": (0, 0, "takes no NAME"),
}
_LIST: dict[str, Any] = {"action": "append", "default": []}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    if isinstance(parser, LazyParser):
        parser.takes_program = True
    parser.add_argument(
        "action", nargs="?", choices=tuple(_NAMES), default="list", metavar="ACTION",
        help="list | add FILE (JSON with mcpServers or servers; - reads standard input) | add NAME URL | add NAME -- "
        "COMMAND ARGS… | review [NAME] (start servers; show what they offer, what changed) | approve NAME [TOOL …] | "
        "remove NAME | offer (what the folder of the workspace offers)",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="which server; the file, the address")
    parser.add_argument(
        "--workspace", metavar="NAME", help="the workspace; needed where there is more than one"
    )
    parser.add_argument(
        "--env", **_LIST, metavar="KEY=VALUE",
        help="add: a value for the program, kept encrypted; KEY alone takes it from the environment",
    )  # fmt: skip
    parser.add_argument(
        "--header", **_LIST, metavar="NAME=VALUE", help="add: a header for the address, kept encrypted"
    )
    parser.add_argument(
        "--allow", **_LIST, metavar="NAME",
        help="review, offer: allow the command line of a server that is switched off",
    )  # fmt: skip
    parser.add_argument(
        "--as", dest="seen", metavar="DIGEST", help="approve: only what review showed with this digest"
    )
    answer = parser.add_mutually_exclusive_group()
    answer.add_argument("--accept", action="store_true", help="offer: use what the folder offers")
    answer.add_argument(
        "--refuse", action="store_true", help="offer: use none of it; asked again only where a file changes"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(program=())


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Do one of the actions."""
    # Late: `--help` answers without them.
    import asyncio

    from workbench.cli.tools import doing

    least, most, needs = _NAMES[arguments.action]
    if arguments.program:
        most = 1 if arguments.action == "add" else -1
    if not least <= len(arguments.names) <= most:
        tell(f"workbench tools: {arguments.action} {needs}")
        return 2
    actions: dict[str, Callable[[argparse.Namespace, Services], Awaitable[int]]] = {
        "list": doing.list_servers,
        "add": doing.add,
        "review": doing.review,
        "approve": doing.approve,
        "remove": doing.remove,
        "offer": doing.offer,
    }

    async def done() -> int:
        return await actions[arguments.action](arguments, services)

    return asyncio.run(done())
