"""`workbench history`: the subcommands for stored chats, with their arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.cli.lazy_parser import LazyParser, add_common_options
from workbench.domain.translation import tr

if TYPE_CHECKING:  # late: its methods are to be compiled when they are called
    from workbench.cli.services import Services

Parser = argparse.ArgumentParser
Awaited = Callable[[argparse.Namespace, "Services"], Coroutine[Any, Any, int]]


class Action(NamedTuple):
    """One subcommand of `workbench history`; its code is imported only when it is called."""

    name: str
    summary: str
    add_arguments: Callable[[Parser], None]
    run: Callable[[argparse.Namespace, Services], int]


def _run_async(load: Callable[[], Awaited]) -> Callable[[argparse.Namespace, Services], int]:
    """Wraps a loader of an async command as a synchronous function that imports and runs it."""

    def run_it(arguments: argparse.Namespace, services: Services) -> int:
        import asyncio

        return asyncio.run(load()(arguments, services))

    return run_it


def _salvage_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--yes", action="store_true", help="replace it without asking where something is lost"
    )


def _nothing(parser: Parser) -> None:
    """Adds nothing: the subcommand has no arguments of its own."""


def _show_arguments(parser: Parser) -> None:
    _chat_argument(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="the request of the N-th turn, layer by layer")


def _chat_argument(parser: Parser) -> None:
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")


def _undo_arguments(parser: Parser) -> None:
    _chat_argument(parser)
    parser.add_argument("--message", metavar="ID", help="the tool's result to undo; default: the newest")
    parser.add_argument(
        "--workspace", metavar="DIR",
        help="the folder the tools worked in; default: that of the settings, or the current one",
    )  # fmt: skip


def _search_arguments(parser: Parser) -> None:
    parser.add_argument(
        "words", nargs="+", metavar="WORDS", help='words, "phrases", begin*; after --: -unwanted'
    )
    parser.add_argument("--newest", action="store_true", help="newest first; default: best first")
    parser.add_argument(
        "--limit", type=_positive, default=50, metavar="N", help="maximum number of results; default: 50"
    )


def _export_arguments(parser: Parser) -> None:
    parser.add_argument("chats", nargs="*", metavar="CHAT", help="chats to export; default: all")
    from workbench.engine.exchange.formats import FORMATS, WATCHED_FORMATS

    names = [one.name for one in (*FORMATS, *WATCHED_FORMATS)]
    parser.add_argument(
        "--format", choices=names, default=names[0], help="default: json, which holds everything"
    )
    parser.add_argument("--out", metavar="PATH", help="a new file or a folder; default: standard output")
    parser.add_argument(
        "--paths",
        action="store_true",
        help="markdown, html: full paths of attached files instead of their names",
    )
    _elara_argument(parser)
    parser.add_argument("--plaintext", action="store_true", help="elara: without encryption")
    parser.add_argument(
        "--elara-form",
        choices=("2025", "seed"),
        help="elara: as it writes since September 2025 (the default), or as versions before that read it",
    )


def _import_arguments(parser: Parser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files, folders or .zip archives; formats are detected"
    )
    parser.add_argument("--undo", action="store_true", help="undo the newest import in one step")
    _elara_argument(parser)
    parser.add_argument(
        "--attach-from", metavar="DIR", help="folder of the files that Markdown names as attached"
    )


def _elara_argument(parser: Parser) -> None:
    parser.add_argument(
        "--elara-key-file", metavar="FILE", help="the text Elara was configured with; a line end is left out"
    )


def _folder_argument(parser: Parser) -> None:
    parser.add_argument("folder", metavar="DIR")


def _positive(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 10**6:
        raise argparse.ArgumentTypeError(tr("expected a number from 1 to 1000000, got {text!r}", text=text))
    return int(text)


def _run_list(arguments: argparse.Namespace, services: Services) -> int:
    from workbench.cli.history.listing import run_list

    return run_list(arguments, services)


def _show() -> Awaited:
    from workbench.cli.history.show import run_show

    return run_show


def _search() -> Awaited:
    from workbench.cli.history.show import run_search

    return run_search


def _export() -> Awaited:
    from workbench.cli.history.export import run_export

    return run_export


def _import() -> Awaited:
    from workbench.cli.history.imports import run_import

    return run_import


def _undo() -> Awaited:
    from workbench.cli.history.imports import run_undo

    return run_undo


def _fork() -> Awaited:
    from workbench.cli.history.forking import run_fork

    return run_fork


def _title() -> Awaited:
    from workbench.cli.history.forking import run_title

    return run_title


def _summarise() -> Awaited:
    from workbench.cli.history.summarise import run_summarise

    return run_summarise


def _edit() -> Awaited:
    from workbench.cli.history.edit import run_edit

    return run_edit


def _sides() -> Awaited:
    from workbench.cli.history.sides import run_sides

    return run_sides


def _verify() -> Awaited:
    from workbench.cli.history.maintenance import run_verify

    return run_verify


def _backup() -> Awaited:
    from workbench.cli.history.maintenance import run_backup

    return run_backup


def _restore() -> Awaited:
    from workbench.cli.history.maintenance import run_restore

    return run_restore


def _salvage() -> Awaited:
    from workbench.cli.history.maintenance import run_salvage

    return run_salvage


def _delete() -> Awaited:
    from workbench.cli.history.maintenance import run_delete

    return run_delete


def _purge() -> Awaited:
    from workbench.cli.history.maintenance import run_purge

    return run_purge


def _fork_arguments(parser: Parser) -> None:
    from workbench.cli.history.forking import add_arguments

    add_arguments(parser)


def _title_arguments(parser: Parser) -> None:
    from workbench.cli.history.forking import add_title_arguments

    add_title_arguments(parser)


def _edit_arguments(parser: Parser) -> None:
    from workbench.cli.history.edit import add_arguments

    add_arguments(parser)


def _sides_arguments(parser: Parser) -> None:
    from workbench.cli.history.sides import add_arguments

    add_arguments(parser)


def _warm_arguments(parser: Parser) -> None:
    from workbench.cli.history.warm import add_arguments

    add_arguments(parser)


def _warm() -> Awaited:
    from workbench.cli.history.warm import run_warm

    return run_warm


def _summarise_arguments(parser: Parser) -> None:
    from workbench.cli.history.summarise import add_arguments

    add_arguments(parser)


ACTIONS = (
    Action("list", tr("all chats, the most recently used first"), _nothing, _run_list),
    Action("show", tr("a chat's messages, or one of its requests"), _show_arguments, _run_async(_show)),
    Action(
        "search",
        tr("find words in messages, titles and attachments"),
        _search_arguments,
        _run_async(_search),
    ),
    Action(
        "export", tr("write chats to files, or to standard output"), _export_arguments, _run_async(_export)
    ),
    Action(
        "import",
        tr("import chats from files of this and other programs"),
        _import_arguments,
        _run_async(_import),
    ),
    Action(
        "undo",
        tr("undo the newest change a tool made in a chat, or the one named"),
        _undo_arguments,
        _run_async(_undo),
    ),
    Action(
        "fork", tr("start a new chat from everything up to a message"), _fork_arguments, _run_async(_fork)
    ),
    Action("title", tr("rename a chat"), _title_arguments, _run_async(_title)),
    Action(
        "summarise",
        tr("summarise earlier turns; the messages are kept"),
        _summarise_arguments,
        _run_async(_summarise),
    ),
    Action(
        "edit",
        tr("give an answer or a tool's result other words; what was said is kept"),
        _edit_arguments,
        _run_async(_edit),
    ),
    Action(
        "sides",
        tr("the side questions of a chat; make one of them a turn"),
        _sides_arguments,
        _run_async(_sides),
    ),
    Action(
        "warm",
        tr("keep a provider's cache of a chat from expiring, where that pays"),
        _warm_arguments,
        _run_async(_warm),
    ),
    Action("verify", tr("check every page, reference and count"), _nothing, _run_async(_verify)),
    Action("backup", tr("copy everything into an empty folder"), _folder_argument, _run_async(_backup)),
    Action("restore", tr("put a backup in place of the history"), _folder_argument, _run_async(_restore)),
    Action(
        "salvage",
        tr("replace a damaged history with what is readable; the damaged file is kept"),
        _salvage_arguments,
        _run_async(_salvage),
    ),
    Action("delete", tr("delete a chat; it is kept until it is purged"), _chat_argument, _run_async(_delete)),
    Action("purge", tr("remove for good what is deleted"), _nothing, _run_async(_purge)),
)


def add_arguments(parser: Parser) -> None:
    """Adds the command's arguments to its parser."""
    choices = parser.add_subparsers(
        title=tr("actions"), metavar="ACTION", required=True, parser_class=LazyParser
    )
    for action in ACTIONS:
        own = choices.add_parser(action.name, help=action.summary, description=action.summary)
        own.fill = partial(_fill, own, action)


def _fill(parser: Parser, action: Action) -> None:
    add_common_options(parser, default=argparse.SUPPRESS)
    action.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(action=action)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Runs the subcommand that was named."""
    action: Action = arguments.action
    return action.run(arguments, services)
