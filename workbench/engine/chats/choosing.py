"""What is chosen of a file that is attached: its parts, and as what it is read; always from the copy that was kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.errors import NotKept
from workbench.domain.files.attached import CannotAttach, LeftOut
from workbench.domain.files.attachment import Artifact, ArtifactKind
from workbench.domain.files.document import Document, Reading
from workbench.domain.files.document_parts import find_section, part_text
from workbench.domain.record import Snapshot
from workbench.engine.attaching_intents import AttachPages, ChooseParts, ReadOtherwise
from workbench.engine.chats.attached_parts import PARTED, file_name, part_of, whole_of
from workbench.engine.chats.attaching import Told, change_attached, left_out_words
from workbench.engine.chats.page_pictures import keep_pages
from workbench.engine.conversation import reattach
from workbench.engine.world import World


async def choose_parts(intent: ChooseParts, world: World) -> Told:
    """Attach these parts of a file and no others."""
    chat, file = intent.chat, intent.file
    before = await _of_file(chat, file, world)
    copy = await _copy(chat, before[0].key if before else await _kept_key(chat, file, world), world)
    document = await _document(copy, copy.read_as.chosen, world)
    async with world.locks.of(chat):
        ours = await _of_file(chat, file, world)
        wanted, missing = [], []
        for anchor in ("",) if intent.whole else intent.anchors:
            made = _part(_with_anchor(file, anchor), anchor, ours or (copy.artifact,), document)
            if made is None:
                missing.append(LeftOut(_with_anchor(file, anchor), "there is no such part in the file"))
            else:
                wanted.append(made)
        known = {one.key for one in ours}
        new = [one for one in wanted if one.key not in known]
        for artifact in new:
            await world.store.keep_snapshot(replace(copy, artifact=artifact, taken_utc=world.utc.utc_now()))
        gone = tuple(known - {one.key for one in wanted})
        held = await world.store.attached(chat)
        await world.store.save_attached(chat, reattach(held, gone, new))
    return Told(left_out_words(missing), tuple(missing))


async def read_otherwise(intent: ReadOtherwise, world: World) -> Told:
    """Read a file as another kind or in another encoding, all of its attached parts alike."""
    chat = intent.chat
    copy = await _copy(chat, intent.key, world)
    file = whole_of(intent.key, copy.place)
    try:
        document = await _document(copy, intent.reading, world)
    except CannotAttach as refusal:
        refusal.left_out = tuple(replace(one, path=intent.key, stays=True) for one in refusal.left_out)
        raise
    read_as = replace(document.read_as, chosen=intent.reading)
    async with world.locks.of(chat):
        ours = await _of_file(chat, file, world)
        if all(one.key != intent.key for one in ours):
            raise NotKept(f"{intent.key} is not attached any more.")
        again, missing = [], []
        for one in ours:
            made = _part(one.key, part_of(one.key, copy.place), (one,), document)
            if made is None:
                missing.append(
                    LeftOut(one.key, "there is no such part in the file when it is read so", stays=True)
                )
                continue
            again.append(made)
            now = world.utc.utc_now()
            await world.store.keep_snapshot(replace(copy, artifact=made, taken_utc=now, read_as=read_as))
        held = await world.store.attached(chat)
        await world.store.save_attached(chat, reattach(held, (), again))
    return Told(left_out_words(missing), tuple(missing))


async def attach_pages(intent: AttachPages, world: World) -> Told:
    """Attach pages of a PDF as pictures."""
    made, rest = await keep_pages(intent, world)
    await change_attached(intent.chat, (), made, world)
    return Told(left_out_words(rest), rest)


async def _kept_key(chat: str, file: str, world: World) -> str:
    """What is taken off can be chosen again as long as its copy is kept."""
    kept = [copy.key for copy in await world.store.copies(chat) if whole_of(copy.key, copy.place) == file]
    if not kept:
        raise NotKept(f"{file} is not attached any more, so nothing of it can be chosen.")
    return kept[-1]


async def _of_file(chat: str, file: str, world: World) -> list[Artifact]:
    """What is attached of a file; another whose own name has a # in it is not taken for a part of it."""
    places = {copy.key: copy.place for copy in await world.store.copies(chat)}
    held = await world.store.attached(chat)
    return [one for one in held if whole_of(one.key, places.get(one.key, "")) == file]


async def _copy(chat: str, key: str, world: World) -> Snapshot:
    copy = await world.store.newest_snapshot(chat, key)
    if copy is None or copy.artifact.kind not in PARTED:
        raise NotKept(f"{key} was not attached from a file, so there is nothing to choose of it.")
    return copy


async def _document(copy: Snapshot, reading: Reading, world: World) -> Document:
    return await world.attachments.document(file_name(copy), copy.content, reading)


def _part(key: str, anchor: str, ours: Sequence[Artifact], document: Document) -> Artifact | None:
    """A part as it is attached: like the one there is, else with the priority and pin that the file has."""
    kind: ArtifactKind = (
        "url" if ours[0].kind == "url" else "pdf" if document.read_as.kind == "pdf" else "file"
    )
    found = find_section(document, anchor) if anchor else None
    if anchor and found is None:
        return None
    text = document.text if found is None else part_text(document, found)
    unread = document.read_as.unread
    like = next((one for one in ours if one.key == key), None)
    if like is not None:
        return replace(like, text=text, kind=kind, unread=unread)
    first = ours[0]
    return Artifact(
        key,
        kind,
        text,
        priority=first.priority,
        essential=first.essential,
        name=_told(first, anchor),
        unread=unread,
    )


def _told(one: Artifact, anchor: str) -> str:
    """What a model is told a part is called, from what it is told of another of the same file."""
    if not one.name:
        return ""
    held = one.key.rpartition("#")[2] if "#" in one.key else ""
    base = one.name[: -len(held) - 1] if held and one.name.endswith(f"#{held}") else one.name
    return _with_anchor(base, anchor)


def _with_anchor(file: str, anchor: str) -> str:
    return f"{file}#{anchor}" if anchor else file
