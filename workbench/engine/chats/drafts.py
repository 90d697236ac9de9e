"""What is being written, kept soon after the last keystroke."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass

from workbench.engine.chats.new_chats import NewChats
from workbench.engine.tasks import Debounced, Tasks
from workbench.ports.history import HistoryStore

WAIT_S = 0.5


@dataclass(slots=True)
class _Draft:
    """What of a draft is not in the store yet.

    Attributes:
        waiting: the words to be kept. sent: those of a question that was sent and is not kept yet.
        since: what was written after it was sent.
    """

    chat: str
    keeps: Debounced[_Draft]
    waiting: str | None = None
    sent: str | None = None
    since: str = ""


class Drafts:
    """Keeps drafts, at most half a second behind the keyboard.

    Words that were sent stay in the kept draft until their question is kept: then they are taken from it in the same
    step. Whatever happens between the two, they are in exactly one place.
    """

    def __init__(self, store: HistoryStore, tasks: Tasks, new: NewChats | None = None) -> None:
        self._store, self._tasks, self._new = store, tasks, new
        # By chat, since words that are not kept yet outlive the view; dropped once they are.
        self._unkept: dict[str, _Draft] = {}

    def note(self, chat: str, text: str) -> None:
        """A draft changed; it is kept in a moment, with what is typed until then."""
        draft = self._draft(chat)
        if draft.sent is not None:
            draft.since = text
            text = joined(draft.sent, text)
        draft.waiting = text
        # The same value for every letter: whoever never stops typing is not to lose more than the last moment.
        draft.keeps.call(f"keep the draft of {chat}", draft)

    async def newest(self, chat: str) -> str:
        if (held := self._held(chat)) is not None:
            return held
        kept = "" if self._unwritten(chat) else await self._store.draft(chat)
        held = self._held(chat)
        return kept if held is None else held

    def sent(self, chat: str, text: str, since: str) -> None:
        """The draft was sent, and this was written since; a question that was sent before it is kept or given back."""
        draft = self._draft(chat)
        draft.sent, draft.since = text, since

    def left(self, chat: str) -> str | None:
        """What is to be kept as the draft once the sent question is; None where none was sent."""
        draft = self._unkept.get(chat)
        return None if draft is None or draft.sent is None else draft.since

    def question_kept(self, chat: str) -> None:
        """The question that was sent is kept, and with it what was left of the draft then."""
        left = self.left(chat)
        if left is not None:
            self._unkept[chat].sent = None
            self.note(chat, left)

    def give_back(self, chat: str) -> tuple[str, str] | None:
        """The question could not be kept: its words, and the draft that they begin again; None where none was sent."""
        draft = self._unkept.get(chat)
        if draft is None or draft.sent is None:
            return None
        text, draft.sent = draft.sent, None
        self.note(chat, joined(text, draft.since))
        return text, joined(text, draft.since)

    async def flush(self) -> None:
        """Keep everything that still waits; each draft, whatever happens with the others."""
        async with AsyncExitStack() as each:
            for draft in tuple(self._unkept.values()):
                each.push_async_callback(self._keep, draft)

    def _draft(self, chat: str) -> _Draft:
        if chat not in self._unkept:
            self._unkept[chat] = _Draft(chat, Debounced(self._tasks, lambda: WAIT_S, self._keep))
        return self._unkept[chat]

    def _held(self, chat: str) -> str | None:
        draft = self._unkept.get(chat)
        if draft is None:
            return None
        return draft.waiting if draft.sent is None else draft.since

    async def _keep(self, draft: _Draft) -> None:
        """Keep the newest words; refused, they go with the next keystroke, or when the program is closed."""
        chat = draft.chat
        while (text := draft.waiting) is not None:
            if text and self._new is not None:
                await self._new.write_down(chat)
            if not self._unwritten(chat):
                await self._store.save_draft(chat, text)
            if draft.waiting == text:
                draft.waiting = None
        if draft.sent is None and self._unkept.get(chat) is draft:
            del self._unkept[chat]

    def _unwritten(self, chat: str) -> bool:
        """Whether the chat is not kept yet: nothing is known of it, and an empty draft is nothing to keep."""
        return self._new is not None and self._new.held(chat) is not None


def joined(sent: str, since: str) -> str:
    """Words that were sent, and after them what was written since."""
    return f"{sent}\n\n{since}" if sent and since else sent or since
