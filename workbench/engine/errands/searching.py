"""Finding words in all chats while they are typed: what was asked last is what is shown."""

from __future__ import annotations

import asyncio

from workbench.engine.events import HistorySearched
from workbench.engine.state import Found
from workbench.engine.store import StateStore
from workbench.ports.history import HistoryStore


class Searching:
    """Searches one after the other; of those that wait, only the newest is done."""

    def __init__(self, store: HistoryStore, states: StateStore) -> None:
        self._store, self._states = store, states
        self._newest = 0
        self._one_at_a_time = asyncio.Lock()

    async def search(self, query: str) -> None:
        """Find words, and show what was found unless something else was asked meanwhile; nothing asked ends it."""
        self._newest += 1
        number = self._newest
        if not query.strip():
            self._states.emit(HistorySearched(None))
            return
        self._states.emit(HistorySearched(Found(query, searching=True)))
        async with self._one_at_a_time:
            if number == self._newest:
                await self._find(query, number)

    async def _find(self, query: str, number: int) -> None:
        found = Found(query)
        try:
            found = Found(query, await self._store.search(query))
        finally:
            if number == self._newest:
                self._states.emit(HistorySearched(found))
