"""Chats that were begun and have nothing in them yet: they are kept with the first thing that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.domain.record import Chat
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

    def begin(self, intent: StartChat) -> None:
        """Hold a new chat."""
        now = self._world.utc.utc_now()
        self._held[intent.chat] = chat_of(intent, now)

    def held(self, chat: str) -> Chat | None:
        """The chat, where it is not kept yet."""
        return self._held.get(chat)

    def change(self, intent: ChatChange) -> bool:
        """Do a change that leaves a chat as empty as it was; whether that is all there is to do."""
        held = self._held.get(intent.chat)
        if held is None:
            return False
        match intent:
            case ChangeSettings():
                self._held[intent.chat] = replace(held, settings=intent.settings)
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
