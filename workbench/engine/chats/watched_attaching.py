"""Attaching that can be seen and ended while it goes on."""

from __future__ import annotations

import asyncio

from workbench.domain.files.attached import AttachProgress
from workbench.engine.chats.attaching import AttachingWatch, Told, attach_files
from workbench.engine.chats.changes import change_chat
from workbench.engine.events import ChatShown
from workbench.engine.intents import AttachFiles, ChatChange
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper
from workbench.engine.world import World

TELL_S = 0.1
"""How often it is told at most how far it is."""


class WatchedAttaching:
    """Attaches files, one order a chat at a time; how far it is, is told where it takes a while."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._stoppers: dict[str, Stopper] = {}

    async def change(self, intent: ChatChange) -> Told:
        """Do a change of a chat; only attaching files takes a while."""
        return await (
            self.attach(intent) if isinstance(intent, AttachFiles) else change_chat(intent, self._world)
        )

    async def attach(self, intent: AttachFiles) -> Told:
        """Attach files; what was read before somebody ended it stays."""
        chat, loop = intent.chat, asyncio.get_running_loop()
        stopper = self._stoppers[chat] = Stopper(self._world.tasks)
        told_at = loop.time()

        def moved(progress: AttachProgress) -> None:
            nonlocal told_at
            if loop.time() - told_at >= TELL_S:
                told_at = loop.time()
                self._states.emit(ChatShown(chat, {"attaching": progress}))

        try:
            return await attach_files(intent, self._world, AttachingWatch(moved, stopper))
        finally:
            self._stoppers.pop(chat, None)
            opened = self._states.state.open.get(chat)
            if opened is not None and opened.attaching is not None:
                self._states.emit(ChatShown(chat, {"attaching": None}))

    def stop(self, chat: str) -> None:
        if chat in self._stoppers:
            self._stoppers[chat].stop()
