"""Folders: one that is looked through, and those that open chats follow, whose new files are offered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from workbench.domain.attached import CannotAttach
from workbench.domain.errors import WorkbenchError
from workbench.domain.folder import FollowedFolder
from workbench.domain.shown.folder_view import FollowedRow
from workbench.engine.chats.attaching import NothingAttached
from workbench.engine.events import FoldersFollowed
from workbench.engine.folder_intents import (
    FolderIntent,
    FollowFolder,
    Following,
    SettleNewFiles,
    StopFollowing,
)
from workbench.engine.intents import AttachFiles
from workbench.engine.shown.folder_scan import FolderScans
from workbench.engine.store import StateStore
from workbench.engine.world import World

LOOK_AGAIN_S = 60.0
"""What a watch has missed is seen after this time at the latest."""

SETTLING_S = 0.2
"""Whatever writes one file often writes more: they are offered together."""


@dataclass(slots=True)
class _Followed:
    """The folders of a chat, and what is known to be in each: all files that are wanted, or None where it is gone."""

    folders: tuple[FollowedFolder, ...] = ()
    present: dict[str, frozenset[str] | None] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None


class Folders:
    """Does what is wanted of folders; those that are followed are looked at while their chat is open."""

    def __init__(
        self,
        world: World,
        states: StateStore,
        dispatch: Callable[[AttachFiles], Awaitable[None]],
        write_down: Callable[[str], Awaitable[None]],
    ) -> None:
        self._world, self._states, self._dispatch, self._write_down = world, states, dispatch, write_down
        self._scans = FolderScans(world, states)
        self._chats: dict[str, _Followed] = {}

    async def do(self, intent: FolderIntent) -> None:
        """Look through a folder, or change what is followed."""
        if isinstance(intent, Following):
            await self._follow(intent)
        else:
            await self._scans.do(intent)

    def watch(self, chat: str) -> None:
        """A chat is shown: see what it follows; what is followed already goes on."""
        if chat not in self._chats and self._world.limits.disk_look_s is not None:
            self._chats[chat] = _Followed()
            self._world.tasks.spawn(f"read what {chat} follows", self._begin(chat))
        elif chat in self._chats:
            self._tell(chat)

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        gone = self._chats.pop(chat, None)
        if gone is not None and gone.task is not None:
            gone.task.cancel()

    async def _begin(self, chat: str) -> None:
        followed = self._chats.get(chat)
        if followed is not None:
            try:
                followed.folders = await self._world.store.followed(chat)
            except WorkbenchError:
                self._chats.pop(
                    chat, None
                )  # a store that cannot be read now is asked again when the chat is shown
                return
            self._run(chat, followed)

    async def _follow(self, intent: Following) -> None:
        match intent:
            case FollowFolder(chat, folder):
                await self._write_down(chat)
                known = await self._listed(folder) or frozenset()
                await self._change(chat, folder.path, lambda _: replace(folder, known=known))
            case StopFollowing(chat, path):
                await self._change(chat, path, lambda _: None)
            case SettleNewFiles():
                await self._settle(intent)

    async def _change(
        self, chat: str, path: str, change: Callable[[FollowedFolder | None], FollowedFolder | None]
    ) -> None:
        """Change what is followed at a path, from how it is by then: what takes long comes before."""
        async with self._world.locks.of(chat):
            folders = await self._world.store.followed(chat)
            old = next((one for one in folders if one.path == path), None)
            new = change(old)
            if new is None:
                folders = tuple(one for one in folders if one is not old)
            elif old is None:
                folders = (*folders, new)
            else:
                folders = tuple(new if one is old else one for one in folders)
            await self._world.store.save_followed(chat, folders)
        if chat in self._states.state.open:
            followed = self._chats.setdefault(chat, _Followed())
            followed.folders = folders
            self._run(chat, followed)

    async def _settle(self, intent: SettleNewFiles) -> None:
        """Only what was offered is settled: what came while somebody read is news still."""
        row = next((one for one in self._rows(intent.chat) if one.path == intent.path), None)
        if row is None:
            return
        followed = self._chats[intent.chat]
        try:
            if intent.attach and row.new:
                folder = next(one for one in followed.folders if one.path == row.path)
                paths = tuple(PurePath(folder.path, path).as_posix() for path in row.new)
                await self._dispatch(AttachFiles(intent.chat, paths, folder.priority, folder.path))
        except (CannotAttach, NothingAttached):
            # What cannot be read is said once, and not offered again and again.
            await self._settled(intent, row)
            raise
        await self._settled(intent, row)

    async def _settled(self, intent: SettleNewFiles, row: FollowedRow) -> None:
        followed = self._chats.get(intent.chat)
        present = None if followed is None else followed.present.get(row.path)

        def without_news(folder: FollowedFolder | None) -> FollowedFolder | None:
            if folder is None:
                return None  # nobody follows it any more
            there = folder.known if present is None else folder.known & present
            return replace(folder, known=there | frozenset(row.new))

        await self._change(intent.chat, row.path, without_news)

    def _run(self, chat: str, followed: _Followed) -> None:
        if followed.task is not None:
            followed.task.cancel()
            followed.task = None
        self._tell(chat)
        if followed.folders and self._world.limits.disk_look_s is not None:
            work = self._watch(chat, followed)
            followed.task = self._world.tasks.spawn(f"follow the folders of {chat}", work)

    async def _watch(self, chat: str, followed: _Followed) -> None:
        clock = asyncio.get_running_loop()
        rest_s = self._world.limits.folder_rest_s if self._world.folder_watch is not None else 0.0
        while self._chats.get(chat) is followed:
            # The watch begins before the look: what comes in between is not missed.
            changed = self._world.tasks.start(f"wait for changes of {chat}", self._changed(followed))
            try:
                with suppress(WorkbenchError):
                    for folder in followed.folders:
                        followed.present[folder.path] = await self._listed(folder)
                    self._tell(chat)
                looked = clock.time()
                await changed
            finally:
                changed.cancel()
            await asyncio.sleep(max(SETTLING_S, rest_s - (clock.time() - looked)))

    async def _changed(self, followed: _Followed) -> None:
        folders = [
            one.path for one in followed.folders if followed.present.get(one.path, frozenset()) is not None
        ]
        watch, poll_s = self._world.folder_watch, self._world.limits.disk_look_s or 0.0
        if watch is None or not folders:
            await asyncio.sleep(poll_s)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN_S):
                await watch.changed(folders)

    async def _listed(self, folder: FollowedFolder) -> frozenset[str] | None:
        """All files of a folder that would be offered, were they new; None where it cannot be read."""
        scan = await self._world.attachments.scan(folder.path, folder.rules)
        if scan is None:
            return None
        found: set[str] = set()
        try:
            while batch := await scan.more():
                found.update(entry.path for entry in batch if folder.wants(entry))
        finally:
            await scan.close()
        return frozenset(found)

    def _rows(self, chat: str) -> tuple[FollowedRow, ...]:
        opened, followed = self._states.state.open.get(chat), self._chats.get(chat)
        if opened is None or followed is None:
            return ()
        attached = {one.key for one in opened.conversation.attached}
        return tuple(
            self._row(one, followed.present.get(one.path, one.known), attached) for one in followed.folders
        )

    def _row(self, folder: FollowedFolder, present: frozenset[str] | None, attached: set[str]) -> FollowedRow:
        if present is None:
            return FollowedRow(folder.path, there=False)
        new = [
            path for path in present - folder.known if PurePath(folder.path, path).as_posix() not in attached
        ]
        return FollowedRow(folder.path, tuple(sorted(new)), len(folder.known - present))

    def _tell(self, chat: str) -> None:
        opened, rows = self._states.state.open.get(chat), self._rows(chat)
        if opened is not None and opened.followed != rows:
            self._states.emit(FoldersFollowed(chat, rows))
