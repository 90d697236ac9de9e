"""Resolves @names: attachments, files of the workspace or of an attached folder, other chats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from workbench.context.explain.offers import CHAT, Held, chat_names
from workbench.domain.files.attached import Attached, CannotAttach, KeptCopy, LeftOut
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.file_names import is_rooted
from workbench.domain.record import Chat, ChatArchive
from workbench.domain.translation import tr
from workbench.engine.attaching_intents import AttachNamed
from workbench.engine.chats.attached_parts import part_of, whole_of
from workbench.engine.chats.attaching import FILES, Told, attach_found, attach_note, left_out_words
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.world import World

MOST_MENTIONS = 100
_FOLDER_FILES = 2


def held_of(attached: Sequence[Artifact], copies: Sequence[KeptCopy]) -> tuple[Held, ...]:
    """The attachments, each with the file that it is a part of."""
    places = {copy.key: copy.place for copy in copies}
    return tuple(_held(one, places) for one in attached)


def _held(one: Artifact, places: Mapping[str, str]) -> Held:
    place = places.get(one.key, "")
    if one.kind not in FILES:
        return Held(one, one.key, one.name_for_model)
    return Held(
        one, whole_of(one.key, place), whole_of(one.name_for_model, place), part_of(one.key, place), place
    )


def attached_folders(attached: Sequence[Artifact], followed: Iterable[str] = ()) -> dict[str, str]:
    """Followed folders and those attached as a whole, by name.

    A file of such a folder is told with the folder's name before its path. So is one that only needs it to be told
    from another file of its name; that one says nothing about its folder.
    """
    told = {one.name_for_model for one in attached}
    found: Counter[str] = Counter()
    for one in attached:
        name, steps = one.name, one.name.split("/")
        alike = any("/".join(steps[at:]) in told for at in range(1, len(steps)))
        if (
            one.kind in FILES
            and is_rooted(one.key)
            and len(steps) > 1
            and one.key.endswith(f"/{name}")
            and not alike
        ):
            found[f"{one.key[: -len(name)]}{steps[0]}"] += 1
    folders = [*followed, *(folder for folder, files in found.items() if files >= _FOLDER_FILES)]
    return {PurePath(folder).name: folder for folder in reversed(folders)}


@dataclass(frozen=True, slots=True)
class Meanings:
    """Resolver of @names in one chat, as it is now."""

    chat: str
    held: tuple[Held, ...]
    copies: Mapping[str, KeptCopy]
    folders: Mapping[str, str]
    world: World
    workspace: str = ""

    @classmethod
    async def now(cls, chat: str, world: World) -> Meanings:
        copies = await world.store.copies(chat)
        attached = await world.store.attached(chat)
        folders = attached_folders(attached, [one.path for one in await world.store.followed(chat)])
        await world.workspaces.ready()
        place = world.workspaces.of(await world.store.chat(chat))
        top = "" if place is None else place.folder
        return cls(chat, held_of(attached, copies), {copy.key: copy for copy in copies}, folders, world, top)

    def is_held(self, name: str) -> bool:
        return any(name in (one.artifact.key, one.artifact.name_for_model) for one in self.held)

    async def file(self, name: str) -> Attached | None:
        """The file, or the part of one, that a name means; None where it means none, `CannotAttach` where it must not.

        What is attached comes first, also of another place: then the workspace, then the folders that are attached.
        """
        base, anchor = split_anchor(name)
        for whole, part in ((name, ""), (base, anchor)):
            known = next(
                (one for one in self.held if one.place and whole in (one.whole, one.whole_told)), None
            )
            if known is not None and (part or known.anchor) and known.artifact.key in self.copies:
                return await self._read_attached(known, part)
        found = await self.world.attachments.find(name, workspace=self.workspace)
        return found if found is not None else await self._in_folder(name)

    async def _read_attached(self, known: Held, part: str) -> Attached:
        """Read an attached file, or another part of it, under its key."""
        behind = f"#{part}" if part else ""
        reading = self.copies[known.artifact.key].read_as.chosen
        found = await self.world.attachments.read(f"{known.place}{behind}", reading)
        return replace(found, artifact=replace(found.artifact, key=f"{known.whole}{behind}"))

    async def _in_folder(self, name: str) -> Attached | None:
        folder, _, path = name.partition("/")
        top = self.folders.get(folder)
        # What is hidden in a folder was never offered, and nobody's words may bring it.
        if top is None or not path or any(step.startswith(".") for step in path.split("/")):
            return None
        return await self.world.attachments.find(path, top)

    async def other_chat(self, name: str) -> Chat | None:
        if not name.startswith(CHAT):
            return None
        chats = await self.world.store.chats()
        return chat_names((one for one in chats if not one.filed.temporary), self.chat).get(name)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What @names resolved to: files read, other chats as notes, and what was left out."""

    files: tuple[Attached, ...] = ()
    notes: tuple[Artifact, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


async def read_mentioned(chat: str, names: Sequence[str], world: World) -> Mentioned:
    """Read what a question names; other words are ignored. Nothing is changed, so no lock is needed."""
    meant = await Meanings.now(chat, world)
    files: list[Attached] = []
    notes: list[Artifact] = []
    left_out: list[LeftOut] = []
    for name in names[:MOST_MENTIONS]:
        if meant.is_held(name):
            continue
        try:
            found = await meant.file(name)
            if found is not None:
                files.append(found)
            elif (other := await meant.other_chat(name)) is not None:
                notes.append(await chat_note(name, other, world))
        except CannotAttach as refusal:
            left_out += refusal.left_out
    # Code that was pasted is full of such words; where none of them brought anything, there is nothing to say.
    if (more := len(names) - MOST_MENTIONS) > 0 and (files or notes):
        reason = tr(
            "a question brings what its first {most_mentions} names mean", most_mentions=MOST_MENTIONS
        )
        left_out.append(LeftOut(tr("{more:,} more names", more=more), reason))
    return Mentioned(tuple(files), tuple(notes), tuple(left_out))


async def keep_mentioned(chat: str, read: Mentioned, world: World) -> Told:
    """Attach what was read."""
    for note in read.notes:
        await attach_note(chat, note, world)
    changed, covered = await attach_found(chat, read.files, world) if read.files else (False, [])
    left_out = (*read.left_out, *covered)
    return Told(left_out_words(left_out), left_out, changed or bool(read.notes))


async def attach_mentioned(chat: str, names: Sequence[str], world: World) -> Told:
    """Attach what a question names; other words are ignored."""
    return await keep_mentioned(chat, await read_mentioned(chat, names, world), world)


async def attach_named(intent: AttachNamed, world: World) -> Told:
    """Attach names chosen from a list; missing ones are reported."""
    told = await attach_mentioned(intent.chat, intent.names, world)
    meant = await Meanings.now(intent.chat, world)
    refused = {one.path for one in told.left_out}
    gone = [
        LeftOut(name, tr("it is not there any more"))
        for name in intent.names
        if not _known(name, meant, refused)
    ]
    left_out = (*told.left_out, *gone)
    return Told(left_out_words(left_out), left_out, told.changed)


def _known(name: str, meant: Meanings, refused: set[str]) -> bool:
    place = {one.whole for one in meant.held} | {one.whole_told for one in meant.held}
    return (
        meant.is_held(name) or split_anchor(name)[0] in place or any(path.endswith(name) for path in refused)
    )


async def chat_note(name: str, other: Chat, world: World) -> Artifact:
    """Another chat's branch in view as a text, as it is now."""
    records = await world.store.path(other.id)
    text = export_markdown(ChatArchive(other, records)).decode()
    return Artifact(name, "note", text, name.removeprefix(CHAT))
