"""Watches attached files of open chats, so that a change on the disk is seen before the next request is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from workbench.domain.attached import FileSight, KeptCopy
from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.attachment_view import DiskState
from workbench.engine.events import DiskChecked
from workbench.engine.intents import FreezeArtifacts
from workbench.engine.store import StateStore
from workbench.engine.world import World

Versions = tuple[tuple[str, str], ...]
"""What is attached, by key and digest of the text: a file that was read anew is held against its new copy."""

_FILES = frozenset({"file", "image"})


@dataclass(slots=True)
class _Watched:
    """An open chat: the copies of what is attached, what was last seen of each, and what was chosen to stay."""

    versions: Versions = ()
    copies: dict[str, KeptCopy] = field(default_factory=dict)
    sights: dict[str, FileSight] = field(default_factory=dict)
    frozen: dict[str, FileSight] = field(default_factory=dict)

    def shown(self) -> dict[str, tuple[DiskState, str]]:
        """What became of each file, as it is shown."""
        return {key: (self._state(key, sight), sight.changed_utc) for key, sight in self.sights.items()}

    def _state(self, key: str, sight: FileSight) -> DiskState:
        return "frozen" if self.frozen.get(key) == sight else sight.state


class DiskWatch:
    """Looks at attached files every few moments while their chat is open; `shown` is told of a chat with news.

    What was chosen to stay is remembered as long as the chat is open.
    """

    def __init__(self, world: World, states: StateStore, shown: Callable[[str], None]) -> None:
        self._world, self._states, self._shown = world, states, shown
        self._watched: dict[str, _Watched] = {}
        self._wake = asyncio.Event()
        self._running = False

    def watch(self, chat: str) -> None:
        """A chat is open, or what is attached to it has changed: look soon."""
        self._watched.setdefault(chat, _Watched())
        self._wake.set()
        if not self._running:
            self._running = True
            self._world.tasks.spawn("watch attached files", self._run())

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        self._watched.pop(chat, None)

    def freeze(self, intent: FreezeArtifacts) -> None:
        """Go on with the copies of files that differ from them, until they change again."""
        watched = self._watched.get(intent.chat)
        if watched is None:
            return
        differing = {key: one for key, one in watched.sights.items() if one.state != "same"}
        watched.frozen |= {key: differing[key] for key in intent.keys if key in differing}
        self._tell(intent.chat, watched.shown())

    async def _run(self) -> None:
        try:
            while self._watched:
                self._wake.clear()
                for chat, watched in tuple(self._watched.items()):
                    # A store that cannot be read now is asked again in a moment.
                    with suppress(WorkbenchError):
                        await self._look(chat, watched)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._world.limits.disk_look_s):
                        await self._wake.wait()
        finally:
            self._running = False

    async def _look(self, chat: str, watched: _Watched) -> None:
        versions = self._versions(chat)
        if versions != watched.versions:
            watched.copies = await self._copies(chat, versions)
            watched.versions = versions
            # Seen of another version, it says nothing about this one.
            watched.sights = {}
        copies = watched.copies
        wanted = [(copy, watched.sights.get(key)) for key, copy in copies.items()]
        seen = await self._world.attachments.look(wanted) if wanted else ()
        # Meanwhile the chat may have been closed, or what is attached may have changed: then nothing is said.
        if self._watched.get(chat) is watched and self._versions(chat) == versions:
            watched.sights = dict(zip(copies, seen, strict=True))
            self._tell(chat, watched.shown())

    def _versions(self, chat: str) -> Versions:
        opened = self._states.state.open.get(chat)
        attached = () if opened is None else opened.conversation.attached
        return tuple((one.key, one.content_digest) for one in attached if one.kind in _FILES)

    async def _copies(self, chat: str, versions: Versions) -> dict[str, KeptCopy]:
        """The newest copy of each version; what was pasted has none that could be held against a file."""
        if not versions:
            return {}
        kept = {(copy.key, copy.text_digest): copy for copy in await self._world.store.copies(chat)}
        return {version[0]: kept[version] for version in versions if version in kept}

    def _tell(self, chat: str, disk: Mapping[str, tuple[DiskState, str]]) -> None:
        opened = self._states.state.open.get(chat)
        if opened is not None and opened.disk != disk:
            self._states.emit(DiskChecked(chat, disk))
            self._shown(chat)
