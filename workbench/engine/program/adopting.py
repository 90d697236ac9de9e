"""Chats from elsewhere into the store, some at a time, each whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.errors import NotKept
from workbench.domain.record import IMPORTED, ChatArchive, Snapshot, WorkspaceArchive
from workbench.domain.workspace import EVERYWHERE, Filed, Workspace, is_template, template_of
from workbench.engine.exchange.imported import Imported, Wanted
from workbench.engine.exchange.soundness import renamed
from workbench.ports.history import HistoryStore
from workbench.ports.workspaces import WorkspaceStore

MESSAGES_AT_ONCE = 500
"""So many messages are kept in one step, or one longer chat: what is killed in between loses that step only."""

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
        for some in groups(found.chats):
            await self.take_all(some, imported, key)

    async def take(self, archive: ChatArchive, imported: Imported) -> None:
        await self.take_all((archive,), imported)

    async def take_all(
        self, archives: Sequence[ChatArchive], imported: Imported, workspace: str = EVERYWHERE
    ) -> None:
        """Adopt some chats of an import in one step, with what they name if that is found.

        They are in no workspace of their own choice.
        """
        wanted: dict[str, list[Wanted]] = {}
        for one in imported.wanted:
            wanted.setdefault(one.chat, []).append(one)
        ready = [await self._ready(one, wanted.get(one.chat.id, ()), workspace) for one in archives]
        refusals = list(await self.store.adopt_all(ready))
        # Whether somebody has its id is asked only of what was refused: asking for each took longer than keeping it.
        again = {
            place: await self._under_new_id(ready[place])
            for place, why in enumerate(refusals)
            if why and await self._exists(ready[place].chat.id)
        }
        if again:
            for place, why in zip(again, await self.store.adopt_all(tuple(again.values())), strict=True):
                ready[place], refusals[place] = again[place], why
        for archive, why in zip(ready, refusals, strict=True):
            self._note(archive, why)

    async def _ready(self, archive: ChatArchive, wanted: Sequence[Wanted], workspace: str) -> ChatArchive:
        archive = replace(
            archive,
            chat=replace(archive.chat, filed=replace(archive.chat.filed, workspace=workspace, rules=())),
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
            self.problems.append(f"{chat.id}: the chat was not imported: {refusal}")
        else:
            self.adopted.append(Adopted(chat.id, chat.title, len(archive.records)))

    async def _under_new_id(self, archive: ChatArchive) -> ChatArchive:
        free = self.new_id()
        self.problems.append(
            f"There is a chat {archive.chat.id} already; the imported one is kept as {free}."
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


def groups(archives: Sequence[ChatArchive]) -> Iterator[tuple[ChatArchive, ...]]:
    """Chats in groups that are kept in one step: large enough to be quick, small enough that nobody waits for one."""
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
