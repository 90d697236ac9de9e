"""What is not stored yet: new empty chats, and drafts, stored soon after the last keystroke."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from workbench.domain.record import Chat, split_draft, whole_draft
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.workspace import template_of
from workbench.engine.chats.changes import chat_of, create_chat
from workbench.engine.intents import ChangeSettings, ChatChange, DeleteChat, RestoreChat, StartChat
from workbench.engine.tasks import Latest, Tasks
from workbench.engine.world import World
from workbench.ports.history import HistoryStore


class NewChats:
    """Holds new chats until they have content; calls `kept` when one is stored.

    A deleted one stays, too: whoever takes the deletion back finds it as it was.
    """

    def __init__(self, world: World, kept: Callable[[], object]) -> None:
        self._world, self._kept = world, kept
        self._held: dict[str, Chat] = {}

    async def begin(self, intent: StartChat) -> None:
        """Hold a new chat, or store it at once if asked to."""
        made = chat_of(intent, self._world.utc.utc_now())
        if intent.as_there:
            made = replace(made, settings=await self._workspace_settings(made))
        if intent.unwritten:
            self._held[intent.chat] = made
        else:
            await create_chat(made, self._world)

    async def _workspace_settings(self, chat: Chat) -> ContextSettings:
        """Settings of new chats in its workspace; those of the intent if there is no such workspace."""
        await self._world.workspaces.ready()
        if self._world.workspaces.find(chat.filed.workspace) is None:
            return chat.settings
        return (await self._world.store.chat(template_of(chat.filed.workspace))).settings

    def held(self, chat: str) -> Chat | None:
        return self._held.get(chat)

    def change(self, intent: ChatChange) -> bool:
        """Apply a change that leaves the chat empty; return whether nothing else has to be done."""
        held = self._held.get(intent.chat)
        if held is None:
            return False
        match intent:
            case ChangeSettings():
                self._held[intent.chat] = replace(held, settings=intent.of(held.settings))
            case DeleteChat():
                self._held[intent.chat] = replace(held, deleted_utc=self._world.utc.utc_now())
            case RestoreChat():
                self._held[intent.chat] = replace(held, deleted_utc=None)
            case _:
                return False
        return True

    async def write_down(self, chat: str) -> None:
        """Store a chat that is not stored yet; if the store refuses, it is still held."""
        if chat not in self._held:
            return
        async with self._world.locks.of(chat):
            held = self._held.get(chat)
            if held is None:
                return
            await create_chat(held, self._world)
            # What was set while it was written goes after it; so does a deletion, before which it was typed in.
            newest = self._held.pop(chat)
            if newest != held or newest.deleted_utc is not None:
                await self._world.store.save_chat(newest)
        self._kept()


WAIT_S = 0.5


@dataclass(slots=True)
class _Draft:
    """The part of a draft that is not stored yet.

    Attributes:
        waiting: the words to be kept. sent: those of a question that was sent and is not kept yet.
        since: what was written after it was sent.
    """

    chat: str
    keeps: Latest[_Draft]
    waiting: str | None = None
    sent: str | None = None
    since: str = ""


class Drafts:
    """Stores drafts, at most half a second after the last keystroke.

    Words that were sent stay in the kept draft until their question is kept: then they are taken from it in the same
    step. Whatever happens between the two, they are in exactly one place.
    """

    def __init__(self, store: HistoryStore, tasks: Tasks, new: NewChats | None = None) -> None:
        self._store, self._tasks, self._new = store, tasks, new
        # By chat, since words that are not kept yet outlive the view; dropped once they are.
        self._unkept: dict[str, _Draft] = {}

    def note(self, chat: str, text: str) -> None:
        """A draft changed; it is stored in a moment, with what is typed until then."""
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
        kept = "" if self._is_unstored(chat) else await self._store.draft(chat)
        held = self._held(chat)
        return kept if held is None else held

    def sent(self, chat: str, text: str, since: str) -> None:
        """The draft was sent, and `since` was typed after it."""
        draft = self._draft(chat)
        draft.sent, draft.since = text, since

    def left(self, chat: str) -> str | None:
        """The draft to store along with the sent question; None if none was sent."""
        draft = self._unkept.get(chat)
        return None if draft is None or draft.sent is None else draft.since

    def question_kept(self, chat: str) -> None:
        """The sent question is stored, and the rest of the draft with it."""
        left = self.left(chat)
        if left is not None:
            self._unkept[chat].sent = None
            self.note(chat, left)

    def give_back(self, chat: str) -> tuple[str, str] | None:
        """The question could not be stored: return its words, and the restored draft; None if none was sent."""
        draft = self._unkept.get(chat)
        if draft is None or draft.sent is None:
            return None
        text, draft.sent = draft.sent, None
        self.note(chat, joined(text, draft.since))
        return text, joined(text, draft.since)

    async def flush(self) -> None:
        """Store all waiting drafts; one failure does not stop the others."""
        async with AsyncExitStack() as each:
            for draft in tuple(self._unkept.values()):
                each.push_async_callback(self._keep, draft)

    def _draft(self, chat: str) -> _Draft:
        if chat not in self._unkept:
            self._unkept[chat] = _Draft(chat, Latest(self._tasks, self._keep, lambda: WAIT_S))
        return self._unkept[chat]

    def _held(self, chat: str) -> str | None:
        draft = self._unkept.get(chat)
        if draft is None:
            return None
        return draft.waiting if draft.sent is None else draft.since

    async def _keep(self, draft: _Draft) -> None:
        """Store the newest words; if refused, they are retried at the next keystroke or at exit."""
        chat = draft.chat
        while (text := draft.waiting) is not None:
            if text and self._new is not None:
                await self._new.write_down(chat)
            if not self._is_unstored(chat):
                await self._store.save_draft(chat, text)
            if draft.waiting == text:
                draft.waiting = None
        if draft.sent is None and self._unkept.get(chat) is draft:
            del self._unkept[chat]

    def _is_unstored(self, chat: str) -> bool:
        """Whether the chat is not stored yet; its empty draft then need not be stored either."""
        return self._new is not None and self._new.held(chat) is not None


def joined(sent: str, since: str) -> str:
    """The sent words followed by what was typed since; the newer beginning of an answer holds."""
    (first, begun), (then, newer) = split_draft(sent), split_draft(since)
    return whole_draft(f"{first}\n\n{then}" if first and then else first or then, newer or begun)
