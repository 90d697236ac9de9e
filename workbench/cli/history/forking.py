"""`workbench history fork` and `title`: starts a new chat from an earlier message, or renames a chat."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.cli.open_history import changing, find_chat, open_kept
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.record import ChatArchive
from workbench.domain.spending import dollars
from workbench.domain.translation import tr

if TYPE_CHECKING:  # loads what `--help` does not need
    from workbench.engine.world import World


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `fork`: the chat, and the last message to copy."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument("message", metavar="MESSAGE", help="a message's id or its start")


async def run_fork(arguments: argparse.Namespace, services: Services) -> int:
    """Creates a chat from everything up to a message, and prints its id."""
    # Late: `--help` answers without it.
    from workbench.engine.program.forking import fork_chat

    async with changing(services) as store:
        chat = await find_chat(store, arguments.chat)
        message = _find_message(await store.archive(chat.id), arguments.message)
        made = await fork_chat(store, chat.id, message, services.new_id())
    if arguments.json:
        print_json({"chat": made.chat.id, "title": made.chat.title, "messages": len(made.records)})
    else:
        print_text(visible_line(made.chat.id))
        tell(
            tr(
                "Forked {id} up to {message}: {title}",
                id=visible_line(chat.id),
                message=visible_line(message),
                title=visible_line(made.chat.title),
            )
        )
    return 0


def add_title_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `title`: the chat, and a title or `--by-model`."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument("title", nargs="?", metavar="TITLE", help="the new title")
    parser.add_argument("--by-model", action="store_true", help="the chat's own model writes it")


async def run_title(arguments: argparse.Namespace, services: Services) -> int:
    """Renames a chat and prints the title; where a model writes it, the price is printed first."""
    # Late: `--help` answers without it.
    from workbench.engine.chats.changes import update_chat
    from workbench.engine.workbench import Workbench

    if bool(arguments.title) == arguments.by_model:
        raise InvalidInput("TITLE", tr("give a title, or --by-model"))
    if arguments.by_model:
        services.check_sending()
    store = await open_kept(services)
    world = services.world(store, WorldOptions())
    workbench = Workbench(world)
    try:
        chat = await find_chat(store, arguments.chat)
        title = await _ask_model_for_title(chat.id, world) if arguments.by_model else arguments.title
        await update_chat(chat.id, world, lambda kept: replace(kept, title=title))
    finally:
        await workbench.close()
    print_json({"chat": chat.id, "title": title}) if arguments.json else print_text(visible_line(title))
    return 0


async def _ask_model_for_title(chat: str, world: World) -> str:
    from workbench.engine.program.actions import ask_for_title, title_request

    request = await title_request(chat, world)
    price = (
        tr("price unknown")
        if request.cost_usd is None
        else tr("about {cost}", cost=dollars(request.cost_usd))
    )
    tell(
        tr(
            "Asking {model}: {tokens} tokens, {price}, and its answer.",
            model=visible_line(request.model),
            tokens=request.tokens,
            price=price,
        )
    )
    return await ask_for_title(request, world)


def _find_message(archive: ChatArchive, name: str) -> str:
    ids = [record.id for record in archive.records if record.deleted_utc is None]
    found = [one for one in ids if one == name] or [one for one in ids if name and one.startswith(name)]
    if len(found) == 1:
        return found[0]
    shown = visible_line(name)
    if not found:
        raise NotKept(
            tr(
                "There is no message {shown!r} here; `workbench history show CHAT --json` names them.",
                shown=shown,
            )
        )
    raise NotKept(tr("{n} messages begin with {shown!r}: give more of the id.", n=len(found), shown=shown))
