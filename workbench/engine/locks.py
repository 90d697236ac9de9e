"""Changes to one chat, one after the other: what is read, changed and written again must not overtake another write."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class ChatLocks:
    """A lock a chat, as long as somebody uses it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, chat: str) -> asyncio.Lock:
        """The lock of a chat."""
        lock = self._locks.get(chat)
        if lock is None:
            lock = self._locks[chat] = asyncio.Lock()
        return lock
