"""The chats that are in view: each read from the store and shown as it stands, one reading after the other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from workbench.domain.errors import WorkbenchError
from workbench.domain.record import Chat
from workbench.engine.chats.drafts import Drafts
from workbench.engine.chats.new_chats import NewChats
from workbench.engine.chats.queue import Queue
from workbench.engine.conversation import Conversation, shelved
from workbench.engine.events import ChatClosed, ChatLoaded, ChatsListed
from workbench.engine.intents import CloseChat, ListChats, OpenChat, StartChat
from workbench.engine.keeping import load_conversation, shared_files
from workbench.engine.learning import Learning
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.shown.disk_watch import DiskWatch
from workbench.engine.shown.folders import Folders
from workbench.engine.shown.mentions_ahead import MentionsAhead
from workbench.engine.shown.turn_rows import list_turns
from workbench.engine.store import StateStore
from workbench.engine.world import ChatLocks, World


@dataclass(frozen=True, slots=True)
class Beside:
    """What goes along with a chat that is opened, shown again or closed."""

    new: NewChats
    drafts: Drafts
    queue: Queue
    open: OpenChats
    disk: DiskWatch
    mentions: MentionsAhead
    folders: Folders
    learning: Learning


class ChatsInView:
    """Opens and closes chats, and shows those that are open as they are."""

    def __init__(self, world: World, states: StateStore, beside: Beside) -> None:
        self._world, self._states, self._beside = world, states, beside
        self._loading = ChatLocks()
        self._in_view: set[str] = set()

    async def do(self, intent: ListChats | StartChat | OpenChat | CloseChat) -> None:
        """Open, close or list chats."""
        match intent:
            case ListChats():
                self._states.emit(ChatsListed(await self._world.store.chats()))
            case StartChat(chat):
                self._begin(chat)
                await self._beside.new.begin(intent)
                await self.load(chat)
            case OpenChat(chat):
                self._begin(chat)
                await self.load(chat)
            case CloseChat(chat):
                self._close(chat)
                # Now and then, so that they do not pile up until the end; without them they are counted again.
                with suppress(WorkbenchError):
                    await self._beside.open.keep_counts()
            case _:
                assert_never(intent)

    async def again(self, chat: str) -> None:
        """Show a chat as it is now, if it is in view."""
        if chat in self._states.state.open:
            await self.load(chat)

    async def load(self, chat: str) -> None:
        """Read a chat and show it, unless it was closed meanwhile."""
        store, beside = self._world.store, self._beside
        # One after the other: what was read first must not be shown last.
        async with self._loading.of(chat):
            if (new := beside.new.held(chat)) is not None:
                await self._show_new(new, await beside.drafts.newest(chat))
                return
            await self._world.workspaces.ready()
            kept = await store.chat(chat)
            path = await store.path(chat)
            conversation = await load_conversation(store, chat, path=path)
            pictures = await self._world.pictures.fill(conversation, store)
            opened = self._states.state.open.get(chat)
            if opened is None:
                await beside.open.know_counts(kept, conversation)
            listed = await list_turns(store, chat, path, () if opened is None else opened.turns)
            # Last of all: words may be given back while the rest is read.
            draft = await beside.drafts.newest(chat)
            if chat not in self._in_view:
                return  # closed while it was read
            beside.mentions.opened(chat, draft)
            self._states.emit(ChatLoaded(kept, conversation, path, draft, pictures.shown()))
            self._states.emit(listed)
        await beside.queue.load(chat)
        beside.open.refresh(chat)
        beside.disk.watch(chat)
        beside.folders.watch(chat)

    async def _show_new(self, chat: Chat, draft: str) -> None:
        """Show a chat that is not kept yet, and has nothing in it but what its workspace gives it."""
        await self._world.workspaces.ready()
        files = await shared_files(self._world.store, chat.id, chat.filed.workspace)
        if chat.id in self._in_view:
            conversation = shelved(Conversation(chat.id, attached=files), files)
            self._states.emit(ChatLoaded(chat, conversation, (), draft))
            self._beside.open.refresh(chat.id)

    def _begin(self, chat: str) -> None:
        self._in_view.add(chat)
        self._beside.learning.begin()

    def _close(self, chat: str) -> None:
        beside = self._beside
        self._in_view.discard(chat)
        self._states.emit(ChatClosed(chat))
        beside.open.close(chat)
        for one in (beside.disk, beside.mentions, beside.folders, self._world.pictures):
            one.forget(chat)
