"""Builds the indexes of searched folders and keeps them up to date: in threads, in parts that survive a kill."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TypeVar

from workbench.context.folders.packed import Segment, SegmentBroken, SegmentWriter
from workbench.context.folders.vectors import Vectors
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import Document
from workbench.domain.files.folder import FileText, FolderEntry, FolderRules
from workbench.domain.folder_index import (
    MOST_FILES,
    FolderProgress,
    IndexedFile,
    IndexState,
    SearchedFolder,
)
from workbench.domain.text import digest_bytes
from workbench.domain.translation import tr
from workbench.ports.attaching import AttachmentReader, FolderScan
from workbench.ports.folder_index import FolderIndexStore

_READ_AHEAD, _READ_TOGETHER = 64, 32
_STEP_S = 0.001
_MOST_LISTED = 1_000
_SMALL_PART, _MOST_SMALL = 0.25, 8
_DOCUMENT_KINDS = frozenset({"document"})

T = TypeVar("T")
Told = Callable[[FolderProgress], None]


@dataclass(slots=True)
class OpenIndex:
    """The index of a folder in memory: its segments, the vectors of some of them, and its files by their paths."""

    segments: dict[int, Segment] = field(default_factory=dict)
    files: dict[str, IndexedFile] = field(default_factory=dict)
    vectors: dict[int, Vectors] = field(default_factory=dict)

    @property
    def sections(self) -> int:
        return sum(map(_living, self.segments.values()))

    def found_files(self) -> int:
        return sum(one.segment is not None for one in self.files.values())

    def embedded(self) -> int:
        """How many sections have vectors."""
        return sum(_living(self.segments[key]) for key, one in self.vectors.items() if one.dimensions)

    def mark_dead(self) -> None:
        """Mark the files of each segment that another one holds by now, or none."""
        for number, segment in self.segments.items():
            segment.dead = {
                place
                for place, path in enumerate(segment.files)
                if (known := self.files.get(path)) is None or (known.segment, known.number) != (number, place)
            }


def _living(segment: Segment) -> int:
    """How many sections there are of files that are as they were indexed."""
    return len(segment) - sum(len(segment.sections_of(number)) for number in segment.dead)


class FolderIndexer:
    """The indexes of one store; each is updated by one task at a time."""

    def __init__(self, store: FolderIndexStore, reader: AttachmentReader) -> None:
        self.store, self._reader = store, reader
        self._open: dict[str, OpenIndex] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self.paused: set[str] = set()

    async def folders(self) -> tuple[SearchedFolder, ...]:
        return await self.store.folders()

    async def opened(self, path: str) -> OpenIndex:
        """The index as it is kept; a damaged part is left out, and its files are read again by the next update."""
        known = self._open.get(path)
        if known is not None:
            return known
        files = {one.path: one for one in await self.store.files(path)}
        stored = await self.store.segments(path)
        segments, broken = await asyncio.to_thread(_open_segments, stored)
        vectors = {key: Vectors(one.behind, len(one)) for key, one in segments.items() if one.behind}
        files = {name: one for name, one in files.items() if one.segment not in broken}
        index = OpenIndex(segments, files, vectors)
        index.mark_dead()
        return self._open.setdefault(path, index)

    async def texts(self, files: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The texts of files as they were indexed, by folder and path; without those that are gone since."""
        digests = {
            (folder, path): known.digest
            for folder, path in files
            if (known := (await self.opened(folder)).files.get(path)) is not None and known.digest
        }
        texts = await self.store.texts(set(digests.values()))
        return {one: texts[digest] for one, digest in digests.items() if digest in texts}

    async def remove(self, path: str) -> None:
        async with self._lock(path):
            await self.store.remove_folder(path)
            self._open.pop(path, None)
            self.paused.discard(path)

    async def pause(self, path: str, paused: bool) -> None:
        """Pause or go on, also after a restart."""
        self.paused.add(path) if paused else self.paused.discard(path)
        await self._save(path, paused=paused)

    async def progress(self, path: str, state: IndexState | None = None) -> FolderProgress:
        """How far an index is, by what is kept of it."""
        kept = next((one for one in await self.store.folders() if one.path == path), SearchedFolder(path))
        index = await self.opened(path)
        told = state or ("paused" if kept.paused else "up to date" if kept.whole else "waiting")
        return _progress(path, told, index, over=kept.over)

    async def update(self, path: str, told: Told = lambda _: None) -> FolderProgress:
        """Read what is new or changed in a folder, and forget what is gone; returns how it ended."""
        async with self._lock(path):
            return await _Update(self, self.store, self._reader, path, told).run()

    def is_paused(self, path: str) -> bool:
        return path in self.paused

    def _lock(self, path: str) -> asyncio.Lock:
        return self._locks.setdefault(path, asyncio.Lock())

    async def _save(self, path: str, **changes: object) -> None:
        kept = next((one for one in await self.store.folders() if one.path == path), SearchedFolder(path))
        await self.store.save_folder(replace(kept, **changes))  # type: ignore[arg-type]

    async def note_whole(self, path: str, over: int) -> None:
        await self._save(path, whole=True, over=over)


@dataclass(slots=True)
class _Update:
    """One pass through a folder."""

    indexer: FolderIndexer
    store: FolderIndexStore
    reader: AttachmentReader
    path: str
    told: Told
    index: OpenIndex = field(default_factory=OpenIndex)
    wanted: int = 0
    done: int = 0
    over: int = 0
    writer: SegmentWriter = field(default_factory=SegmentWriter)
    files: list[IndexedFile] = field(default_factory=list)
    unread: list[IndexedFile] = field(default_factory=list)
    held: dict[bytes, str] = field(default_factory=dict)

    async def run(self) -> FolderProgress:
        self.index = await self.indexer.opened(self.path)
        scan = await self.reader.scan(self.path, FolderRules())
        if scan is None:
            return self._tell("not found")
        kept = await self._kept()
        await self.store.save_folder(kept)
        if kept.paused:
            self.indexer.paused.add(self.path)
            await scan.close()
            return self._tell("paused")
        try:
            self._tell("indexing")
            entries, unread = await self._listed(scan)
            if self.indexer.is_paused(self.path):  # while it was listed, which takes minutes on a slow disk
                return self._tell("paused")
            gone, new, changed = await asyncio.to_thread(self._compared, entries, unread)
            await self._forget(gone, new)
            self.wanted = len(changed)
            async with aclosing(self._read(scan, changed)) as reading:
                async for entry, document in reading:
                    await self._take(entry, document)
                    if self.indexer.is_paused(self.path):
                        break
            await self._write()
            if self.unread and await self._has_vanished():
                return self._tell("not found")
            await self._note_unread()
        finally:
            await scan.close()
        if self.indexer.is_paused(self.path):
            return self._tell("paused")
        await self.indexer.note_whole(self.path, self.over)
        return self._tell("up to date")

    async def _kept(self) -> SearchedFolder:
        folders = await self.store.folders()
        return next((one for one in folders if one.path == self.path), SearchedFolder(self.path))

    async def _listed(self, scan: FolderScan) -> tuple[list[FolderEntry], list[IndexedFile]]:
        """The files to be found, and those that cannot be read, with the reasons."""
        entries: list[FolderEntry] = []
        unread: list[IndexedFile] = []
        while not self.indexer.is_paused(self.path) and (some := await scan.more()):
            await asyncio.sleep(0)
            for one in some:
                # A path with bytes that are no text cannot be named in a request.
                if (
                    not one.folder
                    and one.standing == "open"
                    and one.kind != "picture"
                    and _is_unicode(one.path)
                ):
                    entries.append(one)
                elif one.standing in ("refused", "large") and _is_unicode(one.path):
                    unread.append(
                        IndexedFile(one.path, stamp=one.stamp, size=one.size_bytes, reason=one.reason)
                    )
        await asyncio.to_thread(entries.sort, key=lambda one: (one.path.count("/"), one.path))
        self.over = max(0, len(entries) - MOST_FILES)
        return entries[:MOST_FILES], unread[:_MOST_LISTED]

    def _compared(
        self, entries: Sequence[FolderEntry], unread: Sequence[IndexedFile]
    ) -> tuple[list[str], list[IndexedFile], list[FolderEntry]]:
        """What is gone since the last look, what cannot be read now, and which files are to be read."""
        there = {one.path for one in entries} | {one.path for one in unread}
        gone = [path for path in self.index.files if path not in there]
        new = [one for one in unread if self.index.files.get(one.path) != one]
        changed = [one for one in entries if self._differs(one)] + self._of_small_segments(entries)
        return gone, new, list({one.path: one for one in changed}.values())

    async def _forget(self, gone: Sequence[str], new: Sequence[IndexedFile]) -> None:
        """Forget the files that are gone, and note those that cannot be read."""
        if gone or new:
            await self.store.note_files(self.path, new, gone)
            for path in gone:
                del self.index.files[path]
            self.index.files.update({one.path: one for one in new})
            await asyncio.to_thread(self.index.mark_dead)

    def _differs(self, entry: FolderEntry) -> bool:
        known = self.index.files.get(entry.path)
        return known is None or (known.stamp, known.size) != (entry.stamp, entry.size_bytes)

    def _of_small_segments(self, entries: Sequence[FolderEntry]) -> list[FolderEntry]:
        """The files of segments with little left in them, where those are many: they are written as one."""
        largest = max((len(one) for one in self.index.segments.values()), default=0)
        small = {
            number
            for number, one in self.index.segments.items()
            if len(one) * (1 - len(one.dead) / max(1, len(one.files))) < _SMALL_PART * largest
        }
        if len(small) < _MOST_SMALL:
            return []
        known = self.index.files
        return [one for one in entries if one.path in known and known[one.path].segment in small]

    async def _read(
        self, scan: FolderScan, wanted: Sequence[FolderEntry]
    ) -> AsyncGenerator[tuple[FolderEntry, Document | str], None]:
        """Each file with its document, or the reason why it cannot be read."""
        plain = [one for one in wanted if one.kind not in _DOCUMENT_KINDS]
        others = [one for one in wanted if one.kind in _DOCUMENT_KINDS]
        at = 0
        while at < len(plain):
            found = await scan.texts([one.path for one in plain[at : at + _READ_AHEAD]])
            for entry, text in zip(plain[at:], found, strict=False):
                document = _plain_document(text)
                if document is None:
                    others.append(entry)
                else:
                    yield entry, document
            at += len(found)
        at = 0
        while at < len(others):
            some = others[at : at + _READ_TOGETHER]
            read = await self.reader.documents_in(self.path, [one.path for one in some])
            for entry, made in zip(some, read, strict=False):
                yield entry, made.reason if isinstance(made, CannotAttach) else made
            at += len(read)

    async def _take(self, entry: FolderEntry, document: Document | str) -> None:
        self.done += 1
        await asyncio.to_thread(run_politely, self._adding(entry, document))
        if self.done % _READ_AHEAD == 0:
            self._tell("indexing")
        if self.writer.full:
            await self._write()

    def _adding(self, entry: FolderEntry, document: Document | str) -> Generator[None, None, None]:
        file = IndexedFile(entry.path, stamp=entry.stamp, size=entry.size_bytes)
        if not isinstance(document, str) and document.read_as.kind == "image":
            document = tr("a picture")
        if not isinstance(document, str) and not _is_unicode(document.text):
            document = tr("its text cannot be written as Unicode")
        if isinstance(document, str):
            self.unread.append(replace(file, reason=document))
            return
        digest = digest_bytes(document.text)
        self.files.append(replace(file, digest=digest, number=len(self.writer)))
        self.held[digest] = document.text
        yield from self.writer.add(entry.path, document)

    async def _has_vanished(self) -> bool:
        """Whether the whole folder is gone by now: then what could not be read is read when it is back."""
        scan = await self.reader.scan(self.path, FolderRules())
        if scan is not None:
            await scan.close()
        return scan is None

    async def _note_unread(self) -> None:
        if self.unread:
            await self.store.note_files(self.path, self.unread, ())
            self.index.files.update({one.path: one for one in self.unread})

    async def _write(self) -> None:
        """Keep what was read so far as a segment, whole or not at all."""
        if not self.files:
            return
        files, texts, writer = self.files, self.held, self.writer
        self.files, self.held, self.writer = [], {}, SegmentWriter()
        body = await asyncio.to_thread(writer.packed)
        number = await self.store.add_segment(self.path, body, files, texts)
        segment = await asyncio.to_thread(Segment, body)
        self.index.segments[number] = segment
        self.index.files.update({one.path: replace(one, segment=number) for one in files})
        await asyncio.to_thread(self.index.mark_dead)
        for empty in [key for key, one in self.index.segments.items() if len(one.dead) == len(one.files)]:
            del self.index.segments[empty]
            self.index.vectors.pop(empty, None)
        self._tell("indexing")

    def _tell(self, state: IndexState) -> FolderProgress:
        made = _progress(self.path, state, self.index, self.done, self.wanted, self.over)
        self.told(made)
        return made


def run_politely(steps: Generator[None, None, T]) -> T:
    """Run a generator to its end in a thread, and let the loop go first every millisecond.

    Else the loop waits for its turn as often as there are threads: some five milliseconds each time.
    """
    rested = time.perf_counter()
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result
        if time.perf_counter() - rested > _STEP_S:
            time.sleep(0)  # noqa: TID251 - in a thread, and only to let others go first
            rested = time.perf_counter()


def _is_unicode(text: str) -> bool:
    """Whether a text can be encoded: one with lone surrogates is sent nowhere."""
    return text.isascii() or text.encode("utf-8", "ignore").decode() == text


def _plain_document(found: FileText) -> Document | str | None:
    """A file as plain text, the reason why there is none, or None where a reader has to look at it."""
    if found.standing != "open":
        return found.reason
    return None if found.text is None else Document(found.text)


def _open_segments(stored: Mapping[int, bytes]) -> tuple[dict[int, Segment], set[int | None]]:
    opened: dict[int, Segment] = {}
    broken: set[int | None] = set()
    for number, body in stored.items():
        try:
            opened[number] = Segment(body)
        except SegmentBroken:
            broken.add(number)
    return opened, broken


def _progress(
    path: str, state: IndexState, index: OpenIndex, done: int = 0, wanted: int = 0, over: int = 0
) -> FolderProgress:
    unread = tuple(one for one in index.files.values() if one.segment is None and one.reason)
    return FolderProgress(
        path, state, index.found_files(), index.sections, unread, done, wanted, over, index.embedded()
    )
