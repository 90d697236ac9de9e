"""Imports chats into the store in groups, each chat whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from workbench.domain.errors import NotKept
from workbench.domain.message import Entry, Message
from workbench.domain.record import IMPORTED, ChatArchive, Record, Snapshot, WorkspaceArchive
from workbench.domain.translation import tr
from workbench.domain.workspace import EVERYWHERE, Brought, Filed, Workspace, is_template, template_of
from workbench.engine.exchange.imported import Imported, Wanted
from workbench.engine.exchange.soundness import renamed
from workbench.engine.exchange.source_ids import words_digest
from workbench.ports.history import HistoryStore
from workbench.ports.workspaces import WorkspaceStore

# A chat that is there already beside the same one from a file: what is new, and where it belongs.


@dataclass(frozen=True, slots=True)
class Merged:
    """What an import adds to a chat.

    Attributes:
        added: messages that are not there yet, after the ones that they answer; others of the chat stay as they are.
        leaf: the message in view afterwards. branched: whether what is new stands beside what was written here.
        richer: how many messages that are there have pictures or thoughts in the file that they lack here.
    """

    added: tuple[Record, ...]
    leaf: str | None
    branched: bool = False
    richer: int = 0


def merge(kept: ChatArchive, found: ChatArchive, back: Collection[str] = ()) -> Merged | None:
    """What an imported chat adds to the stored one; None if the two share only their id.

    A message that says something else than the one of its id is another version of it. What was deleted here stays
    so, but for messages in `back`, which an import brought that was taken back.
    """
    known = {record.id: record for record in kept.records}
    names: dict[str, str] = {}
    added: list[Record] = []
    common = richer = 0
    for record in found.records:
        key = record.id
        if key in known and not same_words(known[key].entry, record.entry):
            key = f"{key}:{words_digest(record.entry)[:8]}"
        else:
            common += key in known
            richer += key in known and _has_more(record.entry, known[key].entry)
        names[record.id] = key
        if key not in known or key in back:
            parent = None if record.parent is None else names[record.parent]
            entry = replace(record.entry, id=key)
            added.append(replace(record, chat=kept.chat.id, entry=entry, parent=parent))
    if not common and known and found.records:
        return None
    ahead = names.get(found.chat.leaf or "")
    follows = ahead is not None and _is_ancestor(kept.chat.leaf, ahead, (*kept.records, *added))
    moved = ahead is not None and any(record.id == ahead for record in added) and follows
    return Merged(tuple(added), ahead if moved else kept.chat.leaf, bool(added) and not moved, richer)


def same_words(one: Entry, other: Entry) -> bool:
    """Whether two messages have the same text and calls, ignoring pictures and thoughts."""
    if not isinstance(one, Message) or not isinstance(other, Message):
        return one == other
    return (one.role, _texts(one), _calls(one)) == (other.role, _texts(other), _calls(other))


def _has_more(found: Entry, kept: Entry) -> bool:
    """Whether the imported message has pictures or thoughts that the stored one lacks."""
    if not isinstance(found, Message) or not isinstance(kept, Message):
        return False
    return bool((found.images and not kept.images) or (found.thinking and not kept.thinking))


def _texts(message: Message) -> Sequence[str]:
    return [text for text in message.texts if text]


def _calls(message: Message) -> Sequence[tuple[str, str]]:
    return [(call.name, call.arguments) for call in message.tool_calls]


def _is_ancestor(start: str | None, end: str, records: Sequence[Record]) -> bool:
    """Whether a message is an ancestor of another one; True if there is no start."""
    if start is None:
        return True
    parents = {record.id: record.parent for record in records}
    at: str | None = end
    for _ in range(len(parents) + 1):
        if at == start:
            return True
        at = None if at is None else parents.get(at)
    return False


MESSAGES_AT_ONCE = 1000
"""So many messages are kept in one step, or one longer chat: what is killed in between loses that step only."""

FindFile = Callable[[Wanted, str], Snapshot | str]
"""A file that a chat names, as it was at that time; or why there is none."""


@dataclass(frozen=True, slots=True)
class Adopted:
    """An imported chat: new, or an existing one and the number of messages added."""

    id: str
    title: str
    messages: int
    how: Literal["new", "grown"] = "new"


@dataclass(slots=True)
class Adoption:
    """Imports chats and workspaces, and collects what is to be reported.

    Attributes:
        find: looks for files that a chat names, and does not hold.
        adopted: the chats by the id they are kept under. refused: how many were not taken.
        places: where workspaces are kept. workspaces: those that were taken over, as they are kept.
        now_utc: when it is, so that an import can be taken back; empty where it is none.
        there: how many chats were there already, with nothing new in them. deleted: how many were deleted here.
        branched: how many have grown beside what was written here. richer: how many messages lack something here.
    """

    store: HistoryStore
    new_id: Callable[[], str]
    find: FindFile
    adopted: list[Adopted] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: int = 0
    places: WorkspaceStore | None = None
    workspaces: list[Workspace] = field(default_factory=list)
    now_utc: str = ""
    there: int = 0
    deleted: int = 0
    branched: int = 0
    richer: int = 0

    async def take_workspace(self, found: WorkspaceArchive, imported: Imported) -> None:
        """Import a workspace with its chats, under a new id and a free name."""
        if self.places is None:
            self.problems.append(tr("There is no place for workspaces here; none was taken over."))
            return
        kept = await self.places.workspaces()
        taken, names = {one.id for one in kept}, {one.name.casefold() for one in kept if not one.deleted_utc}
        workspace = found.workspace
        key = workspace.id
        if key in taken or await self._exists(template_of(key)):
            key = self.new_id()
        workspace = replace(workspace, id=key, name=_free_name(workspace.name, names))
        template = renamed(found.template, template_of(key))
        await self.store.adopt(replace(template, chat=replace(template.chat, filed=Filed(key))))
        await self.places.save_workspace(workspace)
        for prompt in found.prompts:
            await self.places.save_prompt(replace(prompt, workspace=key))
        self.workspaces.append(workspace)
        for some in groups(found.chats):
            await self.take_all(some, imported, key)

    def sentences(self) -> list[str]:
        """Sentences about chats that existed before."""
        return [
            one if number == 1 else many.format(n=number)
            for number, one, many in (
                (self.there, _THERE, _MANY_THERE),
                (self.branched, _BRANCHED, _MANY_BRANCHED),
                (self.deleted, _DELETED, _MANY_DELETED),
                (self.richer, _RICHER, _MANY_RICHER),
            )
            if number
        ]

    async def take(self, archive: ChatArchive, imported: Imported) -> None:
        await self.take_all((archive,), imported)

    async def take_all(
        self, archives: Sequence[ChatArchive], imported: Imported, workspace: str = EVERYWHERE
    ) -> None:
        """Adopt some chats of an import in one step, with what they name if that is found.

        They are in no workspace of their own choice. Of a chat that is there already only what is new is added; in a
        workspace of its own it is another one.
        """
        wanted: dict[str, list[Wanted]] = {}
        for one in imported.wanted:
            wanted.setdefault(one.chat, []).append(one)
        ready = [await self._ready(one, wanted.get(one.chat.id, ()), workspace) for one in archives]
        ready = await self._merge_existing(
            ready, imported, again=workspace == EVERYWHERE and bool(self.now_utc)
        )
        ready = [
            self._with_mark(one, Brought(imported.source, self.now_utc, len(one.records))) for one in ready
        ]
        for archive, why in zip(ready, await self.store.adopt_all(ready), strict=True):
            self._note(archive, why)

    async def _merge_existing(
        self, ready: Sequence[ChatArchive], imported: Imported, again: bool
    ) -> list[ChatArchive]:
        """Merge the chats that exist already; return those that do not."""
        kept = await self.store.kept([one.chat.id for one in ready])
        new: dict[str, ChatArchive] = {}
        grown: list[ChatArchive] = []
        for found in ready:
            one, there = found, kept.get(found.chat.id) or new.get(found.chat.id)
            # The same id may be somebody else's: then it is known by what is said first, here and the next time.
            added = merge(there, one, _undone_messages(there)) if there is not None and again else None
            if there is not None and added is None:
                one = await self._under_other_id(one, again)
                there = (await self.store.kept((one.chat.id,))).get(one.chat.id) or new.get(one.chat.id)
                added = merge(there, one, _undone_messages(there)) if there is not None else None
            if there is None:
                new[one.chat.id] = one
            elif added is not None and one.chat.id in new:
                new[one.chat.id] = _union(there, added, one)
            else:
                grown += self._merged(there, added, one, imported)
        if grown:
            await self.store.merge_all(grown)
        return list(new.values())

    def _merged(
        self, there: ChatArchive, added: Merged | None, found: ChatArchive, imported: Imported
    ) -> Iterator[ChatArchive]:
        """The chat with what is new in it, if anything is."""
        undone = [one for one in there.chat.filed.brought if one.undone]
        if there.chat.deleted_utc is not None and not any(one.whole for one in undone):
            self.deleted += 1
            return
        back = there.chat.deleted_utc is not None
        self.richer += 0 if added is None else added.richer
        if added is None or not (added.added or back):
            self.there += 1
            return
        new = tuple(record.id for record in added.added)
        everything = len({*new, *(record.id for record in there.records)})
        mark = Brought(imported.source, self.now_utc, everything if back else 0, () if back else new)
        before = tuple(one for one in there.chat.filed.brought if not one.undone)
        chat = replace(there.chat, leaf=added.leaf, deleted_utc=None)
        chat = replace(chat, filed=replace(chat.filed, brought=(*before, mark)))
        number = everything if back else len(new)
        self.adopted.append(Adopted(chat.id, chat.title, number, "new" if back else "grown"))
        self.branched += added.branched and not back
        yield _with_parts(replace(there, chat=chat), added, found)

    def _with_mark(self, archive: ChatArchive, mark: Brought) -> ChatArchive:
        if not self.now_utc:
            return archive
        filed = replace(archive.chat.filed, brought=(mark,))
        return replace(archive, chat=replace(archive.chat, filed=filed))

    async def _under_other_id(self, archive: ChatArchive, again: bool) -> ChatArchive:
        """The chat under a new id, if another chat has the id of its file."""
        first = archive.records[0].entry if archive.records else None
        if not again or first is None:
            return await self._under_new_id(archive)
        other = f"{archive.chat.id}:{words_digest(first, archive.chat.title)[:8]}"
        self.problems.append(
            tr(
                "There is another chat {id}; the imported one is kept as {other}.",
                id=archive.chat.id,
                other=other,
            )
        )
        return await asyncio.to_thread(renamed, archive, other)

    async def _ready(self, archive: ChatArchive, wanted: Sequence[Wanted], workspace: str) -> ChatArchive:
        archive = replace(
            archive,
            chat=replace(
                archive.chat,
                filed=replace(archive.chat.filed, workspace=workspace, rules=(), brought=()),
            ),
        )
        own = {record.id for record in archive.records} if wanted else set()
        here = [one for one in wanted if one.message in own]
        complete = marked(await self._with_attachments(archive, here) if here else archive)
        # What an import calls itself must not make it what all chats of a workspace are made like.
        return await self._under_new_id(complete) if is_template(complete.chat.id) else complete

    def _note(self, archive: ChatArchive, refusal: str) -> None:
        chat = archive.chat
        if refusal:
            self.refused += 1
            self.problems.append(
                tr("{id}: the chat was not imported: {refusal}", id=chat.id, refusal=refusal)
            )
        else:
            self.adopted.append(Adopted(chat.id, chat.title, len(archive.records)))

    async def _under_new_id(self, archive: ChatArchive) -> ChatArchive:
        free = self.new_id()
        self.problems.append(
            tr(
                "There is a chat {id} already; the imported one is kept as {free}.",
                id=archive.chat.id,
                free=free,
            )
        )
        # Every message bears the id: of a long chat that takes a while.
        return await asyncio.to_thread(renamed, archive, free)

    async def _exists(self, chat: str) -> bool:
        try:
            await self.store.chat(chat)
        except NotKept:
            return False
        return True

    async def _with_attachments(self, archive: ChatArchive, wanted: Sequence[Wanted]) -> ChatArchive:
        times = {record.id: record.created_utc for record in archive.records}
        found: dict[tuple[str, str], Snapshot] = {}
        for one in wanted:
            snapshot = await self._find_attachment(one, times[one.message])
            if snapshot is not None:
                found.setdefault((one.key, snapshot.artifact.content_digest), snapshot)
        return replace(archive, snapshots=(*archive.snapshots, *found.values()))

    async def _find_attachment(self, wanted: Wanted, when_utc: str) -> Snapshot | None:
        """The attachment as it was when it was sent, if the chat it came from exists; else what `find` gives."""
        kept = await self.store.snapshots(wanted.origin) if wanted.origin is not None else ()
        same = [one for one in kept if one.artifact.key == wanted.key]
        if same:
            by_then = [one for one in same if one.taken_utc <= when_utc]
            self.problems.append(
                tr(
                    "{key}: attached as it was kept in the chat {origin}.",
                    key=wanted.key,
                    origin=wanted.origin,
                )
            )
            return replace((by_then or same)[-1 if by_then else 0], chat=wanted.chat)
        taken = await asyncio.to_thread(self.find, wanted, when_utc)
        if isinstance(taken, Snapshot):
            return taken
        self.problems.append(tr("{key}: not attached again: {taken}.", key=wanted.key, taken=taken))
        return None


_THERE = tr("1 chat was already here, with nothing new in it.")
_MANY_THERE = tr("{n:,} chats were already here, with nothing new in them.")
_BRANCHED = tr("1 chat was continued here too: its new messages are a branch, and the one in view stays.")
_MANY_BRANCHED = tr(
    "{n:,} chats were continued here too: their new messages are branches, and those in view stay."
)
_DELETED = tr("1 chat was deleted here and stays deleted. To import it again, purge deleted chats first.")
_MANY_DELETED = tr(
    "{n:,} chats were deleted here and stay deleted. To import them again, purge deleted chats first."
)


_RICHER = tr(
    "1 message that was already here has pictures or thinking in the file "
    "that it lacks here. It stays as it is; delete its chat, purge, and "
    "import again to have them."
)
_MANY_RICHER = tr(
    "{n:,} messages that were already here have pictures or thinking in "
    "the file that they lack here. They stay as they are; delete their "
    "chats, purge, and import again to have them."
)


def _undone_messages(there: ChatArchive | None) -> frozenset[str]:
    """Ids of messages from an import that was undone."""
    brought = there.chat.filed.brought if there is not None else ()
    return frozenset(key for one in brought if one.undone for key in one.messages)


def _union(there: ChatArchive, added: Merged, found: ChatArchive) -> ChatArchive:
    """Two parts of one import that are the same chat, as one."""
    more = _with_parts(there, added, found)
    return replace(
        there,
        chat=replace(there.chat, leaf=added.leaf),
        records=(*there.records, *more.records),
        turns=(*there.turns, *more.turns),
        snapshots=(*there.snapshots, *more.snapshots),
    )


def _with_parts(there: ChatArchive, added: Merged, found: ChatArchive) -> ChatArchive:
    """The chat with its new messages only, their requests and their attachments."""
    ids = {record.id for record in added.added}
    keys = {key for record in added.added for key in record.attached}
    entries = [record.entry for record in added.added]
    keys |= {image.source for entry in entries if isinstance(entry, Message) for image in entry.images}
    return replace(
        there,
        records=added.added,
        turns=tuple(turn for turn in found.turns if turn.question in ids),
        snapshots=tuple(one for one in found.snapshots if one.artifact.key in keys),
    )


def groups(archives: Sequence[ChatArchive]) -> Iterator[tuple[ChatArchive, ...]]:
    """Chats in groups for one transaction each: large enough to be fast, small enough not to block."""
    some: list[ChatArchive] = []
    messages = 0
    for archive in archives:
        if some and messages + len(archive.records) > MESSAGES_AT_ONCE:
            yield tuple(some)
            some, messages = [], 0
        some.append(archive)
        messages += len(archive.records) + 1
    if some:
        yield tuple(some)


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number appended if a workspace has that name."""
    names = (name, *(f"{name[:70]} {number}" for number in range(2, len(taken) + 3)))
    return next(one for one in names if one.casefold() not in taken)


def marked(archive: ChatArchive) -> ChatArchive:
    """The chat with its turns marked as imported, so that nothing is learnt from them."""
    turns = (
        turn if turn.usage is None else replace(turn, usage={**turn.usage, IMPORTED: True})
        for turn in archive.turns
    )
    return replace(archive, turns=tuple(turns))
