"""`workbench history fork`: a chat of its own from everything up to a message."""

from __future__ import annotations

import argparse

from workbench.cli.open_history import changing, find_chat
from workbench.cli.parts import Parts
from workbench.cli.terminal import print_json, print_text, tell, visible_line
from workbench.domain.errors import NotKept
from workbench.domain.record import ChatArchive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which chat, and up to which message."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id, or enough of its beginning")
    parser.add_argument("message", metavar="MESSAGE", help="a message's id, or enough of its beginning")


async def run_fork(arguments: argparse.Namespace, parts: Parts) -> int:
    """Keep the fork, and print its id."""
    # Late: `--help` answers without it.
    from workbench.engine.errands.forking import fork_chat

    async with changing(parts) as store:
        chat = await find_chat(store, arguments.chat)
        message = _named(await store.archive(chat.id), arguments.message)
        made = await fork_chat(store, chat.id, message, parts.new_id())
    if arguments.json:
        print_json({"chat": made.chat.id, "title": made.chat.title, "messages": len(made.records)})
    else:
        print_text(visible_line(made.chat.id))
        tell(f"Forked {visible_line(chat.id)} up to {visible_line(message)}: {visible_line(made.chat.title)}")
    return 0


def _named(archive: ChatArchive, name: str) -> str:
    ids = [record.id for record in archive.records if record.deleted_utc is None]
    found = [one for one in ids if one == name] or [one for one in ids if name and one.startswith(name)]
    if len(found) == 1:
        return found[0]
    shown = visible_line(name)
    if not found:
        raise NotKept(f"There is no message {shown!r} here; `workbench history show CHAT --json` names them.")
    raise NotKept(f"{len(found)} messages begin with {shown!r}: give more of the id.")
