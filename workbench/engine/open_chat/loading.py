"""An open chat read from the store and shown as it stands, one reading after the other."""

from __future__ import annotations

import asyncio

from workbench.domain.record import Chat
from workbench.engine.assembly.counters import recall_counts
from workbench.engine.conversation import Conversation, shelved
from workbench.engine.events import ChatLoaded
from workbench.engine.keeping import load_conversation, shared_files
from workbench.engine.open_chat.mentions import Mentions
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.open_chat.shared import Shared
from workbench.engine.shown.turn_rows import list_turns


class Loading:
    """Shows one chat as it is kept, unless it was closed meanwhile."""

    def __init__(self, scope: ChatScope, shared: Shared, mentions: Mentions) -> None:
        self._scope, self._world, self._shared, self._mentions = scope, scope.world, shared, mentions
        self._reading = asyncio.Lock()

    async def load(self) -> bool:
        """Read and show it; whether it is one that is kept, and is shown now."""
        # One after the other: what was read first must not be shown last.
        async with self._reading:
            if (new := self._shared.new.held(self._scope.chat)) is not None:
                await self._show_new(new)
                return False
            return await self._show_kept()

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
