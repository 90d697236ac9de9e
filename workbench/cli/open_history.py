"""The history for the time of one command, and the chat that a person means."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from workbench.cli.services import Services
from workbench.cli.terminal import visible_line
from workbench.domain.errors import NoKeysYet, NotKept
from workbench.domain.record import Chat, TurnRecord
from workbench.ports.history import HistoryStore


@asynccontextmanager
async def opened(services: Services, writable: bool) -> AsyncIterator[HistoryStore]:
    """The store, closed again whatever happens."""
    store = await services.history().open(writable=writable)
    try:
        yield store
    finally:
        await store.close()


async def open_kept(services: Services) -> HistoryStore:
    """The store, to change what is in it; `NoKeysYet` where there is none, which opening for writing would make."""
    services.keys().status()
    return await services.history().open(writable=True)


@asynccontextmanager
async def changing(services: Services) -> AsyncIterator[HistoryStore]:
    """What `open_kept` opens, closed again whatever happens."""
    store = await open_kept(services)
    try:
        yield store
    finally:
        await store.close()


def has_store(services: Services) -> bool:
    """Whether there is a history at all; opening one that is not there would make it."""
    try:
        services.keys().status()
    except NoKeysYet:
        return False
    return True


async def find_chat(store: HistoryStore, name: str) -> Chat:
    """The chat of that id, or the only one whose id begins so."""
    return pick_chat(await store.chats(), name)


async def turn_on_branch(store: HistoryStore, chat: Chat, number: int | None) -> TurnRecord:
    """The turn of that number on the branch in view, else the newest of that number; without one, the last turn."""
    if number is None:
        last = await store.last_turn(chat.id)
        if last is None:
            raise NotKept(f"The chat {visible_line(chat.id)!r} has no request yet.")
        return last
    found = [turn for turn in await store.turns(chat.id) if turn.number == number]
    if not found:
        raise NotKept(f"The chat {visible_line(chat.id)!r} has no turn {number}.")
    shown = {record.id for record in await store.path(chat.id)}
    here = [turn for turn in found if turn.question in shown and turn.reply in (None, *shown)]
    return (here or [turn for turn in found if turn.question in shown] or found)[-1]


def pick_chat(chats: Sequence[Chat], name: str) -> Chat:
    """Of these chats the one that a person means."""
    found = [chat for chat in chats if chat.id == name] or [
        c for c in chats if name and c.id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    shown = visible_line(name)
    if not found:
        raise NotKept(f"There is no chat {shown!r}; `workbench history list` shows them all.")
    raise NotKept(f"{len(found)} chats begin with {shown!r}: give more of the id.")
