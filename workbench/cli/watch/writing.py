"""`workbench watch write`: a watched session, tuned, as a new session that its own program goes on with."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from workbench.cli.open_history import find_watched_chat, opened
from workbench.cli.services import Services
from workbench.cli.terminal import find_terminal, print_json, print_text, read_named, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.translation import counted, tr
from workbench.domain.watch.request import AgainstBefore
from workbench.domain.watch.session_copy import SessionCopy, SessionTuning

if TYPE_CHECKING:
    from workbench.engine.watch.session_writing import CopyPlan

_MOST_TURNS = 100_000
_CHARS_PER_TOKEN = 4


def add_write_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `workbench watch write`."""
    parser.add_argument("chat", metavar="CHAT", help="a watched chat’s id or its start")
    parser.add_argument(
        "--as",
        dest="kind",
        choices=("claude", "codex"),
        help="the program it is for; default: the one that left it",
    )
    parser.add_argument(
        "--leave-out", metavar="N,A-B", default="", help="leave out these turns, counted by questions"
    )
    parser.add_argument(
        "--shorten", type=int, metavar="TOKENS", default=0, help="cut longer results to about TOKENS"
    )
    parser.add_argument(
        "--keep-last",
        type=int,
        metavar="K",
        default=1,
        help="with --shorten: not those of the newest K turns; default: 1",
    )
    parser.add_argument(
        "--summarise", metavar="A-B", default="", help="send a summary in place of these turns"
    )
    parser.add_argument(
        "--summary", metavar="FILE|-", default="", help="with --summarise: the text of the summary"
    )
    parser.add_argument(
        "--sessions", metavar="DIR", default="", help="where the sessions are; default: the usual folder"
    )
    parser.add_argument(
        "--out", metavar="FILE", default="", help="the file to write; default: beside the original"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be written, and write nothing"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before the file is written")
    parser.add_argument(
        "--against", metavar="CHAT", default="",
        help="write nothing: compare the prediction with the request that came from the new session",
    )  # fmt: skip
    parser.add_argument(
        "--turn", type=int, metavar="N", help="with --against: its N-th request; default: the first one"
    )


async def run_write(arguments: argparse.Namespace, services: Services) -> int:
    """Shows the target and what would be written, asks, and writes; or compares the prediction with what came."""
    from workbench.engine.watch.session_writing import compare_resumed, plan_copy, write_copy

    files, tuning = services.session_files(arguments.sessions), _tuning(arguments)
    async with opened(services, writable=False) as store:
        chat = await find_watched_chat(store, arguments.chat)
        plan = await plan_copy(store, chat, tuning, files, services.new_id())
        if arguments.kind not in (None, plan.copy.kind):
            raise InvalidInput(
                "--as",
                tr("this session is one of {kind}, and is written for that alone", kind=plan.copy.kind),
            )
        if arguments.against:
            other = await find_watched_chat(store, arguments.against)
            number, found = await compare_resumed(store, other, plan.session, arguments.turn, plan.copy)
            return _tell_compared(number, found, arguments.json)
    target = arguments.out or plan.target
    _show(plan.copy, target)
    written = not arguments.dry_run and _agreed(arguments)
    if written:
        write_copy(plan, files, target)
    if arguments.json:
        print_json(_document(plan, target, written))
    elif written:
        print_text(visible_line(target))
    if written:
        tell(
            tr(
                "Written. The original stays as it was. Go on with: {command}",
                command=visible_line(plan.copy.command),
            )
        )
    return 0 if written or arguments.dry_run else 1


def _show(copy: SessionCopy, target: str) -> None:
    for turn in copy.turns:
        state = "stays" if turn.stays else "goes"
        tell(f"{turn.number:>4}  {state:5}  {turn.chars // _CHARS_PER_TOKEN:>7,}  {visible_line(turn.asked)}")
    shortened = (
        tr(", {counted} shortened", counted=counted(copy.shortened, "result")) if copy.shortened else ""
    )
    now, before = (chars // _CHARS_PER_TOKEN for chars in (copy.chars, copy.chars_before))
    tell(
        tr(
            "≈ {now:,} of {before:,} tokens of messages{shortened}",
            now=now,
            before=before,
            shortened=shortened,
        )
    )
    tell(tr("A new file: {target}", target=visible_line(target)))


def _agreed(arguments: argparse.Namespace) -> bool:
    terminal = find_terminal()
    if not arguments.yes and terminal is None:
        tell(tr("No terminal to confirm on; use --yes."))
    return bool(arguments.yes) or (terminal is not None and terminal.agrees(tr("Write it?")))


def _document(plan: CopyPlan, target: str, written: bool) -> dict[str, object]:
    copy = plan.copy
    known = {
        name: getattr(copy, name) for name in ("kind", "id", "version", "shortened", "chars", "chars_before")
    }
    turns = [asdict(one) for one in copy.turns]
    return {
        "written": written, "file": target, "original": plan.original, "command": copy.command, **known, "turns": turns,
        "predicted": json.loads(copy.request),
    }  # fmt: skip


def _tell_compared(number: int, found: AgainstBefore, as_json: bool) -> int:
    same, place = found.relation in ("extended", "identical"), found.first_difference
    if as_json:
        print_json({"turn": number, "as_predicted": same, "first_difference": place and asdict(place)})
    elif same:
        print_text(tr("Request {number} begins with the messages that were predicted.", number=number))
    elif place is not None:
        print_text(
            tr(
                "Request {number} differs from the prediction at {path}:",
                number=number,
                path=visible_line(place.path),
            )
        )
        print_text(tr("  predicted: {was}", was=visible_line(place.was)))
        print_text(tr("  came:      {now}", now=visible_line(place.now)))
    return 0 if same else 1


def _tuning(arguments: argparse.Namespace) -> SessionTuning:
    first, last = _span("--summarise", arguments.summarise) if arguments.summarise else (0, 0)
    if bool(arguments.summarise) != bool(arguments.summary):
        missing = "--summary" if arguments.summarise else "--summarise"
        raise InvalidInput(missing, tr("--summarise A-B and --summary FILE belong together"))
    text = read_named(arguments.summary).decode("utf-8", "replace").strip() if arguments.summary else ""
    if arguments.summary and not text:
        raise InvalidInput("--summary", tr("is empty"))
    if arguments.shorten < 0 or arguments.keep_last < 0:
        raise InvalidInput(
            "--shorten" if arguments.shorten < 0 else "--keep-last", tr("expected a number from 0")
        )
    gone = [_span("--leave-out", one) for one in arguments.leave_out.split(",") if one]
    left_out = frozenset(n for start, end in gone for n in range(start, end + 1))
    return SessionTuning(
        left_out, arguments.shorten * _CHARS_PER_TOKEN, arguments.keep_last, text, (first, last)
    )


def _span(option: str, text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    last = last if dash else first
    if not (first.isdecimal() and last.isdecimal() and 0 < int(first) <= int(last) <= _MOST_TURNS):
        raise InvalidInput(option, tr("expected turns such as 3 or 1-12, got {text!r}", text=text))
    return int(first), int(last)
