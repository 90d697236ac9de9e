"""An open chat read from the store and shown as it stands, one reading after the other."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from workbench.domain.record import Chat
from workbench.domain.workspace import is_template
from workbench.engine.assembly.counters import recall_counts
from workbench.engine.conversation import Conversation, shelved
from workbench.engine.events import ChatLoaded
from workbench.engine.intents import ChangeSettings, ChatChange
from workbench.engine.keeping import load_conversation, shared_files
from workbench.engine.open_chat.mentions import Mentions
from workbench.engine.open_chat.scope import ChatScope, Shared
from workbench.engine.shown.turn_rows import list_turns
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneAttached, TuneMessages, TuneSummaries


class Loading:
    """Shows one chat as it is kept, unless it was closed meanwhile.

    Attributes:
        reading: how often it was begun to be read.
    """

    def __init__(self, scope: ChatScope, shared: Shared, mentions: Mentions) -> None:
        self._scope, self._world, self._shared, self._mentions = scope, scope.world, shared, mentions
        self._reading = asyncio.Lock()
        self.reading = 0
        self._shown = 0

    async def load(self) -> bool:
        """Read and show it; whether it is one that is kept, and is shown now."""
        number = self.reading = self.reading + 1
        # One after the other: what was read first must not be shown last.
        async with self._reading:
            if (new := self._shared.new.held(self._scope.chat)) is not None:
                await self._show_new(new)
                return False
            kept = await self._show_kept()
            self._shown = number
            return kept

    def change(self, intent: ChatChange) -> int | None:
        """Show a change that can be told from what was read; which reading that was, None where it takes another."""
        state = self._scope.state
        after = None if state is None or self._shown != self.reading else _after(intent, state)
        if state is None or after is None:
            return None
        # A new conversation as after a reading: whatever was found for the old one is looked for again.
        conversation = replace(after.conversation)
        self._scope.emit(ChatLoaded(after.chat, conversation, state.records, state.draft, state.pictures))
        return self.reading

    async def _show_kept(self) -> bool:
        scope, store, chat = self._scope, self._world.store, self._scope.chat
        await self._world.workspaces.ready()
        kept = await store.chat(chat)
        path = await store.path(chat)
        conversation = await load_conversation(store, chat, path=path)
        pictures = await self._world.pictures.fill(conversation, store)
        if scope.state is None:
            await self._recall_counts(kept, conversation)
        listed = await list_turns(store, chat, path, () if scope.state is None else scope.state.turns)
        # Last of all: words may be given back while the rest is read.
        draft = await self._shared.drafts.newest(chat)
        if scope.closed:
            return False
        self._mentions.opened(draft)
        scope.emit(ChatLoaded(kept, conversation, path, draft, pictures.shown()))
        scope.emit(listed)
        return True

    async def _show_new(self, chat: Chat) -> None:
        """Show a chat that is not kept yet, and has nothing in it but what its workspace gives it."""
        draft = await self._shared.drafts.newest(chat.id)
        await self._world.workspaces.ready()
        files = await shared_files(self._world.store, chat.id, chat.filed.workspace)
        conversation = shelved(Conversation(chat.id, attached=files), files)
        self._scope.emit(ChatLoaded(chat, conversation, (), draft))

    async def _recall_counts(self, chat: Chat, conversation: Conversation) -> None:
        """Know again what was counted of the chat for its model in earlier sessions."""
        builder = self._world.builder
        encoding = builder.catalogue.find(chat.settings.model).tokenizer
        await recall_counts(self._world.store, builder.counters, encoding, conversation)


def _after(intent: ChatChange, state: ChatState) -> ChatState | None:
    """The chat with a change that nothing else follows from; None where something else does, or may."""
    chat, conversation = state.chat, state.conversation
    match intent:
        case ChangeSettings():
            settings = intent.of(chat.settings)
            if settings.freshness != chat.settings.freshness:
                return None  # what the library holds follows from that
            return replace(state, chat=replace(chat, settings=settings))
        case TuneMessages() | TuneSummaries():
            tuned = replace(conversation, tuning=intent.of(conversation.tuning))
            return replace(state, conversation=tuned)
        case TuneAttached() if not is_template(chat.id):
            if conversation.previous is None and conversation.library:
                return None  # before anything was asked, the library holds what is attached
            tuned = replace(conversation, attached=intent.of(conversation.attached))
            return replace(state, conversation=tuned)
        case _:
            return None
