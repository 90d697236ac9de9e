"""The history for the time of one command, and the chat that a person means."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from workbench.cli.parts import Parts
from workbench.cli.plain_output import visible_line
from workbench.domain.errors import NotKept
from workbench.domain.record import Chat
from workbench.ports import HistoryStore


@asynccontextmanager
async def opened(parts: Parts, writable: bool) -> AsyncIterator[HistoryStore]:
    """The store, closed again whatever happens."""
    store = await parts.history().open(writable=writable)
    try:
        yield store
    finally:
        await store.close()


async def find_chat(store: HistoryStore, name: str) -> Chat:
    """The chat of that id, or the only one whose id begins so."""
    return pick_chat(await store.chats(), name)


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
