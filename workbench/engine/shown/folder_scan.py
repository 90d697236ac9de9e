"""Scans a folder for the dialog that adds one: lists it, then counts its texts; can be stopped at any time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import assert_never

from workbench.context.count.counting import is_guess, picture_tokens
from workbench.context.request_cost import attached_tokens
from workbench.domain.files.attached import Attached, CannotAttach
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.folder import FileCount, FileText, FolderEntry
from workbench.domain.message import Image
from workbench.domain.model import ModelCard
from workbench.domain.settings.context_settings import CounterName
from workbench.domain.shown.attachment_view import FolderView
from workbench.domain.translation import tr
from workbench.engine.assembly.counters import Counters
from workbench.engine.attaching_intents import CountFiles, LeaveFolder, ScanFolder, StopScan
from workbench.engine.events import ProgramShown
from workbench.engine.store import StateStore
from workbench.engine.world import World
from workbench.ports.attaching import FolderScan

READ_AHEAD = 256
COUNTED_AT_ONCE = frozenset({"code", "text", "data", "log", "other"})
"""Documents and pictures are read only when they are chosen."""
COUNTED_LAST = frozenset({"log", "other"})
"""They are often long, and seldom what somebody is after."""


@dataclass(frozen=True, slots=True)
class FileCounting:
    """Counts texts as they would be attached; used in a thread."""

    counters: Counters
    name: CounterName
    card: ModelCard
    folder: str

    def texts(self, found: Sequence[FileText]) -> list[FileCount]:
        return [self._text(one) for one in found]

    def attached(self, path: str, read: Attached) -> FileCount:
        """Tokens of a document or picture as it would be attached."""
        if read.picture is not None:
            size = Image(read.sha256, None, read.picture.width, read.picture.height)
            rule = self.card.pictures
            return FileCount(path, picture_tokens(size, rule), not is_guess(size, rule))
        return self._text(FileText(path, read.artifact.text))

    def _text(self, found: FileText) -> FileCount:
        if found.text is None:
            return FileCount(found.path, standing=found.standing, reason=found.reason)
        counter = self.counters.counter(self.name, self.card)
        told = f"{PurePath(self.folder).name}/{found.path}"
        cost = attached_tokens(Artifact(found.path, "file", found.text, name=told), counter)
        return FileCount(found.path, cost, counter.exact and counter.settled)


class FolderScans:
    """Scans one folder at a time, showing results as they come."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._number = 0
        self._view: FolderView | None = None
        self._chat = ""
        self._task: asyncio.Task[None] | None = None
        self._asked: set[str] = set()

    async def do(self, intent: ScanFolder | CountFiles | StopScan | LeaveFolder) -> None:
        match intent:
            case ScanFolder(chat, path, rules):
                self._end()
                self._number += 1
                self._chat, self._asked = chat, set()
                self._show(FolderView(self._number, path, rules))
                self._task = self._world.tasks.spawn(f"look through {path}", self._look(intent))
            case CountFiles(paths):
                self._count_documents(paths)
            case StopScan():
                if self._view is not None and not self._view.over:
                    self._end()
                    self._show(replace(self._view, over=True, stopped=True, at=""))
            case LeaveFolder():
                self._end()
                self._show(None)
            case _:
                assert_never(intent)

    def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _show(self, view: FolderView | None) -> None:
        self._view = view
        self._states.emit(ProgramShown({"folder": view}))

    async def _look(self, intent: ScanFolder) -> None:
        scan = await self._world.attachments.scan(intent.path, intent.rules)
        if scan is None:
            self._tell(problem=tr("There is no such folder, or it cannot be read."), over=True)
            return
        try:
            await self._list(scan)
            await self._count(scan)
            self._tell(over=True, at="")
        finally:
            # Whoever ended the look does not wait for a disk that is slow.
            self._world.tasks.spawn("let go of a folder", scan.close())

    async def _list(self, scan: FolderScan) -> None:
        while batch := await scan.more():
            view = self._seen()
            more = sum(_is_counted(entry) for entry in batch)
            self._tell(entries=(*view.entries, *batch), to_count=view.to_count + more)
        self._tell(listed=True)

    async def _count(self, scan: FolderScan) -> None:
        wanted = [entry for entry in self._seen().entries if _is_counted(entry)]
        left = [entry.path for entry in sorted(wanted, key=lambda entry: entry.kind in COUNTED_LAST)]
        counting = self._counting()
        try:
            while left:
                self._tell(at=left[0])
                texts = await scan.texts(left[:READ_AHEAD])
                found = await asyncio.to_thread(counting.texts, texts)
                del left[: len(texts)]
                odd = [one.path for one in texts if one.text is None and one.standing == "open"]
                found = [one for one in found if one.path not in set(odd)]
                found += [await self._read(path, counting) for path in odd]
                self._add(found, len(texts))
        finally:
            # What was counted is known when it is attached.
            self._world.builder.counters.merge(counting.counters)

    def _count_documents(self, paths: Sequence[str]) -> None:
        new = [path for path in paths if path not in self._asked]
        self._asked.update(new)
        if new and self._view is not None:
            self._world.tasks.spawn("count chosen documents", self._read_all(new, self._view.number))

    async def _read_all(self, paths: Sequence[str], number: int) -> None:
        counting = self._counting()
        for path in paths:
            found = await self._read(path, counting)
            if self._view is None or self._view.number != number:
                return
            self._add([found], 0)

    async def _read(self, path: str, counting: FileCounting) -> FileCount:
        """Read a file as it would be attached, and count it."""
        try:
            read = await self._world.attachments.read_in(self._seen().path, path)
        except CannotAttach as refusal:
            return FileCount(path, standing="refused", reason=refusal.reason)
        return await asyncio.to_thread(counting.attached, path, read)

    def _counting(self) -> FileCounting:
        builder, opened = self._world.builder, self._states.state.open.get(self._chat)
        model = self._states.state.preferences.model
        name: CounterName = "exact"
        if opened is not None:
            model, name = opened.chat.settings.model, opened.chat.settings.counter
        card = builder.catalogue.find(model)
        if opened is not None and opened.prepared is not None:
            card = opened.prepared.built.inputs.model
        return FileCounting(builder.counters.copy(card), name, card, self._seen().path)

    def _add(self, found: Sequence[FileCount], counted: int) -> None:
        view = self._seen()
        self._tell(counts=(*view.counts, *found), counted=view.counted + counted)

    def _seen(self) -> FolderView:
        if self._view is None:
            raise asyncio.CancelledError
        return self._view

    def _tell(self, **changes: object) -> None:
        self._show(replace(self._seen(), **changes))  # type: ignore[arg-type]


def _is_counted(entry: FolderEntry) -> bool:
    return entry.standing == "open" and not entry.folder and entry.kind in COUNTED_AT_ONCE
