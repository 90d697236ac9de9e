"""Looks into the history for the list of chats alone: unlocked as always, and read with the driver itself.

What the rest of the history is read with takes longer to load than a thousand chats to list.
"""

from __future__ import annotations

from collections.abc import Callable

from workbench.domain.chat_line import ChatLine
from workbench.storage.chats.lines import chat_lines
from workbench.storage.database.cipher import told
from workbench.storage.database.format import SCHEMA_VERSION
from workbench.storage.keys.unlocking import UnlockedStore, Unlocker


def list_chats(unlocker: Unlocker, now: Callable[[], str]) -> tuple[ChatLine, ...]:
    """All chats of a folder that has keys, the most recently used first; nothing is made or changed."""
    return list_unlocked(unlocker.unlock_existing(), now)


def list_unlocked(unlocked: UnlockedStore, now: Callable[[], str]) -> tuple[ChatLine, ...]:
    """The same of a store whose key is known, which is let go of.

    One of an earlier version is brought to the newest first, as by everyone who opens it.
    """
    with unlocked:
        found = _read(unlocked)
        return _list_older(unlocked, now) if found is None else found


def _read(unlocked: UnlockedStore) -> tuple[ChatLine, ...] | None:
    """The chats; None where the store is of another version than this program's."""
    connection = unlocked.connect()
    try:
        with told(unlocked.path):
            connection.execute("PRAGMA query_only = ON")
            if connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
                return None
            return chat_lines(connection.execute)
    finally:
        connection.close()


def _list_older(unlocked: UnlockedStore, now: Callable[[], str]) -> tuple[ChatLine, ...]:
    # Late: all of it is what a list does without otherwise.
    import asyncio

    from workbench.storage.opening import open_unlocked

    async def listed() -> tuple[ChatLine, ...]:
        store = open_unlocked(unlocked, False, now)
        try:
            return await store.run(lambda connection: chat_lines(connection.exec_driver_sql))
        finally:
            await store.close()

    return asyncio.run(listed())
