"""Stores copies of files one by one, then attaches them together."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from workbench.domain.files.attached import Attached, CannotAttach, KeptCopy, LeftOut
from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, Artifact
from workbench.domain.files.file_names import free_name
from workbench.domain.files.pictures import picture_in
from workbench.domain.record import Snapshot
from workbench.domain.translation import tr
from workbench.engine.attaching_intents import AttachPages, FreezeArtifacts
from workbench.engine.chats.attached_parts import covered_by, is_covered, under_held_key, without_overlap
from workbench.engine.conversation import Conversation, reattach
from workbench.engine.stored_conversation import load_conversation
from workbench.engine.tuning_intents import PutBackAttached
from workbench.engine.world import World

_AT_ONCE = 50


class FileKeeping:
    """Files on their way into a chat, in one order of its changes; what is attached is locked only while it is written.

    One that is attached already keeps its title, priority and pin. `anew` says that somebody wants them attached, and
    not only read again: what lies within something that is attached already is left out then.
    """

    def __init__(
        self, conversation: Conversation, copies: Sequence[KeptCopy], world: World, *, anew: bool
    ) -> None:
        self._world, self._chat, self._anew = world, conversation.id, anew
        self._held = {one.key: one for one in conversation.attached}
        self._names = _Names(conversation, copies)
        self._places = {copy.key: copy.place for copy in copies}
        self._at: dict[str, list[str]] = {}
        for key in self._held:
            self._at.setdefault(self._places.get(key, ""), []).append(key)
        self._made: dict[str, Artifact] = {}
        self._fell: dict[str, list[str]] = {}
        self._changed = False
        self.left_out: list[LeftOut] = []

    @classmethod
    async def of(cls, chat: str, world: World, *, anew: bool) -> FileKeeping:
        """A `FileKeeping` for the present attachments of a chat."""
        conversation = await load_conversation(world.store, chat)
        return cls(conversation, await world.store.copies(chat), world, anew=anew)

    async def add(self, found: Attached, priority: int | None = None) -> None:
        near, places = self._same_file(found), self._places
        taken = under_held_key(found, near, places)
        around = is_covered(taken, near, places) if self._anew else ""
        if around:
            why = tr("it is part of {around}, which is attached", around=around)
            self.left_out.append(LeftOut(taken.artifact.key, why, covered=True))
            return
        taken = without_overlap(taken, near, places) if self._anew else taken
        named = replace(taken.artifact, name=self._names.of(taken))
        artifact = settled(_with_priority(named, priority), self._held.get(named.key))
        places[artifact.key] = taken.place or artifact.key
        await self._world.store.keep_snapshot(_snapshot(self._chat, artifact, taken, self._world))
        if taken.sendable:
            await keep_copy(self._chat, artifact, taken.sendable, self._world)
        self._queue_artifact(artifact, tuple(covered_by(taken, near, places)))

    def _same_file(self, found: Attached) -> list[Artifact]:
        """Attachments of the same file under any name, found without comparing all others."""
        keys = dict.fromkeys((*self._at.get(found.place, ()), found.artifact.key))
        return [self._held[key] for key in keys if key in self._held]

    def _queue_artifact(self, artifact: Artifact, covered: Sequence[str]) -> None:
        """Queue an artifact to attach, replacing the parts that it contains."""
        key = artifact.key
        if key not in self._held:
            self._at.setdefault(self._places[key], []).append(key)
        self._held[key] = self._made[key] = artifact
        for part in covered:
            self._held.pop(part)
            self._made.pop(part, None)
            self._fell.setdefault(key, []).extend((part, *self._fell.pop(part, ())))

    async def attach_some(self) -> None:
        """Attach what was stored if that is much already, so that a cancel loses little."""
        if len(self._made) >= _AT_ONCE:
            await self.attach()

    async def attach(self) -> bool:
        """Attach everything stored since the last call; return whether anything was attached by now."""
        if self._made:
            made, fell = tuple(self._made.values()), self._fell
            self._made, self._fell = {}, {}
            gone = {part for parts in fell.values() for part in parts}.difference(one.key for one in made)
            async with self._world.locks.of(self._chat):
                held = {one.key: one for one in await self._world.store.attached(self._chat)}
                # What is decided about them while files are read holds.
                new = [
                    _replacing_parts(fell.get(one.key, ()), settled(one, held.get(one.key)), held)
                    for one in made
                ]
                await self._world.store.save_attached(
                    self._chat, reattach(tuple(held.values()), tuple(gone), new)
                )
            self._changed = True
        return self._changed


def _snapshot(chat: str, artifact: Artifact, taken: Attached, world: World) -> Snapshot:
    # A page lies nowhere on this computer, and nobody looks whether it has changed.
    modified, place = (
        (None, "") if not taken.modified_utc else (taken.modified_utc, taken.place or artifact.key)
    )
    return Snapshot(
        chat, artifact, world.utc.utc_now(), taken.content, modified, place, read_as=taken.read_as,
        bound=taken.bound,
    )  # fmt: skip


class _Names:
    """The names models see for a chat's files; a name stays once given."""

    def __init__(self, conversation: Conversation, copies: Sequence[KeptCopy]) -> None:
        shelved = [entry.latest for entry in conversation.library]
        present = {one.key: one.name_for_model for one in (*shelved, *conversation.attached)}
        self._given = {copy.key: copy.name for copy in copies if copy.name} | present
        self._taken = set(self._given.values())

    def of(self, taken: Attached) -> str:
        """The name of a file; empty if its key is its name."""
        key = taken.artifact.key
        if key not in self._given:
            self._given[key] = free_name(taken.names, self._taken) if taken.names else key
            self._taken.add(self._given[key])
        name = self._given[key]
        return "" if name == key else name


def _with_priority(artifact: Artifact, priority: int | None) -> Artifact:
    """The artifact with another priority, if one is given; the lowest number pins it."""
    if priority is None:
        return artifact
    return replace(artifact, priority=priority, essential=priority == PRIORITY_ESSENTIAL)


def settled(new: Artifact, old: Artifact | None) -> Artifact:
    """A refreshed artifact with the person's choices about the previous one."""
    if old is None:
        return new
    return new.decided_as(old)


def _replacing_parts(parts: Sequence[str], whole: Artifact, held: Mapping[str, Artifact]) -> Artifact:
    """The whole that replaces parts, with the strongest pin and priority of theirs."""
    there = [held[key] for key in parts if key in held]
    return replace(
        whole,
        priority=min((whole.priority, *(part.priority for part in there))),
        essential=whole.essential or any(part.essential for part in there),
    )


async def keep_copy(chat: str, artifact: Artifact, content: bytes, world: World) -> None:
    """Store bytes that are in no file."""
    await world.store.keep_snapshot(Snapshot(chat, artifact, world.utc.utc_now(), content))


async def freeze_files(intent: FreezeArtifacts, world: World) -> None:
    """Keep using the copies of changed files until they change again; missing ones are skipped."""
    chat, wanted = intent.chat, set(intent.keys)
    async with world.locks.of(chat):
        held = await world.store.attached(chat)
        kept = await _kept_files(chat, world)
        last = await world.store.last_turn(chat) if intent.earlier else None
        frozen = []
        for artifact in held:
            copies = kept.get(artifact.key, []) if artifact.key in wanted else []
            chosen = (
                _earlier(copies, "" if last is None else last.started_utc) if intent.earlier else copies[-1:]
            )
            for copy in chosen:
                newer = await _digest_now(copies[-1], world)
                frozen.append(await _chosen_over(copy, newer, artifact, world))
        await world.store.save_attached(chat, reattach(held, (), frozen))


async def put_back(intent: PutBackAttached, world: World) -> None:
    """Attach earlier copies again; for files refreshed since, they are kept over the newer content."""
    async with world.locks.of(intent.chat):
        held = intent.of(await world.store.attached(intent.chat))
        newest = {copy.key: copy for copy in await world.store.copies(intent.chat)}
        back = {one.key: one.content_digest for one in intent.artifacts}
        older = [key for key, digest in back.items() if key in newest and newest[key].text_digest != digest]
        kept = await _kept_files(intent.chat, world) if older else {}
        for artifact in held:
            same = [
                copy
                for copy in kept.get(artifact.key, [])
                if copy.artifact.content_digest == artifact.content_digest
            ]
            if artifact.key in older and same:
                await _chosen_over(same[-1], newest[artifact.key].sha256, artifact, world)
        await world.store.save_attached(intent.chat, held)


async def earlier_copy(chat: str, key: str, world: World) -> Snapshot | None:
    """The copy of a file before its automatic refresh; None if there is no other."""
    copies = (await _kept_files(chat, world)).get(key, [])
    last = await world.store.last_turn(chat)
    found = _earlier(copies, "" if last is None else last.started_utc) if copies else []
    return found[0] if found else None


async def _kept_files(chat: str, world: World) -> dict[str, list[Snapshot]]:
    kept: dict[str, list[Snapshot]] = {}
    for snapshot in await world.store.snapshots(chat):
        if snapshot.modified_utc is not None:
            kept.setdefault(snapshot.artifact.key, []).append(snapshot)
    return kept


def _earlier(copies: Sequence[Snapshot], sent_utc: str) -> list[Snapshot]:
    """The copy that was sent last, else the one before the newest; none if there is no other."""
    others = [copy for copy in copies if copy.content != copies[-1].content]
    went_out = [copy for copy in others if copy.taken_utc <= sent_utc]
    return (went_out or others)[-1:]


async def _digest_now(newest: Snapshot, world: World) -> str:
    """Digest of the file as it is now; if it cannot be read, of its last copy."""
    made = await asyncio.to_thread(hashlib.sha256, newest.content)
    place = newest.place or newest.artifact.key
    copy = KeptCopy(place, "", len(newest.content), made.hexdigest(), place, bound=newest.bound)
    (sight,) = await world.attachments.look([(copy, None)])
    return sight.sha256 or made.hexdigest()


async def _chosen_over(copy: Snapshot, newer: str, held: Artifact, world: World) -> Artifact:
    """Store a copy as the one in use, with the newer content it was preferred to."""
    artifact = settled(copy.artifact, held)
    again = replace(copy, artifact=artifact, taken_utc=world.utc.utc_now(), refused=newer)
    await world.store.keep_snapshot(again)
    if (
        artifact.kind == "image"
        and (sent := await world.attachments.sendable_picture(copy.content)) != copy.content
    ):
        await keep_copy(copy.chat, artifact, sent, world)
    return artifact


# Pages of a PDF as pictures: they are in no file, so their bytes are kept.


MOST_PAGES = 20


async def keep_pages(intent: AttachPages, world: World) -> tuple[list[Artifact], tuple[LeftOut, ...]]:
    """Store pages as pictures to be attached; those over the limit are left out and named."""
    path = intent.path
    if not 1 <= intent.first <= intent.last:
        raise CannotAttach(
            path,
            tr("there are no pages {first} to {last}", first=intent.first, last=intent.last),
            tr("Choose other pages."),
        )
    last = min(intent.last, intent.first + MOST_PAGES - 1)
    made = []
    for number, content in await world.attachments.page_pictures(path, (intent.first, last), intent.password):
        picture = picture_in(content)
        if picture is None:
            continue
        title = f"{PurePath(path).name}, page {number}"
        key = f"{PurePath(path).as_posix()}#p{number}"
        artifact = Artifact(key, "image", picture.described, title, recoverable=False)
        await world.store.keep_snapshot(Snapshot(intent.chat, artifact, world.utc.utc_now(), content))
        made.append(artifact)
    if last == intent.last:
        return made, ()
    which = tr("{path}, pages {last} to {last_2}", path=path, last=last + 1, last_2=intent.last)
    return made, (
        LeftOut(which, tr("{most_pages} pages are attached at once", most_pages=MOST_PAGES), refused=True),
    )
