"""Watches the attached files of an open chat: changed ones are refreshed before sending, or shown as changed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attached import FileSight, KeptCopy
from workbench.domain.files.attachment import Artifact
from workbench.domain.shown.attachment_view import DiskState, FileFacts
from workbench.domain.translation import joined, tr
from workbench.engine.chats.attached_parts import PARTED, part_of
from workbench.engine.chats.attaching import FILES, Told, refresh_files
from workbench.engine.events import ChatShown, NoticeGiven
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.world import ChatLocks
from workbench.ports.attaching import FolderWatch

_MOST_DOUBLINGS = 7
_MOST_FOLDERS = 64
_NOTICE_S = 10.0


@dataclass(slots=True)
class _Renewal:
    """A file refreshed since the last request: when it had changed, and when it may be refreshed again."""

    changed_utc: str
    times: int
    again_at: float
    sha256: str = ""


class DiskWatch:
    """Checks attached files every few moments while their chat is open, and before a request is built.

    Where the newest is to be sent, what has changed is read anew at once, so that the next request shows it. A file
    that is written all the time is read by itself ever more rarely, since every copy is kept; but before every request.
    `orders` are held while files are read anew, as by every change of a chat.
    """

    def __init__(self, scope: ChatScope, orders: ChatLocks) -> None:
        self._scope, self._world, self._orders = scope, scope.world, orders
        self._changed = 0  # how often what is attached may have become another
        self._known = -1  # which of those the copies are about
        self._copies: dict[str, KeptCopy] = {}
        self._sights: dict[str, FileSight] = {}
        self._renewals: dict[str, _Renewal] = {}
        self._facts: dict[str, FileFacts] = {}
        self._wake, self._placed = asyncio.Event(), asyncio.Event()
        self._running = False

    def watch(self) -> None:
        """The chat or its attachments changed: check soon."""
        self._changed += 1
        self._wake.set()
        if not self._running and self._world.limits.disk_look_s is not None:
            self._running = True
            self._scope.spawn(f"watch attached files of {self._scope.chat}", self._run())
            if self._world.folder_watch is not None:
                told = self._await_changes(self._world.folder_watch)
                self._scope.spawn(f"be told of attached files of {self._scope.chat}", told)

    def sent(self) -> None:
        """A request was sent: its refreshed files are no longer marked as news."""
        if self._renewals:
            self._renewals.clear()
            self._tell()

    async def before_sending(self) -> bool:
        """Refresh files changed since the last check, if the newest are to be sent; return whether any were.

        Called by who holds the chat's order. What cannot be read is sent as it was, which its row says.
        """
        if not await self._follows():
            return False
        await self._look()
        keys = self._outdated()
        if not keys:
            return False
        told = await self._refresh(keys)
        stayed = {one.path for one in told.left_out}
        read = [key for key in keys if key not in stayed]
        words = joined(filter(None, (_read_words(read), told.text)))
        self._scope.emit(NoticeGiven(self._scope.chat, words, told.left_out))
        return bool(read)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            # A store that cannot be read now is asked again in a moment.
            with suppress(WorkbenchError):
                await self._look()
                await self._refresh_due()
            idle = self._known == self._changed and not self._copies
            with suppress(TimeoutError):
                async with asyncio.timeout(None if idle else self._world.limits.disk_look_s):
                    await self._wake.wait()

    async def _await_changes(self, watch: FolderWatch) -> None:
        """Check at once when the system reports a change beside an attached file."""
        while True:
            await self._placed.wait()
            folders = sorted(
                {str(PurePath(copy.place).parent) for copy in self._copies.values() if copy.place}
            )
            with suppress(TimeoutError):
                # What is attached may lie elsewhere by then.
                async with asyncio.timeout(_NOTICE_S):
                    await watch.changed(folders[:_MOST_FOLDERS], below=False)
                    self._wake.set()

    async def _refresh_due(self) -> None:
        if self._due() and await self._follows():
            await self._scope.finish(f"read files of {self._scope.chat} anew", self._refresh_locked())

    async def _refresh_locked(self) -> None:
        async with self._orders.of(self._scope.chat):
            # Something else may have been decided while others had their turn.
            await self._look()
            keys = self._due()
            if keys and not self._scope.closed and await self._follows():
                await self._refresh(keys)

    def _due(self) -> list[str]:
        now, renewals = asyncio.get_running_loop().time(), self._renewals
        return [key for key in self._outdated() if key not in renewals or renewals[key].again_at <= now]

    def _outdated(self) -> list[str]:
        """Files to refresh: attached on this computer, changed since, and not frozen."""
        shown = self._shown()
        return [key for key, (state, _) in shown.items() if state == "changed" and self._copies[key].place]

    def _shown(self) -> dict[str, tuple[DiskState, str]]:
        return {key: self._seen(key, sight) for key, sight in self._sights.items()}

    def _seen(self, key: str, sight: FileSight) -> tuple[DiskState, str]:
        copy, renewal = self._copies[key], self._renewals.get(key)
        if sight.state == "changed" and sight.sha256 and sight.sha256 == copy.refused:
            return "frozen", sight.changed_utc
        if sight.state == "same" and renewal is not None and renewal.sha256 == copy.sha256:
            return "renewed", renewal.changed_utc
        return sight.state, sight.changed_utc

    async def _refresh(self, keys: Sequence[str]) -> Told:
        before = {key: self._copies[key].sha256 for key in keys}
        for key in keys:
            times = self._renewals[key].times + 1 if key in self._renewals else 0
            wait_s = (self._world.limits.disk_look_s or 0.0) * 2 ** min(times, _MOST_DOUBLINGS)
            again_at = asyncio.get_running_loop().time() + wait_s
            self._renewals[key] = _Renewal(self._sights[key].changed_utc, times, again_at)
        told = await refresh_files(self._scope.chat, keys, self._world)
        await self._scope.reload()
        self._changed += 1
        await self._load_copies()
        for key in keys:
            if key in self._copies and self._copies[key].sha256 != before[key]:
                self._renewals[key].sha256 = self._copies[key].sha256
        await self._look()
        return told

    async def _look(self) -> None:
        number = await self._load_copies()
        copies = self._copies
        wanted = [
            (replace(copy, key=copy.place or key), self._sights.get(key)) for key, copy in copies.items()
        ]
        seen = await self._world.attachments.look(wanted) if wanted else ()
        # Meanwhile what is attached may have changed: then nothing is said.
        if self._changed == number and self._copies is copies:
            self._sights = dict(zip(copies, seen, strict=True))
            self._tell()

    async def _load_copies(self) -> int:
        """Load the stored copies of attachments; return the revision of the chat they belong to."""
        number = self._changed
        if self._known != number:
            self._compare_with(await self._read_copies())
            self._known = number
            state = self._scope.state
            if state is not None and state.files != self._facts:
                self._scope.emit(ChatShown(state.chat.id, {"files": self._facts}))
        return number

    def _compare_with(self, copies: dict[str, KeptCopy]) -> None:
        """Compare files with these copies from now on; results about other copies are dropped."""
        old, self._copies = self._copies, copies
        self._sights = {
            key: sight
            for key, sight in self._sights.items()
            if key in copies and copies[key].sha256 == old[key].sha256 and copies[key].place == old[key].place
        }
        if any(copy.place for copy in copies.values()):
            self._placed.set()
        else:
            self._placed.clear()

    async def _follows(self) -> bool:
        state = self._scope.state
        kept = state.chat if state is not None else await self._world.store.chat(self._scope.chat)
        return kept.settings.freshness != "freeze"

    async def _read_copies(self) -> dict[str, KeptCopy]:
        """The newest copy of each attached file; pasted content has none."""
        chat, state, store = self._scope.chat, self._scope.state, self._world.store
        found = state.conversation.attached if state is not None else await store.attached(chat)
        attached = {one.key: one for one in found}
        copies = await store.copies(chat) if attached else ()
        newest = {
            copy.key: copy
            for copy in copies
            if copy.key in attached and attached[copy.key].content_digest == copy.text_digest
        }
        if attached:
            self._facts = {key: _facts(copy, attached[key]) for key, copy in newest.items()}
        return {key: copy for key, copy in newest.items() if attached[key].kind in FILES}

    def _tell(self) -> None:
        state, disk = self._scope.state, self._shown()
        if state is not None and state.disk != disk:
            self._scope.emit(ChatShown(state.chat.id, {"disk": disk}))
            self._scope.refresh()


def _facts(copy: KeptCopy, attached: Artifact) -> FileFacts:
    anchor = part_of(copy.key, copy.place) if attached.kind in PARTED else ""
    return FileFacts(copy.read_as, copy.sha256, copy.size_bytes, anchor, copy.taken_utc)


def _read_words(keys: Sequence[str]) -> str:
    if not keys:
        return ""
    if len(keys) > 1:
        return tr("{n} files had changed: they were refreshed before sending.", n=len(keys))
    return tr("{name} had changed: it was refreshed before sending.", name=PurePath(keys[0]).name)
