"""What a person attaches: files, folders, text and pictures; a copy of each is kept as it is now."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.attached import MOST_ATTACHED_BYTES, Attached, CannotAttach, KeptCopy, LeftOut
from workbench.domain.attachment import EPHEMERAL_KINDS, Artifact, ArtifactKind, artifact_key
from workbench.domain.document import AS_FOUND
from workbench.domain.errors import WorkbenchError
from workbench.domain.file_names import free_name
from workbench.domain.pictures import picture_in
from workbench.domain.record import Snapshot
from workbench.domain.text import repair_text
from workbench.engine.chats.parts import covered_by, is_covered, under_held_key, with_part
from workbench.engine.conversation import Conversation, reattach
from workbench.engine.intents import AttachPicture, AttachText, FreezeArtifacts
from workbench.engine.keeping import load_conversation
from workbench.engine.tuning_intents import PutBackAttached
from workbench.engine.world import World

_NAMED = 12
FILES: frozenset[ArtifactKind] = frozenset({"file", "image", "pdf"})
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE | re.ASCII)


class NothingAttached(WorkbenchError):
    """Of several things none could be attached."""

    def __init__(self, left_out: Sequence[LeftOut]) -> None:
        super().__init__(f"Nothing was attached. {left_out_words(left_out)}")
        self.left_out = tuple(left_out)


@dataclass(frozen=True, slots=True)
class Told:
    """What a person should know about a change: in one sentence, and one by one what it left out.

    `changed` says whether anything is attached now that was not.
    """

    text: str = ""
    left_out: tuple[LeftOut, ...] = ()
    changed: bool = False


@dataclass(slots=True)
class _Taken:
    """What was read, and what was left out with the reasons."""

    files: list[Attached] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    refusals: list[CannotAttach] = field(default_factory=list)

    async def read(self, path: str, world: World) -> None:
        """A file, or the text files of a folder."""
        folder = None if _ADDRESS.match(path) else await world.attachments.read_folder(path)
        if folder is None:
            await self.read_file(path, world)
            return
        self.files += folder.files
        self.left_out += folder.left_out
        if not folder.files:
            self._refuse(CannotAttach(path, "there is no text file in it", "Attach another folder."))

    async def read_file(self, path: str, world: World) -> None:
        """One file, or a page."""
        try:
            self.files.append(await world.attachments.read(path))
        except CannotAttach as refusal:
            self._refuse(refusal)

    async def read_again(self, key: str, copy: KeptCopy | None, world: World) -> None:
        """A file that is attached, from where it lies; it keeps its key, and the copy stays where that fails."""
        place = (copy.place if copy is not None else "") or key
        reading = copy.read_as.chosen if copy is not None else AS_FOUND
        try:
            found = await world.attachments.read(with_part(place, key), reading)
            self.files.append(replace(found, artifact=replace(found.artifact, key=key)))
        except CannotAttach as refusal:
            self.left_out += (replace(one, path=key, stays=True) for one in refusal.left_out)

    def _refuse(self, refusal: CannotAttach) -> None:
        self.refusals.append(refusal)
        self.left_out += refusal.left_out


async def attach_files(chat: str, paths: Sequence[str], world: World) -> Told:
    """Attach files and what is in folders; what was left out, in words. Where nothing is left, that is an error."""
    taken = _Taken()
    for path in paths:
        await taken.read(path, world)
    if taken.files:
        taken.left_out += await _keep(chat, taken.files, world, anew=True)
    elif len(paths) == len(taken.refusals) == 1:
        raise taken.refusals[0]
    elif taken.left_out:
        raise NothingAttached(taken.left_out)
    return Told(left_out_words(taken.left_out), tuple(taken.left_out))


async def attach_found(chat: str, files: Sequence[Attached], world: World) -> list[LeftOut]:
    """Attach files that were read; what was left out of them."""
    return await _keep(chat, files, world, anew=True)


async def attach_note(chat: str, note: Artifact, world: World) -> None:
    """Attach a text that was made here, with a copy as it is now."""
    await _keep_copy(chat, note, _bearable(note.told, note.text.encode()), world)
    await change_attached(chat, (), (note,), world)


async def refresh_files(chat: str, keys: Sequence[str], world: World) -> Told:
    """Read attached files anew; of one that cannot be read the copy stays, which is said."""
    taken = _Taken()
    wanted = set(keys)
    copies = {copy.key: copy for copy in await world.store.copies(chat)}
    for artifact in await world.store.attached(chat):
        if artifact.key in wanted and artifact.kind in (*FILES, "url") and artifact.recoverable:
            await taken.read_again(artifact.key, copies.get(artifact.key), world)
    if taken.files:
        await _keep(chat, taken.files, world, anew=False)
    return Told(left_out_words(taken.left_out, "Not read anew, so the copies stay"), tuple(taken.left_out))


async def freeze_files(intent: FreezeArtifacts, world: World) -> None:
    """Go on with copies of files that have changed, until they change once more; what is not there is passed over."""
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
    """Attach copies from before; of files that were read anew since, that is a choice against the newer content."""
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


async def _kept_files(chat: str, world: World) -> dict[str, list[Snapshot]]:
    """The copies of each file of a chat, oldest first."""
    kept: dict[str, list[Snapshot]] = {}
    for snapshot in await world.store.snapshots(chat):
        if snapshot.modified_utc is not None:
            kept.setdefault(snapshot.artifact.key, []).append(snapshot)
    return kept


def _earlier(copies: Sequence[Snapshot], sent_utc: str) -> list[Snapshot]:
    """The copy that went out last, else the one before the newest; none where there is no other."""
    others = [copy for copy in copies if copy.content != copies[-1].content]
    went_out = [copy for copy in others if copy.taken_utc <= sent_utc]
    return (went_out or others)[-1:]


async def _digest_now(newest: Snapshot, world: World) -> str:
    """What the file is now; where it cannot be read, what it was when it was read last."""
    try:
        key = newest.artifact.key
        return (
            await world.attachments.read(with_part(newest.place or key, key), newest.read_as.chosen)
        ).sha256
    except CannotAttach:
        return (await asyncio.to_thread(hashlib.sha256, newest.content)).hexdigest()


async def _chosen_over(copy: Snapshot, newer: str, held: Artifact, world: World) -> Artifact:
    """Keep a copy as the one to go on with, and what it was chosen over."""
    artifact = _settled(copy.artifact, held)
    again = replace(copy, artifact=artifact, taken_utc=world.utc.utc_now(), refused=newer)
    await world.store.keep_snapshot(again)
    if (
        artifact.kind == "image"
        and (sent := await world.attachments.sendable_picture(copy.content)) != copy.content
    ):
        await _keep_copy(copy.chat, artifact, sent, world)
    return artifact


async def attach_text(intent: AttachText, world: World) -> None:
    """Attach text that exists nowhere else, so it is never shortened; a selection is not dropped either."""
    text, kind = repair_text(intent.text), intent.kind
    if not text.strip():
        raise CannotAttach("The text", "it is empty", "Copy something first.")
    content = _bearable("The text", text.encode())
    async with world.locks.of(intent.chat):
        held = await world.store.attached(intent.chat)
        key = artifact_key(kind, text, (artifact.key for artifact in held))
        essential = kind in EPHEMERAL_KINDS
        made = Artifact(key, kind, text, intent.title, essential=essential, recoverable=False)
        await _keep_copy(intent.chat, made, content, world)
        await world.store.save_attached(intent.chat, reattach(held, (), (made,)))


async def attach_picture(intent: AttachPicture, world: World) -> None:
    """Attach a picture that is in no file; the same one twice is one."""
    content = _bearable("The picture", intent.content)
    if picture_in(content) is not None:
        content = await world.attachments.sendable_picture(content)
    picture = picture_in(content)
    if picture is None:
        reason, advice = "these bytes are no picture that is known", "Paste a PNG, JPEG, GIF or WebP."
        raise CannotAttach("The picture", reason, advice)
    digest = await asyncio.to_thread(hashlib.sha256, content)
    key = f"picture:{digest.hexdigest()[:12]}"
    made = Artifact(key, "image", picture.described, intent.title, recoverable=False)
    await _keep_copy(intent.chat, made, content, world)
    await change_attached(intent.chat, (), (made,), world)


async def change_attached(chat: str, detach: Sequence[str], attach: Sequence[Artifact], world: World) -> None:
    """Take some off, then attach some; what is attached already keeps its place."""
    async with world.locks.of(chat):
        await world.store.save_attached(chat, reattach(await world.store.attached(chat), detach, attach))


async def _keep(chat: str, files: Sequence[Attached], world: World, *, anew: bool) -> list[LeftOut]:
    """Keep what files were, and attach them; one that is attached already keeps its title, priority and pin.

    `anew` says that somebody wants them attached, and not only read again: what lies within something that is attached
    already is left out then.
    """
    left_out: list[LeftOut] = []
    async with world.locks.of(chat):
        conversation = await load_conversation(world.store, chat)
        copies = await world.store.copies(chat)
        held, names = conversation.attached, _Names(conversation, copies)
        places = {copy.key: copy.place for copy in copies}
        for found in files:
            taken = under_held_key(found, held, places)
            around = is_covered(taken, held, places) if anew else ""
            if around:
                left_out.append(LeftOut(taken.artifact.key, f"it is part of {around}, which is attached"))
                continue
            known = next((one for one in held if one.key == taken.artifact.key), None)
            artifact = _settled(replace(taken.artifact, name=names.of(taken)), known)
            places[artifact.key] = taken.place or artifact.key
            await world.store.keep_snapshot(_snapshot(chat, artifact, taken, world))
            if taken.sendable:
                await _keep_copy(chat, artifact, taken.sendable, world)
            held = reattach(held, tuple(covered_by(taken, held, places)), (artifact,))
        await world.store.save_attached(chat, held)
    return left_out


def _snapshot(chat: str, artifact: Artifact, taken: Attached, world: World) -> Snapshot:
    # A page lies nowhere on this computer, and nobody looks whether it has changed.
    modified, place = (
        (None, "") if not taken.modified_utc else (taken.modified_utc, taken.place or artifact.key)
    )
    return Snapshot(
        chat, artifact, world.utc.utc_now(), taken.content, modified, place, read_as=taken.read_as
    )


class _Names:
    """What files of a chat are called before a model; a name that was given once stays."""

    def __init__(self, conversation: Conversation, copies: Sequence[KeptCopy]) -> None:
        shelved = [entry.latest for entry in conversation.library]
        present = {one.key: one.told for one in (*shelved, *conversation.attached)}
        self._given = {copy.key: copy.name for copy in copies if copy.name} | present

    def of(self, taken: Attached) -> str:
        """The name of a file; empty where its key is what it is called."""
        key = taken.artifact.key
        if key not in self._given:
            taken_names = set(self._given.values())
            self._given[key] = free_name(taken.names, taken_names) if taken.names else key
        name = self._given[key]
        return "" if name == key else name


def _settled(new: Artifact, old: Artifact | None) -> Artifact:
    if old is None:
        return new
    return replace(new, title=old.title, priority=old.priority, essential=old.essential)


async def _keep_copy(chat: str, artifact: Artifact, content: bytes, world: World) -> None:
    await world.store.keep_snapshot(Snapshot(chat, artifact, world.utc.utc_now(), content))


def _bearable(what: str, content: bytes) -> bytes:
    if len(content) > MOST_ATTACHED_BYTES:
        reason = f"it has {len(content):,} bytes, and the limit is {MOST_ATTACHED_BYTES:,}"
        raise CannotAttach(what, reason, "Attach a smaller part of it.")
    return content


def left_out_words(left_out: Sequence[LeftOut], what: str = "Not attached") -> str:
    """What was left out, in one sentence; of many, the first ones."""
    more = len(left_out) - _NAMED
    named = ", ".join(map(str, left_out[:_NAMED]))
    return f"{what}: {named}{f' and {more:,} more' if more > 0 else ''}." if left_out else ""
