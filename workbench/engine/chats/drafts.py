"""What is being written, kept soon after the last keystroke."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from workbench.engine.chats.new_chats import NewChats
from workbench.engine.tasks import Tasks
from workbench.ports.history import HistoryStore

WAIT_S = 0.5


class Drafts:
    """Keeps drafts, at most half a second behind the keyboard.

    Words that were sent stay in the kept draft until their question is kept: then they are taken from it in the same
    step. Whatever happens between the two, they are in exactly one place.
    """

    def __init__(self, store: HistoryStore, tasks: Tasks, new: NewChats | None = None) -> None:
        self._store, self._tasks, self._new = store, tasks, new
        self._waiting: dict[str, str] = {}
        self._scheduled: set[str] = set()
        self._sent: dict[str, str] = {}
        self._since: dict[str, str] = {}
        self._returned: dict[str, str] = {}

    def note(self, chat: str, text: str) -> None:
        """A draft changed; it is kept in a moment, with what is typed until then."""
        if chat in self._sent:
            self._since[chat] = text
            text = joined(self._sent[chat], text)
        self._waiting[chat] = text
        if chat not in self._scheduled:
            self._scheduled.add(chat)
            self._tasks.spawn(f"keep the draft of {chat}", self._keep_soon(chat))

    async def newest(self, chat: str) -> str:
        """What is being written, kept already or not."""
        if chat in self._sent:
            return self._since[chat]
        if chat in self._waiting:
            return self._waiting[chat]
        kept = "" if self._unwritten(chat) else await self._store.draft(chat)
        return self._waiting.get(chat, kept)

    def sent(self, chat: str, text: str, since: str) -> None:
        """The draft was sent, and this was written since; a question that was sent before it is kept or given back."""
        self._sent[chat], self._since[chat] = text, since

    def left(self, chat: str) -> str | None:
        """What is to be kept as the draft once the sent question is; None where none was sent."""
        return self._since[chat] if chat in self._sent else None

    def question_kept(self, chat: str) -> None:
        """The question that was sent is kept, and with it what was left of the draft then."""
        if self._sent.pop(chat, None) is not None:
            self.note(chat, self._since.pop(chat))

    def give_back(self, chat: str) -> str | None:
        """The question could not be kept: its words are the draft again, before what was written since."""
        text = self._sent.pop(chat, None)
        if text is None:
            return None
        self._returned[chat] = text
        draft = joined(text, self._since.pop(chat))
        self.note(chat, draft)
        return draft

    def returned(self, chat: str) -> str:
        """The words that were given back last."""
        return self._returned.get(chat, "")

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
        if text and self._new is not None:
            await self._new.write_down(chat)
        if not self._unwritten(chat):
            await self._store.save_draft(chat, text)
        if self._waiting.get(chat) == text:
            del self._waiting[chat]

    def _unwritten(self, chat: str) -> bool:
        """Whether the chat is not kept yet: nothing is known of it, and an empty draft is nothing to keep."""
        return self._new is not None and self._new.held(chat) is not None


def joined(sent: str, since: str) -> str:
    """Words that were sent, and after them what was written since."""
    return f"{sent}\n\n{since}" if sent and since else sent or since
