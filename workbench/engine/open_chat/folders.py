"""Followed folders of an open chat: their new files are offered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.folder_index import FolderProgress
from workbench.domain.shown.attachment_view import FollowedRow
from workbench.engine.attaching_intents import (
    FollowFolder,
    Following,
    PauseIndexing,
    SettleNewFiles,
    StopFollowing,
)
from workbench.engine.chats.attaching import NothingAttached
from workbench.engine.events import ChatShown
from workbench.engine.intents import AttachFiles
from workbench.engine.open_chat.scope import ChatScope, Shared

LOOK_AGAIN_S = 60.0
"""What a watch has missed is seen after this time at the latest."""

SETTLING_S = 0.2
"""Rest after a change: whatever writes one file often writes more, and they are offered together.

No debounce: a folder that is written to all the time would never be looked at.
"""


class Folders:
    """Watches the folders that a chat follows, while it is open."""

    def __init__(self, scope: ChatScope, shared: Shared) -> None:
        self._scope, self._world, self._shared = scope, scope.world, shared
        self._folders: tuple[FollowedFolder, ...] = ()
        # All files that are wanted in each, or None where it is gone.
        self._present: dict[str, frozenset[str] | None] = {}
        self._progress: dict[str, FolderProgress] = {}
        self._begun = False
        self._task: asyncio.Task[None] | None = None

    def watch(self) -> None:
        """Start watching the followed folders; those watched already go on."""
        if self._begun:
            self._tell()
        elif self._world.limits.disk_look_s is not None:
            self._begun = True
            self._scope.spawn(f"read what {self._scope.chat} follows", self._begin())

    async def do(self, intent: Following) -> None:
        match intent:
            case FollowFolder(chat, folder):
                await self._shared.new.write_down(chat)
                known = frozenset() if folder.searched else await self._listed(folder) or frozenset()
                await self._change(folder.path, lambda _: replace(folder, known=known))
            case StopFollowing(_, path):
                await self._change(path, lambda _: None)
            case PauseIndexing(_, path, paused):
                if self._world.folders is not None:
                    await self._world.folders.indexer.pause(path, paused)
                    self._run()
            case SettleNewFiles():
                await self._settle(intent)

    async def _begin(self) -> None:
        try:
            self._folders = await self._world.store.followed(self._scope.chat)
        except WorkbenchError:
            self._begun = False  # a store that cannot be read now is asked again when the chat is shown
            return
        self._run()

    async def _change(
        self, path: str, change: Callable[[FollowedFolder | None], FollowedFolder | None]
    ) -> None:
        """Change the entry of a followed path, based on its state at that time."""
        chat = self._scope.chat
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
        if self._scope.state is not None:
            if [one.path for one in folders if one.searched] != [
                one.path for one in self._folders if one.searched
            ]:
                await self._scope.reload()
            self._begun, self._folders = True, folders
            self._run()

    async def _settle(self, intent: SettleNewFiles) -> None:
        """Attach or dismiss the new files that were offered; later ones stay news."""
        row = next((one for one in self._rows() if one.path == intent.path), None)
        if row is None:
            return
        try:
            if intent.attach and row.new:
                folder = next(one for one in self._folders if one.path == row.path)
                paths = tuple(PurePath(folder.path, path).as_posix() for path in row.new)
                await self._shared.attach(AttachFiles(intent.chat, paths, folder.priority, folder.path))
        except (CannotAttach, NothingAttached):
            # What cannot be read is said once, and not offered again and again.
            await self._settled(row)
            raise
        await self._settled(row)

    async def _settled(self, row: FollowedRow) -> None:
        present = self._present.get(row.path)

        def without_news(folder: FollowedFolder | None) -> FollowedFolder | None:
            if folder is None:
                return None  # nobody follows it any more
            there = folder.known if present is None else folder.known & present
            return replace(folder, known=there | frozenset(row.new))

        await self._change(row.path, without_news)

    def _run(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._tell()
        if self._folders and self._world.limits.disk_look_s is not None:
            self._task = self._scope.spawn(f"follow the folders of {self._scope.chat}", self._watch())

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop()
        rest_s = self._world.limits.folder_rest_s if self._world.folder_watch is not None else 0.0
        while True:
            # The watch begins before the look: what comes in between is not missed.
            changed = self._world.tasks.start(f"wait for changes of {self._scope.chat}", self._changed())
            try:
                with suppress(WorkbenchError):
                    for folder in self._folders:
                        if folder.searched:
                            await self._index(folder.path)
                        else:
                            self._present[folder.path] = await self._listed(folder)
                    self._tell()
                looked = clock.time()
                await changed
            finally:
                changed.cancel()
            await asyncio.sleep(max(SETTLING_S, rest_s - (clock.time() - looked)))

    async def _changed(self) -> None:
        folders = [one.path for one in self._folders if self._present.get(one.path, frozenset()) is not None]
        watch, poll_s = self._world.folder_watch, self._world.limits.disk_look_s or 0.0
        if watch is None or not folders:
            await asyncio.sleep(poll_s)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN_S):
                await watch.changed(folders)

    async def _index(self, path: str) -> None:
        """Bring the index of a searched folder up to date; where that changed anything, it is searched again."""
        folders = self._world.folders
        if folders is None:
            return
        if path not in self._progress:
            self._note(await folders.indexer.progress(path))
        ended = await folders.update(path, self._note)
        if ended.done:
            await self._scope.reload()

    def _note(self, progress: FolderProgress) -> None:
        self._progress[progress.path] = progress
        self._present[progress.path] = None if progress.state == "not found" else frozenset()
        self._tell()

    async def _listed(self, folder: FollowedFolder) -> frozenset[str] | None:
        """All files of a folder that would be offered if they were new; None if it cannot be read."""
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

    def _rows(self) -> tuple[FollowedRow, ...]:
        state = self._scope.state
        attached = set() if state is None else {one.key for one in state.conversation.attached}
        return tuple(
            FollowedRow(one.path, there=self._there(one), searched=True, progress=self._told(one.path))
            if one.searched
            else _row(one, self._present.get(one.path, one.known), attached)
            for one in self._folders
        )

    def _told(self, path: str) -> FolderProgress | None:
        """How far an index is, with why the last question was searched by words alone."""
        at, folders = self._progress.get(path), self._world.folders
        meaning = None if folders is None else folders.meaning
        return at if at is None or meaning is None else replace(at, words_only=meaning.problem)

    def _there(self, folder: FollowedFolder) -> bool:
        return self._present.get(folder.path, frozenset()) is not None

    def _tell(self) -> None:
        state, rows = self._scope.state, self._rows()
        if state is not None and state.followed != rows:
            self._scope.emit(ChatShown(state.chat.id, {"followed": rows}))


def _row(folder: FollowedFolder, present: frozenset[str] | None, attached: set[str]) -> FollowedRow:
    if present is None:
        return FollowedRow(folder.path, there=False)
    new = [path for path in present - folder.known if PurePath(folder.path, path).as_posix() not in attached]
    return FollowedRow(folder.path, tuple(sorted(new)), len(folder.known - present))
