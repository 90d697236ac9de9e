"""Keeping files as they are now, one after the other, and attaching them all at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.attached import Attached, KeptCopy, LeftOut
from workbench.domain.attachment import PRIORITY_ESSENTIAL, Artifact
from workbench.domain.file_names import free_name
from workbench.domain.record import Snapshot
from workbench.engine.chats.parts import covered_by, is_covered, under_held_key
from workbench.engine.conversation import Conversation
from workbench.engine.keeping import load_conversation
from workbench.engine.world import World


class FileKeeping:
    """Files on their way into a chat; used by who holds the chat's lock.

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
        self._changed = False
        self.left_out: list[LeftOut] = []

    @classmethod
    async def of(cls, chat: str, world: World, *, anew: bool) -> FileKeeping:
        """A keeping for what is attached to a chat now."""
        conversation = await load_conversation(world.store, chat)
        return cls(conversation, await world.store.copies(chat), world, anew=anew)

    async def add(self, found: Attached, priority: int | None = None) -> None:
        """Keep a file as it was read."""
        near, places = self._near(found), self._places
        taken = under_held_key(found, near, places)
        around = is_covered(taken, near, places) if self._anew else ""
        if around:
            self.left_out.append(LeftOut(taken.artifact.key, f"it is part of {around}, which is attached"))
            return
        named = replace(taken.artifact, name=self._names.of(taken))
        artifact = settled(_ranked(named, priority), self._held.get(named.key))
        places[artifact.key] = taken.place or artifact.key
        fallen = [self._held.pop(key) for key in tuple(covered_by(taken, near, places))]
        artifact = in_place_of(fallen, artifact)
        await self._world.store.keep_snapshot(_snapshot(self._chat, artifact, taken, self._world))
        if taken.sendable:
            await keep_copy(self._chat, artifact, taken.sendable, self._world)
        self._held[artifact.key] = artifact
        self._at.setdefault(places[artifact.key], []).append(artifact.key)
        self._changed = True

    def _near(self, found: Attached) -> list[Artifact]:
        """What is attached of the same file, under whatever name: with thousands of others nobody compares it."""
        keys = dict.fromkeys((*self._at.get(found.place, ()), found.artifact.key))
        return [self._held[key] for key in keys if key in self._held]

    async def attach(self) -> bool:
        """Attach everything that was kept; whether there was anything."""
        if self._changed:
            await self._world.store.save_attached(self._chat, tuple(self._held.values()))
        return self._changed


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
        self._taken = set(self._given.values())

    def of(self, taken: Attached) -> str:
        """The name of a file; empty where its key is what it is called."""
        key = taken.artifact.key
        if key not in self._given:
            self._given[key] = free_name(taken.names, self._taken) if taken.names else key
            self._taken.add(self._given[key])
        name = self._given[key]
        return "" if name == key else name


def _ranked(artifact: Artifact, priority: int | None) -> Artifact:
    """With another priority, where one is wanted; the lowest number is never dropped."""
    if priority is None:
        return artifact
    return replace(artifact, priority=priority, essential=priority == PRIORITY_ESSENTIAL)


def settled(new: Artifact, old: Artifact | None) -> Artifact:
    """Something read anew, with what somebody decided about the one from before."""
    if old is None:
        return new
    return replace(
        new, title=old.title, priority=old.priority, essential=old.essential, most_tokens=old.most_tokens
    )


def in_place_of(parts: Sequence[Artifact], whole: Artifact) -> Artifact:
    """What takes the place of parts, held at least as fast as each of them was."""
    return replace(
        whole,
        priority=min((whole.priority, *(part.priority for part in parts))),
        essential=whole.essential or any(part.essential for part in parts),
    )


async def keep_copy(chat: str, artifact: Artifact, content: bytes, world: World) -> None:
    """Keep bytes that are in no file."""
    await world.store.keep_snapshot(Snapshot(chat, artifact, world.utc.utc_now(), content))
