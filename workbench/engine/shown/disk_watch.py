"""Watches attached files of open chats: one that changes is read anew before it is sent, or shown as changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from workbench.domain.attached import FileSight, KeptCopy
from workbench.domain.attachment import Artifact
from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.attachment_view import DiskState, FileFacts
from workbench.engine.chats.attaching import FILES, Told, refresh_files
from workbench.engine.chats.parts import PARTED, part_of
from workbench.engine.events import DiskChecked, FilesKnown, NoticeGiven
from workbench.engine.store import StateStore
from workbench.engine.world import ChatLocks, World
from workbench.ports.attaching import FolderWatch

_MOST_DOUBLINGS = 7
_MOST_FOLDERS = 64
_NOTICE_S, _AGAIN_S = 10.0, 0.5
_TOLD = "be told of attached files"


@dataclass(slots=True)
class _Renewal:
    """A file that was read anew since the last request: when it had changed, and when it is read by itself again."""

    changed_utc: str
    times: int
    again_at: float
    sha256: str = ""


@dataclass(slots=True)
class _Watched:
    """A chat: the copies of what is attached, what was last seen of each, and what was read anew.

    `changed` counts how often what is attached may have become another, `known` is that of the copies.
    """

    changed: int = 0
    known: int = -1
    copies: dict[str, KeptCopy] = field(default_factory=dict)
    sights: dict[str, FileSight] = field(default_factory=dict)
    renewals: dict[str, _Renewal] = field(default_factory=dict)

    def shown(self) -> dict[str, tuple[DiskState, str]]:
        """What became of each file, as it is shown."""
        return {key: self._shown(key, sight) for key, sight in self.sights.items()}

    def _shown(self, key: str, sight: FileSight) -> tuple[DiskState, str]:
        copy, renewal = self.copies[key], self.renewals.get(key)
        if sight.state == "changed" and sight.sha256 and sight.sha256 == copy.refused:
            return "frozen", sight.changed_utc
        if sight.state == "same" and renewal is not None and renewal.sha256 == copy.sha256:
            return "renewed", renewal.changed_utc
        return sight.state, sight.changed_utc

    def outdated(self) -> list[str]:
        """Files to be read anew: attached on this computer, changed since, and nobody chose the copy over that."""
        return [
            key for key, (state, _) in self.shown().items() if state == "changed" and self.copies[key].place
        ]

    def know(self, copies: dict[str, KeptCopy]) -> None:
        """Hold files against these copies; what was seen of another copy says nothing about this one."""
        old = self.copies
        self.sights = {
            key: sight
            for key, sight in self.sights.items()
            if key in copies and copies[key].sha256 == old[key].sha256 and copies[key].place == old[key].place
        }
        self.copies = copies


@dataclass(frozen=True, slots=True)
class Following:
    """What follows from a change on the disk.

    Attributes:
        orders: held while files are read anew, as by every change of a chat.
        reload: shows a chat as it is kept; shown: is told of a chat whose files are seen otherwise.
    """

    orders: ChatLocks
    reload: Callable[[str], Awaitable[None]]
    shown: Callable[[str], None]


class DiskWatch:
    """Looks at attached files every few moments while their chat is open, and once more before a request is built.

    Where the newest is to be sent, what has changed is read anew at once, so that the next request shows it. A file
    that is written all the time is read by itself ever more rarely, since every copy is kept; but before every request.
    """

    def __init__(self, world: World, states: StateStore, following: Following) -> None:
        self._world, self._states, self._following = world, states, following
        self._watched: dict[str, _Watched] = {}
        self._facts: dict[str, dict[str, FileFacts]] = {}
        self._wake = asyncio.Event()
        self._running = False

    def watch(self, chat: str) -> None:
        """A chat is open, or what is attached to it has changed: look soon."""
        self._watched.setdefault(chat, _Watched()).changed += 1
        self._wake.set()
        if not self._running and self._world.limits.disk_look_s is not None:
            self._running = True
            self._world.tasks.spawn("watch attached files", self._run())
            if self._world.folder_watch is not None and not self._world.tasks.is_at(_TOLD):
                self._world.tasks.spawn(_TOLD, self._notices(self._world.folder_watch))

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        self._watched.pop(chat, None)
        self._facts.pop(chat, None)

    def sent(self, chat: str) -> None:
        """A request went out with what was read anew: that is no news any more."""
        watched = self._watched.get(chat)
        if watched is not None and watched.renewals:
            watched.renewals.clear()
            self._tell(chat, watched)

    async def before_sending(self, chat: str) -> bool:
        """Read anew what has changed since the last look, where the newest is to be sent; whether there was anything.

        Called by who holds the chat's order. What cannot be read is sent as it was, which its row says.
        """
        if not await self._follows(chat):
            return False
        watched = self._watched.get(chat) or _Watched()
        await self._look(chat, watched)
        keys = watched.outdated()
        if not keys:
            return False
        told = await self._renew(chat, watched, keys)
        stayed = {one.path for one in told.left_out}
        read = [key for key in keys if key not in stayed]
        words = " ".join(filter(None, (_read_words(read), told.text)))
        self._states.emit(NoticeGiven(chat, words, told.left_out))
        return bool(read)

    async def _run(self) -> None:
        try:
            while self._watched:
                self._wake.clear()
                for chat, watched in tuple(self._watched.items()):
                    # A store that cannot be read now is asked again in a moment.
                    with suppress(WorkbenchError):
                        await self._look(chat, watched)
                        await self._renew_by_itself(chat, watched)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._world.limits.disk_look_s):
                        await self._wake.wait()
        finally:
            self._running = False

    async def _notices(self, watch: FolderWatch) -> None:
        """Look at once when the system tells that something changed beside an attached file, and not a moment later."""
        while self._watched:
            copies = [copy for one in self._watched.values() for copy in one.copies.values()]
            folders = sorted({str(PurePath(copy.place).parent) for copy in copies if copy.place})[
                :_MOST_FOLDERS
            ]
            if folders:
                with suppress(TimeoutError):
                    # What is attached may lie elsewhere by then.
                    async with asyncio.timeout(_NOTICE_S):
                        await watch.changed(folders, below=False)
                        self._wake.set()
            else:
                await asyncio.sleep(_AGAIN_S)

    async def _renew_by_itself(self, chat: str, watched: _Watched) -> None:
        if not self._due(watched) or not await self._follows(chat):
            return
        async with self._following.orders.of(chat):
            # Something else may have been decided while others had their turn.
            await self._look(chat, watched)
            keys = self._due(watched)
            if keys and self._watched.get(chat) is watched and await self._follows(chat):
                await self._renew(chat, watched, keys)

    def _due(self, watched: _Watched) -> list[str]:
        now, renewals = asyncio.get_running_loop().time(), watched.renewals
        return [key for key in watched.outdated() if key not in renewals or renewals[key].again_at <= now]

    async def _renew(self, chat: str, watched: _Watched, keys: Sequence[str]) -> Told:
        before = {key: watched.copies[key].sha256 for key in keys}
        for key in keys:
            times = watched.renewals[key].times + 1 if key in watched.renewals else 0
            wait_s = (self._world.limits.disk_look_s or 0.0) * 2 ** min(times, _MOST_DOUBLINGS)
            again_at = asyncio.get_running_loop().time() + wait_s
            watched.renewals[key] = _Renewal(watched.sights[key].changed_utc, times, again_at)
        told = await refresh_files(chat, keys, self._world)
        await self._following.reload(chat)
        watched.changed += 1
        await self._know(chat, watched)
        for key in keys:
            if key in watched.copies and watched.copies[key].sha256 != before[key]:
                watched.renewals[key].sha256 = watched.copies[key].sha256
        await self._look(chat, watched)
        return told

    async def _look(self, chat: str, watched: _Watched) -> None:
        number = await self._know(chat, watched)
        copies = watched.copies
        wanted = [
            (replace(copy, key=copy.place or key), watched.sights.get(key)) for key, copy in copies.items()
        ]
        seen = await self._world.attachments.look(wanted) if wanted else ()
        # Meanwhile what is attached may have changed: then nothing is said.
        if watched.changed == number and watched.copies is copies:
            watched.sights = dict(zip(copies, seen, strict=True))
            self._tell(chat, watched)

    async def _know(self, chat: str, watched: _Watched) -> int:
        """Have the copies of what is attached; which state of it they are about."""
        number = watched.changed
        if watched.known != number:
            watched.know(await self._copies(chat))
            watched.known = number
            self._tell_files(chat, watched)
        return number

    async def _follows(self, chat: str) -> bool:
        opened = self._states.state.open.get(chat)
        kept = opened.chat if opened is not None else await self._world.store.chat(chat)
        return kept.settings.freshness != "freeze"

    async def _copies(self, chat: str) -> dict[str, KeptCopy]:
        """The newest copy of each file; what was pasted has none that could be held against a file."""
        attached = {one.key: one for one in await self._attached(chat)}
        if not attached:
            return {}
        copies = await self._world.store.copies(chat)
        newest = {
            copy.key: copy
            for copy in copies
            if copy.key in attached and attached[copy.key].content_digest == copy.text_digest
        }
        self._facts[chat] = {key: _facts(copy, attached[key]) for key, copy in newest.items()}
        return {key: copy for key, copy in newest.items() if attached[key].kind in FILES}

    def _tell_files(self, chat: str, watched: _Watched) -> None:
        opened, files = self._states.state.open.get(chat), self._facts.get(chat, {})
        if opened is not None and self._watched.get(chat) is watched and opened.files != files:
            self._states.emit(FilesKnown(chat, files))

    async def _attached(self, chat: str) -> Sequence[Artifact]:
        opened = self._states.state.open.get(chat)
        return opened.conversation.attached if opened is not None else await self._world.store.attached(chat)

    def _tell(self, chat: str, watched: _Watched) -> None:
        opened, disk = self._states.state.open.get(chat), watched.shown()
        if opened is not None and self._watched.get(chat) is watched and opened.disk != disk:
            self._states.emit(DiskChecked(chat, disk))
            self._following.shown(chat)


def _facts(copy: KeptCopy, attached: Artifact) -> FileFacts:
    anchor = part_of(copy.key, copy.place) if attached.kind in PARTED else ""
    return FileFacts(copy.read_as, copy.sha256, copy.size_bytes, anchor, copy.taken_utc)


def _read_words(keys: Sequence[str]) -> str:
    if not keys:
        return ""
    if len(keys) > 1:
        return f"{len(keys)} files had changed: they were read anew before sending."
    return f"{PurePath(keys[0]).name} had changed: it was read anew before sending."
