"""Chats that were begun and have nothing in them yet: they are kept with the first thing that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.domain.record import Chat
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.workspace import template_of
from workbench.engine.chats.changes import chat_of, create_chat
from workbench.engine.intents import ChangeSettings, ChatChange, DeleteChat, RestoreChat, StartChat
from workbench.engine.world import World


class NewChats:
    """Holds them until the program ends; `kept` is told when one of them is kept.

    A deleted one stays, too: whoever takes the deletion back finds it as it was.
    """

    def __init__(self, world: World, kept: Callable[[], object]) -> None:
        self._world, self._kept = world, kept
        self._held: dict[str, Chat] = {}

    async def begin(self, intent: StartChat) -> None:
        """Hold a new chat, or keep it at once where it is to be written down."""
        made = chat_of(intent, self._world.utc.utc_now())
        if intent.as_there:
            made = replace(made, settings=await self._settings_there(made))
        if intent.unwritten:
            self._held[intent.chat] = made
        else:
            await create_chat(made, self._world)

    async def _settings_there(self, chat: Chat) -> ContextSettings:
        """How new chats of its workspace are set; as was asked where there is no such workspace."""
        await self._world.workspaces.ready()
        if self._world.workspaces.find(chat.filed.workspace) is None:
            return chat.settings
        return (await self._world.store.chat(template_of(chat.filed.workspace))).settings

    def held(self, chat: str) -> Chat | None:
        return self._held.get(chat)

    def change(self, intent: ChatChange) -> bool:
        """Do a change that leaves a chat as empty as it was; whether that is all there is to do."""
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
        """Keep a chat that is not kept yet; refused, it is still held."""
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
