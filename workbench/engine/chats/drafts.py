"""What is being written, kept soon after the last keystroke."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from workbench.engine.tasks import Tasks
from workbench.ports.history import HistoryStore

WAIT_S = 0.5


class Drafts:
    """Keeps drafts, at most half a second behind the keyboard."""

    def __init__(self, store: HistoryStore, tasks: Tasks) -> None:
        self._store, self._tasks = store, tasks
        self._waiting: dict[str, str] = {}
        self._scheduled: set[str] = set()

    def note(self, chat: str, text: str) -> None:
        """A draft changed; it is kept in a moment, with what is typed until then."""
        self._waiting[chat] = text
        if chat not in self._scheduled:
            self._scheduled.add(chat)
            self._tasks.spawn(f"keep the draft of {chat}", self._keep_soon(chat))

    async def newest(self, chat: str) -> str:
        """What is being written, kept already or not."""
        if chat in self._waiting:
            return self._waiting[chat]
        kept = await self._store.draft(chat)
        return self._waiting.get(chat, kept)

    async def flush(self) -> None:
        """Keep everything that still waits; each draft, whatever happens with the others."""
        async with AsyncExitStack() as each:
            for chat in tuple(self._waiting):
                each.push_async_callback(self._keep, chat)

    async def _keep_soon(self, chat: str) -> None:
        try:
            await asyncio.sleep(WAIT_S)
        finally:
            self._scheduled.discard(chat)
        await self._keep(chat)

    async def _keep(self, chat: str) -> None:
        text = self._waiting.get(chat)
        if text is None:
            return
        # It waits until it is kept: refused, it goes with the next keystroke, or when the program is closed.
        await self._store.save_draft(chat, text)
        if self._waiting.get(chat) == text:
            del self._waiting[chat]
