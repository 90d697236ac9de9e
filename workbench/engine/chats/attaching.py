"""Attaches files, folders, pages, text and pictures; a copy of each is stored as it is now."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attached import (
    Attached,
    AttachProgress,
    CannotAttach,
    FolderFiles,
    KeptCopy,
    LeftOut,
    Locked,
)
from workbench.domain.files.attachment import EPHEMERAL_KINDS, Artifact, ArtifactKind, artifact_key
from workbench.domain.files.document import Reading
from workbench.domain.files.pictures import picture_in
from workbench.domain.secrets import Secret
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.engine.attaching_intents import AttachPages
from workbench.engine.chats.attached_parts import part_of, whole_of
from workbench.engine.chats.file_keeping import FileKeeping, keep_copy, keep_pages
from workbench.engine.conversation import reattach
from workbench.engine.intents import AttachFiles, AttachPicture, AttachText
from workbench.engine.tasks import Stopper
from workbench.engine.world import World

_NAMED = 12
FILES: frozenset[ArtifactKind] = frozenset({"file", "image", "pdf"})


class NothingAttached(WorkbenchError):
    """Raised if none of several things could be attached, or not all where all were wanted."""

    def __init__(self, left_out: Sequence[LeftOut]) -> None:
        super().__init__(
            tr("Nothing was attached. {left_out_words}", left_out_words=left_out_words(left_out))
        )
        self.left_out = tuple(left_out)


@dataclass(frozen=True, slots=True)
class Told:
    """What to report about a change: one sentence, and the list of what was left out.

    `changed` says whether anything is attached now that was not.
    """

    text: str = ""
    left_out: tuple[LeftOut, ...] = ()
    changed: bool = False


@dataclass(frozen=True, slots=True)
class AttachingWatch:
    """Observer of progress who may cancel attaching."""

    moved: Callable[[AttachProgress], None]
    stopper: Stopper


_Source = tuple[str, str]
"""A folder, or none, and a path: in that folder, or as somebody gave it."""


@dataclass(slots=True)
class _Reading:
    """Files being read, what was left out with the reasons, and the size so far."""

    world: World
    wish: AttachFiles
    watch: AttachingWatch | None = None
    left_out: list[LeftOut] = field(default_factory=list)
    refusals: list[CannotAttach] = field(default_factory=list)
    pages: list[Artifact] = field(default_factory=list)
    size_bytes: int = 0

    @property
    def refused(self) -> list[LeftOut]:
        """What was wanted and cannot be read."""
        return [one for one in self.left_out if one.refused]

    async def sources(self, path: str) -> list[_Source]:
        """The path itself, or the files in a folder; nothing if cancelled."""
        look = self.world.attachments.folder_files(path)
        if self.watch is None:
            folder = await look
        else:
            self.move(0, 0, path)
            folder = await self.watch.stopper.run(f"look through {path}", look, FolderFiles(path, ()))
        if self.stopped():
            return []
        if folder is None:
            return [("", path)]
        self.left_out += folder.left_out
        if not folder.paths:
            self._refuse(folder.nothing(path))
        return [(folder.folder, inside) for inside in folder.paths]

    async def read(self, source: _Source) -> Attached | None:
        """Read one source; None if it is refused or attaching was cancelled."""
        if self.watch is None:
            return await self._read(source)
        return await self.watch.stopper.run(f"read {source[1]}", self._read(source), None)

    async def _read(self, source: _Source) -> Attached | None:
        try:
            found = await self._open_with_passwords(*source)
            limits = self.world.attachments.limits()
            if found is not None and self.size_bytes + len(found.content) > limits.total_bytes:
                reason = tr("more than {total_mb:,} MB at once", total_mb=limits.total_mb)
                raise CannotAttach(source[1], reason, tr("Attach fewer, or allow more in the settings."))
        except CannotAttach as refusal:
            self._refuse(refusal)
            return None
        self.size_bytes += 0 if found is None else len(found.content)
        return found

    async def _open_with_passwords(self, folder: str, path: str) -> Attached | None:
        """Read a file with the first password that opens it; None if its pages became pictures instead."""
        attachments = self.world.attachments
        refusal: CannotAttach | None = None
        for password in (None, *self.wish.passwords):
            try:
                if folder:
                    return await attachments.read_in(folder, path, password)
                return await attachments.read(path, password=password)
            except Locked as locked:
                refusal = locked
            except CannotAttach as other:
                refusal = other
                for one in other.left_out if self.wish.pictures else ():
                    if one.pages and await self._as_pictures(one, password):
                        return None
                if password is not None:
                    # Whoever wants its pages needs the password once more.
                    other.left_out = tuple(replace(one, locked=bool(one.pages)) for one in other.left_out)
                break
        assert refusal is not None
        raise refusal

    async def _as_pictures(self, scan: LeftOut, password: Secret | None) -> bool:
        wish = AttachPages(self.wish.chat, scan.place or scan.path, 1, scan.pages, password)
        made, rest = await keep_pages(wish, self.world)
        self.pages += made
        self.left_out += rest
        return bool(made)

    def _refuse(self, refusal: CannotAttach) -> None:
        self.refusals.append(refusal)
        self.left_out += refusal.left_out

    def stopped(self) -> bool:
        return self.watch is not None and self.watch.stopper.stopped()

    def move(self, done: int, total: int, name: str) -> None:
        if self.watch is not None:
            self.watch.moved(AttachProgress(done, total, PurePath(name).name))


async def attach_files(intent: AttachFiles, world: World, watch: AttachingWatch | None = None) -> Told:
    """Attach files, pages and what is in folders; what was left out, in words. Where nothing is left, that is an error.

    The one rule for what cannot be read beside what can: it is named, with why and what helps; where all were wanted,
    nothing is attached. Each is kept while the next one is read. What was kept when somebody ended it stays.
    """
    reading, paths = _Reading(world, intent, watch), intent.paths
    if intent.folder:
        wanted = [(intent.folder, PurePath(path).relative_to(intent.folder).as_posix()) for path in paths]
    else:
        wanted = [source for path in paths for source in await reading.sources(path)]
    # Nothing is locked while files are read: an answer that arrives meanwhile has to be kept.
    keeping = await FileKeeping.of(intent.chat, world, anew=True)
    done, changed = 0, False
    try:
        done = await _read_and_keep(wanted, reading, keeping)
    finally:
        if not intent.whole or (done == len(wanted) and not reading.refused):
            changed = await _attach_kept(keeping, reading)
    left_out = [*reading.left_out, *keeping.left_out, *_unread(wanted[done:])]
    if changed or reading.stopped():
        return Told(left_out_words(left_out), tuple(left_out), changed)
    if len(paths) == len(reading.refusals) == 1:
        raise reading.refusals[0]
    if intent.whole and reading.refused:
        raise NothingAttached(reading.refused)
    if left_out and not keeping.left_out:
        raise NothingAttached(left_out)
    return Told(left_out_words(left_out), tuple(left_out), changed)


async def _attach_kept(keeping: FileKeeping, reading: _Reading) -> bool:
    changed = await keeping.attach()
    if reading.pages:
        await change_attached(reading.wish.chat, (), reading.pages, reading.world)
    return changed or bool(reading.pages)


async def _read_and_keep(wanted: Sequence[_Source], reading: _Reading, keeping: FileKeeping) -> int:
    """Read each file while the one before is stored; return how many were read."""
    found: Attached | None = None
    whole = reading.wish.whole

    async def keep() -> None:
        # Where all were wanted and one is refused, nothing more is written: the others are read for the list alone.
        if found is not None and not (whole and reading.refused):
            await keeping.add(found, reading.wish.priority)
            if not whole:
                await keeping.attach_some()

    for done, source in enumerate(wanted):
        reading.move(done, len(wanted), source[1])
        found, _ = await asyncio.gather(reading.read(source), keep())
        if reading.stopped():
            await keep()
            return done + (found is not None)
    await keep()
    return len(wanted)


def _unread(sources: Sequence[_Source]) -> list[LeftOut]:
    return [LeftOut(path, tr("attaching was ended before")) for _, path in sources]


async def attach_found(chat: str, files: Sequence[Attached], world: World) -> tuple[bool, list[LeftOut]]:
    """Attach files that were read; return whether anything changed, and what was left out."""
    keeping = await FileKeeping.of(chat, world, anew=True)
    for one in files:
        await keeping.add(one)
    changed = await keeping.attach()
    return changed, list(keeping.left_out)


async def attach_note(chat: str, note: Artifact, world: World) -> None:
    """Attach a text made by the program, with a copy of it as it is now."""
    await keep_copy(chat, note, _within_size_limit(note.name_for_model, note.text.encode(), world), world)
    await change_attached(chat, (), (note,), world)


async def refresh_files(chat: str, keys: Sequence[str], world: World) -> Told:
    """Load new versions of attached files, each once for all its parts; unreadable ones keep their copy."""
    wanted, left_out = set(keys), list[LeftOut]()
    copies = {copy.key: copy for copy in await world.store.copies(chat)}
    files: dict[tuple[str, str, Reading], list[KeptCopy]] = {}
    for artifact in await world.store.attached(chat):
        if artifact.key in wanted and artifact.kind in (*FILES, "url") and artifact.recoverable:
            copy = copies.get(artifact.key) or KeptCopy(artifact.key, "", 0, "")
            place = copy.place or copy.key
            files.setdefault((place, copy.bound, copy.read_as.chosen), []).append(copy)
    keeping = await FileKeeping.of(chat, world, anew=False)
    for parts in files.values():
        first = replace(parts[0], key=whole_of(parts[0].key, parts[0].place))
        anchors = [part_of(part.key, part.place) for part in parts]
        found = await world.attachments.read_again(first, anchors)
        for part, read in zip(parts, found, strict=True):
            if isinstance(read, CannotAttach):
                left_out += (replace(one, path=part.key, stays=True) for one in read.left_out)
            else:
                await keeping.add(replace(read, artifact=replace(read.artifact, key=part.key)))
    await keeping.attach()
    return Told(left_out_words(left_out, "Not refreshed, so the copies stay"), tuple(left_out))


async def attach_text(intent: AttachText, world: World) -> None:
    """Attach text that exists nowhere else: it is never shortened, and a selection is never dropped."""
    text, kind = repair_text(intent.text), intent.kind
    if not text.strip():
        raise CannotAttach(tr("The text"), tr("it is empty"), tr("Copy something first."))
    content = _within_size_limit(tr("The text"), text.encode(), world)
    async with world.locks.of(intent.chat):
        held = await world.store.attached(intent.chat)
        key = artifact_key(kind, text, (artifact.key for artifact in held))
        essential = kind in EPHEMERAL_KINDS
        made = Artifact(key, kind, text, intent.title, essential=essential, recoverable=False)
        await keep_copy(intent.chat, made, content, world)
        await world.store.save_attached(intent.chat, reattach(held, (), (made,)))


async def attach_picture(intent: AttachPicture, world: World) -> None:
    """Attach a picture that is in no file; attaching the same one twice gives one."""
    content = _within_size_limit(tr("The picture"), intent.content, world)
    if picture_in(content) is not None:
        content = await world.attachments.sendable_picture(content)
    picture = picture_in(content)
    if picture is None:
        reason, advice = tr("not a supported image"), tr("Paste a PNG, JPEG, GIF or WebP.")
        raise CannotAttach(tr("The picture"), reason, advice)
    digest = await asyncio.to_thread(hashlib.sha256, content)
    key = f"picture:{digest.hexdigest()[:12]}"
    made = Artifact(key, "image", picture.described, intent.title, recoverable=False)
    await keep_copy(intent.chat, made, content, world)
    await change_attached(intent.chat, (), (made,), world)


async def change_attached(chat: str, detach: Sequence[str], attach: Sequence[Artifact], world: World) -> None:
    """Detach some artifacts, then attach others; those attached already keep their place."""
    async with world.locks.of(chat):
        await world.store.save_attached(chat, reattach(await world.store.attached(chat), detach, attach))


def _within_size_limit(what: str, content: bytes, world: World) -> bytes:
    most_bytes = world.attachments.limits().file_bytes
    if len(content) > most_bytes:
        reason = tr(
            "it has {n:,} bytes, and the limit is {most_bytes:,}", n=len(content), most_bytes=most_bytes
        )
        raise CannotAttach(what, reason, tr("Attach a smaller part of it."))
    return content


def left_out_words(left_out: Sequence[LeftOut], what: str = "Not attached") -> str:
    """What was left out, in one sentence; of many, the first ones."""
    more = len(left_out) - _NAMED
    named = ", ".join(map(str, left_out[:_NAMED]))
    return f"{what}: {named}{f' and {more:,} more' if more > 0 else ''}." if left_out else ""
