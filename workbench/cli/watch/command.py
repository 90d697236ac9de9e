"""`workbench watch`: passes another program's requests on to its model's server, and reports what they contained."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from workbench.cli.lazy_parser import LazyParser, add_common_options
from workbench.cli.open_history import changing, find_watched_chat, opened, turn_on_branch
from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.cli.watch.comparing import add_compare_arguments, run_compare
from workbench.cli.watch.rules import rules_arguments, run_rules
from workbench.cli.watch.writing import add_write_arguments, run_write
from workbench.domain.errors import InvalidInput
from workbench.domain.record import Chat, Record, TurnLine, TurnRecord, noted_count, noted_table, noted_text
from workbench.domain.shown.sessions_view import SessionLine
from workbench.domain.translation import counted, tr
from workbench.engine.program_intents import TidyAnswer
from workbench.engine.watch.turn_of import WATCHED
from workbench.ports.history import HistoryStore

# `workbench watch list`, `show` and `delete`: what was watched, for people and for machines.


Parser = argparse.ArgumentParser
Runs = Callable[[argparse.Namespace, Services], Coroutine[Any, Any, int]]


class KeptAction(NamedTuple):
    """A subcommand of `workbench watch` that works with stored conversations."""

    name: str
    summary: str
    add_arguments: Callable[[Parser], None]
    run: Runs


def add_actions(parser: Parser) -> None:
    """Adds the subcommands; without one, requests are watched."""
    choices = parser.add_subparsers(title=tr("what was watched"), metavar="ACTION", required=False)
    for action in ACTIONS:
        own = choices.add_parser(action.name, help=action.summary, description=action.summary)
        add_common_options(own, default=argparse.SUPPRESS)
        action.add_arguments(own)
        own.add_argument("--json", action="store_true", help="print the result as JSON")
        own.set_defaults(kept_action=action)


def _no_arguments(_parser: Parser) -> None:
    pass


def _chat_argument(parser: Parser) -> None:
    parser.add_argument("chat", metavar="CHAT", help="a watched chat's id or its start")


def _turn_arguments(parser: Parser) -> None:
    _chat_argument(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="the N-th request; default: the last")


def _show_arguments(parser: Parser) -> None:
    _chat_argument(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="the N-th request; default: a line for each")
    parser.add_argument("--body", action="store_true", help="print the request's body, byte for byte")
    parser.add_argument(
        "--came", action="store_true", help="print the body as it came, before rules changed it"
    )
    parser.add_argument(
        "--removed", action="store_true", help="print what a compaction removed before the request"
    )
    parser.add_argument(
        "--as",
        dest="form",
        choices=("trajectory", "curl"),
        help="print the request so; default: the last one",
    )


async def run_list(arguments: argparse.Namespace, services: Services) -> int:
    """Lists all watched conversations, the most recently used first."""
    async with opened(services, writable=False) as store:
        chats = [chat for chat in await store.chats() if chat.filed.watched is not None]
    if arguments.json:
        print_json([_document(chat) for chat in chats])
        return 0
    print_table([_line(chat) for chat in chats])
    if not chats:
        tell(tr("Nothing was watched yet; `workbench watch -- COMMAND` begins."))
    return 0


async def run_show(arguments: argparse.Namespace, services: Services) -> int:
    """Shows the requests of a watched conversation, or one of them."""
    async with opened(services, writable=False) as store:
        chat = await find_watched_chat(store, arguments.chat)
        if arguments.removed:
            return await _show_removed(store, chat, arguments.turn)
        if arguments.body or arguments.came or arguments.form or arguments.turn is not None:
            return await _show_turn(arguments, store, chat)
        lines = await store.turn_lines(chat.id)
        if arguments.json:
            print_json([await _turn_document(store, chat, line.number) for line in lines])
            return 0
    print_text(f"{visible_line(chat.title)}  {visible_line(chat.id)}")
    print_table([_turn_line(line) for line in lines], frozenset({2}))
    return 0


async def run_sessions(arguments: argparse.Namespace, services: Services) -> int:
    """Lists the session files that other programs left on this computer, reading only the start of each."""
    lines = services.session_lines()
    if arguments.json:
        print_json([asdict(one) for one in lines])
        return 0
    print_table([_session_line(one) for one in lines], frozenset({2}))
    if not lines:
        tell(tr("No session of Claude Code or Codex was found on this computer."))
    return 0


def _session_line(one: SessionLine) -> tuple[str, ...]:
    said = (one.used_utc, one.kind, f"{one.bytes:,}", one.file, one.folder, one.problem or one.asked)
    return tuple(visible_line(text) for text in said)


async def _show_removed(store: HistoryStore, chat: Chat, number: int | None) -> int:
    from workbench.engine.watch.going_on import removed_before

    text = await removed_before(store, chat.id, number)
    if not text:
        tell(tr("No compaction removed anything before this request; --turn names another."))
        return 1
    print_text(text)
    return 0


async def _show_turn(arguments: argparse.Namespace, store: HistoryStore, chat: Chat) -> int:
    from workbench.cli.envelope_table import print_turn
    from workbench.cli.terminal import print_bytes
    from workbench.context.watch.body import body_of, came_body_of

    turn = await turn_on_branch(store, chat, arguments.turn)
    if arguments.form:
        print_bytes(_export_turn(arguments.form, chat, turn, await store.path(chat.id)))
    elif arguments.came:
        print_bytes(came_body_of(turn.built) or body_of(turn.built))
    elif arguments.body:
        print_bytes(body_of(turn.built))
    elif arguments.json:
        print_json(await _turn_document(store, chat, turn.number))
    else:
        print_turn(turn)
    return 0


def _export_turn(form: str, chat: Chat, turn: TurnRecord, path: Sequence[Record]) -> bytes:
    """Returns a request as a trajectory in JSON, or as a curl command."""
    import json

    from workbench.context.watch.exports import as_curl, as_trajectory
    from workbench.engine.watch.kept_turn import watched_exchange, watched_turn

    if form == "curl":
        return as_curl(watched_exchange(turn)).encode()
    return json.dumps(as_trajectory(watched_turn(chat, turn, path)), indent=1).encode() + b"\n"


async def _turn_document(store: HistoryStore, chat: Chat, number: int) -> dict[str, object]:
    """Returns a request as `workbench watch --json` prints it."""
    from workbench.context.watch.lines import json_line
    from workbench.engine.watch.kept_turn import watched_turn

    turn = await turn_on_branch(store, chat, number)
    return json_line(watched_turn(chat, turn, await store.path(chat.id)))


async def run_go_on(arguments: argparse.Namespace, services: Services) -> int:
    """Starts a chat from a watched request: the one named, or the last."""
    from workbench.engine.watch.going_on import start_chat_from_request

    async with changing(services) as store:
        chat = await find_watched_chat(store, arguments.chat)
        made = await start_chat_from_request(
            store, chat.id, arguments.turn, services.new_id(), services.utc_now()
        )
    if arguments.json:
        print_json({"chat": made.id})
    else:
        tell(f"[chat {made.id}]")
    return 0


async def run_delete(arguments: argparse.Namespace, services: Services) -> int:
    """Marks a watched conversation as deleted; `history purge` removes it for good."""
    async with changing(services) as store:
        chat = await find_watched_chat(store, arguments.chat)
        now = services.utc_now()
        await store.change_chat(chat.id, lambda kept: replace(kept, deleted_utc=now))
    if arguments.json:
        print_json({"deleted": chat.id})
    else:
        tell(
            tr(
                "Deleted {title}. `workbench history purge` removes it for good.",
                title=visible_line(chat.title),
            )
        )
    return 0


def _bin_arguments(parser: Parser) -> None:
    what = parser.add_mutually_exclusive_group()
    for answer, words in (
        ("put-back", tr("take everything out of the bin, and keep it as if it were new")),
        ("confirm", tr("move what waits into the bin")),
        ("keep", tr("keep what waits as if it were new")),
    ):
        what.add_argument(
            f"--{answer}", dest="answer", action="store_const", const=_ANSWERS[answer], help=words
        )


async def run_bin(arguments: argparse.Namespace, services: Services) -> int:
    """Shows which conversations the limits moved to the bin or would move, and applies the answer that was given."""
    from workbench.engine.watch.limits import BIN_DAYS, keep_within_limits

    limits = services.preferences().load().watch
    async with changing(services) as store:
        found, done = await keep_within_limits(store, limits, services.utc_now(), arguments.answer or "")
        chats = {key: await store.chat(key) for key in (*found.binned, *found.waiting)}
    if done:
        tell(done)
    if arguments.json:
        lists = {"binned": found.binned, "waiting": found.waiting}
        print_json({name: [_document(chats[key]) for key in keys] for name, keys in lists.items()})
        return 0
    print_table(
        [(*_line(chats[key]), "waits" if key in found.waiting else tr("in the bin")) for key in chats]
    )
    if not chats:
        tell(
            tr(
                "The bin is empty. Conversations older than {days} days go there for {bin_days} days.",
                days=limits.days,
                bin_days=BIN_DAYS,
            )
        )
    return 0


def _document(chat: Chat) -> dict[str, Any]:
    mark = chat.filed.watched
    assert mark is not None
    return {
        "id": chat.id,
        "title": chat.title,
        "client": mark.client,
        "address": mark.address,
        "parent": mark.parent or None,
        "parent_call": mark.call or None,
        "requests": mark.requests,
        "model": chat.settings.model,
        "created_utc": chat.created_utc,
        "used_utc": chat.used_utc,
    }


def _line(chat: Chat) -> tuple[str, ...]:
    mark = chat.filed.watched
    requests = counted(0 if mark is None else mark.requests, "request")
    return visible_line(chat.id), visible_line(chat.used_utc), requests, visible_line(chat.title)


def _turn_line(line: TurnLine) -> tuple[str, ...]:
    notes = line.usage or {}
    request, noted = noted_table(notes, "request"), noted_table(notes, WATCHED)
    tokens = noted_count(notes, "prompt_tokens") or noted_count(request, "total_tokens") or 0
    lost = noted_count(noted, "lost_tokens") or 0
    words = tr("prefix lost, {lost:,} tokens", lost=lost) if lost else noted_text(noted, "relation")
    model = noted_text(request, "model").partition(":")[2]
    return str(line.number), line.started_utc, f"{tokens:,}", visible_line(model), words


_ANSWERS: dict[str, TidyAnswer] = {"put-back": "put_back", "confirm": "bin", "keep": "keep"}
ACTIONS = (
    KeptAction(
        "sessions",
        tr("the sessions that Claude Code and Codex left on this computer"),
        _no_arguments,
        run_sessions,
    ),
    KeptAction("list", tr("watched conversations, the most recently used first"), _no_arguments, run_list),
    KeptAction("show", tr("a watched conversation’s requests, or one of them"), _show_arguments, run_show),
    KeptAction("go-on", tr("start a chat of your own from a watched request"), _turn_arguments, run_go_on),
    KeptAction(
        "compare",
        tr("what an update of a program changed: two watched conversations of one task"),
        add_compare_arguments,
        run_compare,
    ),
    KeptAction(
        "write",
        tr("write a watched session, tuned, as a new one that its own program goes on with"),
        add_write_arguments,
        run_write,
    ),
    KeptAction(
        "delete",
        tr("delete a watched conversation; it is kept until it is purged"),
        _chat_argument,
        run_delete,
    ),
    KeptAction(
        "rules",
        tr("rules that change the requests of watched programs on their way"),
        rules_arguments,
        run_rules,
    ),
    KeptAction(
        "bin",
        tr("old conversations that are about to be removed, and how to keep them"),
        _bin_arguments,
        run_bin,
    ),
)


_LAST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    if isinstance(parser, LazyParser):
        parser.takes_program = True
        parser.epilog = tr(
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
    parser.add_argument(
        "--rule", metavar="RULE", action="append", default=[],
        help="change requests on their way, as tools.without=NAME,… | text.freeze=PLACE | results.shorten | "
        "secrets.redact | block.drop=PLACE | cache.mark; may be repeated; default: the rules that are kept",
    )  # fmt: skip
    for kind, title in (("claude", "Claude Code"), ("codex", "Codex")):
        parser.add_argument(
            f"--import-{kind}", nargs="?", const="", metavar="DIR",
            help=tr(
                "read the sessions that {title} left on disk instead of watching; default: where it leaves them",
                title=title,
            ),
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
        raise argparse.ArgumentTypeError(
            tr("{text} is not a port; write a number up to {last_port:,}", text=text, last_port=_LAST_PORT)
        )
    return int(text)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Watches until the command ends or Ctrl-C is pressed; or runs a subcommand or an import instead."""
    # Late: `--help` answers without them.
    import asyncio

    from workbench.cli.watch.running import import_sessions, sessions_to_import, watch

    action: KeptAction | None = arguments.kept_action
    if action is not None:
        return asyncio.run(action.run(arguments, services))
    if (sessions := sessions_to_import(arguments)) is not None:
        if arguments.program:
            raise InvalidInput("--import", tr("sessions are read without a command; leave it out"))
        return asyncio.run(import_sessions(*sessions, arguments, services))
    if arguments.json and arguments.program and not arguments.out:
        raise InvalidInput("--json", tr("standard output belongs to the command; name a file with --out"))
    # It stays for days: what requests leave is looked for more often than a command's imports.
    gc.set_threshold(50_000)
    return asyncio.run(watch(arguments, services))
