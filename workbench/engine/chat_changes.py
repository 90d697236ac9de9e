"""What a person changes about a chat between turns: attachments, settings, branch, title; each kept at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from workbench.domain.attachment import Artifact
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.record import Chat, Record, Snapshot
from workbench.engine.conversation import reattach
from workbench.engine.intents import (
    AttachArtifact,
    AttachFiles,
    ChangeSettings,
    ChangeTuning,
    ChatChange,
    DeleteChat,
    DetachArtifacts,
    RenameChat,
    ShowBranch,
    StartChat,
    UndoToolCall,
)
from workbench.engine.world import World


class NothingToUndo(WorkbenchError):
    """The message is not the result of a tool that changed something, or it was undone already."""

    def __init__(self) -> None:
        super().__init__(
            "There is nothing to undo here: this call changed nothing, or it was undone already."
        )


async def start_chat(intent: StartChat, world: World) -> None:
    """Keep a new, empty chat."""
    chat = Chat(intent.chat, world.utc.utc_now(), intent.title, intent.settings, intent.parameters)
    await world.store.create_chat(chat)


async def change_chat(intent: ChatChange, world: World) -> None:
    """Do one change and keep it."""
    match intent:
        case AttachFiles(chat, paths):
            await _attach_files(chat, paths, world)
        case AttachArtifact(chat, artifact):
            await _reattach(chat, (), (artifact,), world)
        case DetachArtifacts(chat, keys):
            await _reattach(chat, keys, (), world)
        case ChangeSettings(chat, settings):
            await update_chat(chat, world, lambda kept: replace(kept, settings=settings))
        case ChangeTuning(chat, tuning):
            await world.store.save_tuning(chat, tuning)
        case ShowBranch(chat, message):
            leaf = await _newest_leaf(chat, message, world)
            await update_chat(chat, world, lambda kept: replace(kept, leaf=leaf))
        case RenameChat(chat, title):
            await update_chat(chat, world, lambda kept: replace(kept, title=title))
        case DeleteChat(chat):
            now = world.utc.utc_now()
            await update_chat(chat, world, lambda kept: replace(kept, deleted_utc=now))
        case UndoToolCall(chat, message):
            await _undo(chat, message, world)
        case _:
            assert_never(intent)


async def update_chat(chat: str, world: World, change: Callable[[Chat], Chat]) -> None:
    """Read a chat, change it, write it back; no turn moves its leaf in between."""
    async with world.locks.of(chat):
        await world.store.save_chat(change(await world.store.chat(chat)))


async def _attach_files(chat: str, paths: tuple[str, ...], world: World) -> None:
    for path in paths:
        await _attach_file(chat, path, world)


async def _attach_file(chat: str, path: str, world: World) -> None:
    """Read a file and keep what it was; a file that is attached already keeps its priority and pin."""
    taken = await world.attachments.read(path)
    known = {artifact.key: artifact for artifact in await world.store.attached(chat)}
    artifact = taken.artifact
    if artifact.key in known:
        old = known[artifact.key]
        artifact = replace(artifact, title=old.title, priority=old.priority, essential=old.essential)
    snapshot = Snapshot(chat, artifact, world.utc.utc_now(), taken.content, taken.modified_utc)
    await world.store.keep_snapshot(snapshot)
    await _reattach(chat, (), (artifact,), world)


async def _reattach(chat: str, detach: tuple[str, ...], attach: tuple[Artifact, ...], world: World) -> None:
    async with world.locks.of(chat):
        attached = reattach(await world.store.attached(chat), detach, attach)
        await world.store.save_attached(chat, attached)


async def _newest_leaf(chat: str, message: str, world: World) -> str:
    """The end of the branch that goes through a message and was used last."""
    records = [one for one in (await world.store.archive(chat)).records if one.deleted_utc is None]
    if all(record.id != message for record in records):
        raise NotKept(f"There is no message {message!r} here, or it was deleted.")
    children: dict[str | None, list[Record]] = {}
    for record in records:
        children.setdefault(record.parent, []).append(record)
    leaf = message
    while children.get(leaf):
        leaf = max(children[leaf], key=lambda record: record.sequence).id
    return leaf


async def _undo(chat: str, message: str, world: World) -> None:
    """Take back what a tool did, and remember that it was taken back."""
    async with world.locks.of(f"undo in {chat}"):
        found = await world.store.tail(chat, 1, message)
        notes = found[0].metadata if found and found[0].id == message else {}
        note = notes.get("undo")
        if note is None or notes.get("undone") or world.toolbox is None:
            raise NothingToUndo
        outcome = await world.toolbox.undo(note)
        if outcome.failed:
            raise WorkbenchError(outcome.text)
        await world.store.annotate(chat, message, {**notes, "undone": world.utc.utc_now()})
