"""`workbench history edit`: gives an answer or a tool's result other words, as a version beside what was said."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from workbench.cli.open_history import find_chat, open_kept
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_text, read_named, tell, visible_line
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.message import Message
from workbench.domain.record import Chat
from workbench.domain.shown.envelope_view import PriceTag
from workbench.domain.translation import tr
from workbench.ports.history import HistoryStore

if TYPE_CHECKING:  # loads what `--help` does not need
    from workbench.engine.tuning_intents import TuneMessages
    from workbench.engine.workbench import Workbench

_PRICE_S = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `edit`: the chat, the turn, and the new words or a version that is there."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument("--turn", type=int, metavar="N", help="the turn; default: the last one")
    parser.add_argument("--answer", metavar="FILE", help="the answer's new words; - for standard input")
    parser.add_argument(
        "--result",
        nargs=2,
        metavar=("CALL", "FILE"),
        help="new words for the result of a tool's call, by its id",
    )
    parser.add_argument(
        "--version",
        type=int,
        metavar="N",
        dest="shown_version",  # `version` is that of the program
        help="show a version that is there; 1 is what was said",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what it would cost")


async def run_edit(arguments: argparse.Namespace, services: Services) -> int:
    """Says what a version costs in the next request, and keeps it."""
    # Late: `--help` answers without it.
    from workbench.engine.tuning_intents import edit_message, show_version
    from workbench.engine.workbench import Workbench

    call, text = _wanted(arguments)
    store = await open_kept(services)
    world = services.world(store, WorldOptions())
    workbench = Workbench(world)
    try:
        chat = await find_chat(store, arguments.chat)
        turn, said = await _said(store, chat, arguments.turn)
        message = _message(said, call, turn)
        tuning = await store.tuning(chat.id)
        if text is None:
            do, _ = show_version(chat.id, tuning, message.id, arguments.shown_version - 1)
        else:
            do, _ = edit_message(chat.id, tuning, message, text, world.utc.utc_now())
        price = await _price(workbench, chat.id, do)
        if not arguments.dry_run:
            await workbench.dispatch(do)
        versions = do.of(tuning).versions(message.id)
    finally:
        await workbench.close()
    shown = next((place for place, one in enumerate(versions, start=2) if one.shown), 1)
    document = {
        "chat": chat.id, "turn": turn, "message": message.id, "version": shown,
        "versions": len(versions) + 1, "kept": not arguments.dry_run,
        "price": None if price is None else asdict(price),
    }  # fmt: skip
    _print(document, price, arguments.json)
    return 0


def _wanted(arguments: argparse.Namespace) -> tuple[str | None, str | None]:
    """Returns the call whose result is meant, if one is, and the new words; none where a version is to be shown."""
    given = [arguments.answer is not None, arguments.result is not None]
    call, name = arguments.result or (None, arguments.answer)
    if arguments.shown_version is not None and not any(given):
        return None, None
    if sum(given) != 1 or arguments.shown_version is not None:
        raise InvalidInput(
            tr("history edit"), tr("give one of --answer FILE, --result CALL FILE, or --version N")
        )
    content = read_named(name)
    try:
        return call, content.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as problem:
        raise InvalidInput(name, tr("is not UTF-8 text; nothing was changed")) from problem


async def _said(store: HistoryStore, chat: Chat, turn: int | None) -> tuple[int, list[Message]]:
    """Returns the number of a turn on the branch in view, by default the last, and what was said after its question."""
    numbers = {line.question: line.number for line in await store.turn_lines(chat.id, notes=False)}
    turns: dict[int, list[Message]] = {}
    for record in await store.path(chat.id):
        entry = record.entry
        if isinstance(entry, Message) and entry.role == "user":
            turns[numbers.get(record.id, len(turns) + 1)] = []
        elif isinstance(entry, Message) and turns:
            turns[list(turns)[-1]].append(entry)
    number = turn or max(turns, default=0)
    if number not in turns:
        known = tr("1 to {turns}", turns=max(turns)) if turns else tr("none")
        raise NotKept(
            tr(
                "The branch in view has no turn {number}; it has {known}. Nothing was changed.",
                number=number,
                known=known,
            )
        )
    return number, turns[number]


def _message(entries: Sequence[Message], call: str | None, turn: int) -> Message:
    if call is None:
        answers = [one for one in entries if one.role == "assistant"]
        spoken = [one for one in answers if one.text.strip()]
        if not answers:
            raise NotKept(tr("Turn {turn} has no answer. Nothing was changed.", turn=turn))
        return (spoken or answers)[-1]
    results = [one for one in entries if one.role == "tool" and (one.tool_call_id or "").startswith(call)]
    if len(results) != 1:
        known = (
            ", ".join(visible_line(one.tool_call_id or "") for one in entries if one.role == "tool") or "none"
        )
        raise NotKept(
            tr(
                "Turn {turn} has no such call with a result, or several; it has: {known}.",
                turn=turn,
                known=known,
            )
        )
    return results[0]


async def _price(workbench: Workbench, chat: str, step: TuneMessages) -> PriceTag | None:
    """Returns what a step costs in the next request; None where that cannot be told in time."""
    from workbench.engine.intents import OpenChat, PriceStep

    known = asyncio.Event()

    def hear(_event: object, state: Any) -> None:
        if chat in state.open and state.open[chat].price is not None:
            known.set()

    forget = workbench.subscribe(hear)
    await workbench.dispatch(OpenChat(chat))
    await workbench.dispatch(PriceStep(chat, "edit", (step,)))
    try:
        await asyncio.wait_for(known.wait(), _PRICE_S)
    except TimeoutError:
        return None
    finally:
        forget()
    price = workbench.state.open[chat].price
    return None if price is None else price.tag


def _print(document: dict[str, Any], price: PriceTag | None, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    tell(_price_words(price))
    version, versions = document["version"], document["versions"]
    if not document["kept"]:
        print_text(
            tr(
                "version {version} of {versions} would be sent; nothing was changed",
                version=version,
                versions=versions,
            )
        )
        return
    print_text(tr("version {version} of {versions} is sent from now on", version=version, versions=versions))
    which = f"`workbench history edit {visible_line(document['chat'])} --turn {document['turn']} --version 1`"
    tell(
        tr("What was said is sent again.")
        if version == 1
        else tr("What was said is kept; {which} goes back to it.", which=which)
    )


def _price_words(price: PriceTag | None) -> str:
    if price is None:
        return tr("What it costs is not known.")
    words = [f"{price.tokens_delta:+,} tokens"] if price.tokens_delta else []
    if price.reread_tokens is not None:
        words.append(
            tr(
                "re-reads {reread_tokens:,} of {cached_tokens:,} cached tokens",
                reread_tokens=price.reread_tokens,
                cached_tokens=price.cached_tokens or 0,
            )
        )
    if price.now_usd and not price.local:
        words.append(f"{'+' if price.now_usd > 0 else '−'}${abs(price.now_usd):.4f}")
    if not price.fits:
        words.append(tr("and no longer fits"))
    return tr("The next request: {words}.", words=", ".join(words) or "unchanged")
