"""Chats from elsewhere into the store, one by one, each whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.errors import NotKept
from workbench.domain.noted import IMPORTED
from workbench.domain.record import ChatArchive, Snapshot, WorkspaceArchive
from workbench.domain.workspace import EVERYWHERE, Filed, Workspace, is_template, template_of
from workbench.engine.exchange.imported import Imported, Wanted
from workbench.engine.exchange.soundness import renamed
from workbench.ports.history import HistoryStore
from workbench.ports.workspaces import WorkspaceStore

FindFile = Callable[[Wanted, str], Snapshot | str]
"""A file that a chat names, as it was at that time; or why there is none."""


@dataclass(frozen=True, slots=True)
class Adopted:
    """A chat as it was taken over."""

    id: str
    title: str
    messages: int


@dataclass(slots=True)
class Adoption:
    """Takes chats over; what is said about them is gathered.

    Attributes:
        find: looks for files that a chat names, and does not hold.
        adopted: the chats by the id they are kept under. refused: how many were not taken.
        places: where workspaces are kept. workspaces: those that were taken over, as they are kept.
    """

    store: HistoryStore
    new_id: Callable[[], str]
    find: FindFile
    adopted: list[Adopted] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: int = 0
    places: WorkspaceStore | None = None
    workspaces: list[Workspace] = field(default_factory=list)

    async def take_workspace(self, found: WorkspaceArchive, imported: Imported) -> None:
        """Adopt a workspace with its chats, under an id and a name that nobody has here."""
        if self.places is None:
            self.problems.append("There is no place for workspaces here; none was taken over.")
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
        for archive in found.chats:
            await self.take(archive, imported, key)

    async def take(self, archive: ChatArchive, imported: Imported, workspace: str = EVERYWHERE) -> None:
        """Adopt one chat of an import, with what it names if that is found; it is in no workspace of its own choice."""
        archive = replace(
            archive,
            chat=replace(archive.chat, filed=replace(archive.chat.filed, workspace=workspace, rules=())),
        )
        own = {record.id for record in archive.records}
        wanted = [one for one in imported.wanted if one.chat == archive.chat.id and one.message in own]
        complete = await self._with_attachments(archive, wanted) if wanted else archive
        await self._adopt(marked(await self._under_free_id(complete)))

    async def _adopt(self, archive: ChatArchive) -> None:
        chat = archive.chat
        try:
            await self.store.adopt(archive)
        except NotKept as problem:
            self.refused += 1
            self.problems.append(f"{chat.id}: the chat was not imported: {problem}")
            return
        self.adopted.append(Adopted(chat.id, chat.title, len(archive.records)))

    async def _under_free_id(self, archive: ChatArchive) -> ChatArchive:
        taken = archive.chat.id
        # What an import calls itself must not make it what all chats of a workspace are made like.
        if not is_template(taken) and not await self._exists(taken):
            return archive
        free = self.new_id()
        self.problems.append(f"There is a chat {taken} already; the imported one is kept as {free}.")
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
            snapshot = await self._find(one, times[one.message])
            if snapshot is not None:
                found.setdefault((one.key, snapshot.artifact.content_digest), snapshot)
        return replace(archive, snapshots=(*archive.snapshots, *found.values()))

    async def _find(self, wanted: Wanted, when_utc: str) -> Snapshot | None:
        """As it was when it was sent, if the chat it comes from is still here; else as `find` has it."""
        kept = await self.store.snapshots(wanted.origin) if wanted.origin is not None else ()
        same = [one for one in kept if one.artifact.key == wanted.key]
        if same:
            by_then = [one for one in same if one.taken_utc <= when_utc]
            self.problems.append(f"{wanted.key}: attached as it was kept in the chat {wanted.origin}.")
            return replace((by_then or same)[-1 if by_then else 0], chat=wanted.chat)
        taken = await asyncio.to_thread(self.find, wanted, when_utc)
        if isinstance(taken, Snapshot):
            return taken
        self.problems.append(f"{wanted.key}: not attached again: {taken}.")
        return None


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind it where there is a workspace of that name."""
    names = (name, *(f"{name[:70]} {number}" for number in range(2, len(taken) + 3)))
    return next(one for one in names if one.casefold() not in taken)


def marked(archive: ChatArchive) -> ChatArchive:
    """The chat with a word in the notes of its turns: what was sent elsewhere teaches nothing here."""
    turns = (
        turn if turn.usage is None else replace(turn, usage={**turn.usage, IMPORTED: True})
        for turn in archive.turns
    )
    return replace(archive, turns=tuple(turns))
