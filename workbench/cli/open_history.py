"""Opening the history for one command, and finding chats and turns by what a person typed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from workbench.cli.services import Services
from workbench.cli.terminal import visible_line
from workbench.domain.errors import NoKeysYet, NotKept
from workbench.domain.record import Chat, TurnRecord
from workbench.domain.translation import tr
from workbench.ports.history import HistoryStore


@asynccontextmanager
async def opened(services: Services, writable: bool) -> AsyncIterator[HistoryStore]:
    """Opens the store, and closes it at the end of the context."""
    store = await services.history().open(writable=writable)
    try:
        yield store
    finally:
        await store.close()


async def open_kept(services: Services) -> HistoryStore:
    """Opens an existing store for writing; `NoKeysYet` where there is none, instead of creating it."""
    services.keys().status()
    return await services.history().open(writable=True)


@asynccontextmanager
async def changing(services: Services) -> AsyncIterator[HistoryStore]:
    """Opens an existing store for writing, and closes it at the end of the context."""
    store = await open_kept(services)
    try:
        yield store
    finally:
        await store.close()


def has_store(services: Services) -> bool:
    """Tells whether there is a store; opening one for writing would create it."""
    try:
        services.keys().status()
    except NoKeysYet:
        return False
    return True


async def find_chat(store: HistoryStore, name: str) -> Chat:
    """Returns the chat with this id, or the only one whose id starts with it."""
    return pick_chat(await store.chats(), name)


async def find_watched_chat(store: HistoryStore, name: str) -> Chat:
    """Returns the watched chat of this id or start of an id; raises `NotKept` for one of the user's own."""
    found = await find_chat(store, name)
    if found.filed.watched is None:
        raise NotKept(
            tr("{id!r} is a chat of your own; `workbench history` is for those.", id=visible_line(found.id))
        )
    return found


async def turn_on_branch(store: HistoryStore, chat: Chat, number: int | None) -> TurnRecord:
    """Returns the turn of this number, preferably on the current branch; without a number, the last turn."""
    if number is None:
        last = await store.last_turn(chat.id)
        if last is None:
            raise NotKept(tr("The chat {id!r} has no request yet.", id=visible_line(chat.id)))
        return last
    found = [turn for turn in await store.turns(chat.id) if turn.number == number]
    if not found:
        raise NotKept(tr("The chat {id!r} has no turn {number}.", id=visible_line(chat.id), number=number))
    shown = {record.id for record in await store.path(chat.id)}
    here = [turn for turn in found if turn.question in shown and turn.reply in (None, *shown)]
    return (here or [turn for turn in found if turn.question in shown] or found)[-1]


def pick_chat(chats: Sequence[Chat], name: str) -> Chat:
    """Returns the one of these chats whose id is `name` or starts with it."""
    found = [chat for chat in chats if chat.id == name] or [
        c for c in chats if name and c.id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    shown = visible_line(name)
    if not found:
        raise NotKept(tr("There is no chat {shown!r}; `workbench history list` shows them all.", shown=shown))
    raise NotKept(tr("{n} chats begin with {shown!r}: give more of the id.", n=len(found), shown=shown))
