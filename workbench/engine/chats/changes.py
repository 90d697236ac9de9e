"""What a person changes about a chat between turns: attachments, settings, branch, title; each kept at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from workbench.domain.chat_title import title_from
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.message import Message
from workbench.domain.record import Chat, Record
from workbench.domain.workspace import template_of
from workbench.engine import intents
from workbench.engine.attaching_intents import (
    AttachNamed,
    AttachPages,
    ChooseParts,
    FreezeArtifacts,
    PartsChange,
    ReadOtherwise,
)
from workbench.engine.chats.attaching import (
    Told,
    attach_files,
    attach_picture,
    attach_text,
    change_attached,
    refresh_files,
)
from workbench.engine.chats.choosing import attach_pages, choose_parts, read_otherwise
from workbench.engine.chats.file_keeping import freeze_files, put_back
from workbench.engine.chats.mentioned import attach_named
from workbench.engine.tuning_intents import (
    DetachShared,
    PutBackAttached,
    TakeAnswer,
    TuneAttached,
    TuneLog,
    TuneMessages,
    TuneSummaries,
)
from workbench.engine.world import World


class NothingToUndo(WorkbenchError):
    """The message is not the result of a tool that changed something, or it was undone already."""

    def __init__(self) -> None:
        super().__init__(
            "There is nothing to undo here: this call changed nothing, or it was undone already."
        )


def chat_of(intent: intents.StartChat, now_utc: str) -> Chat:
    """The chat that is to be made."""
    return Chat(intent.chat, now_utc, intent.title, intent.settings, intent.parameters, filed=intent.filed)


async def create_chat(chat: Chat, world: World) -> None:
    """Keep a chat, with the files that all have in its workspace."""
    await world.store.create_chat(chat)
    if chat.filed.workspace and world.workspaces.store is not None:
        await world.workspaces.store.join(chat.id, chat.filed.workspace)


async def change_chat(intent: intents.ChatChange, world: World) -> Told:
    """Do one change and keep it; what a person should know about it, empty where there is nothing to say."""
    if isinstance(intent, intents.Attaching):
        return await _change_attached(intent, world)
    match intent:
        case intents.ChangeSettings(chat):
            await update_chat(chat, world, lambda kept: replace(kept, settings=intent.of(kept.settings)))
        case TuneMessages() | TuneSummaries():
            await _tune_messages(intent, world)
        case TuneLog():
            await _tune_log(intent, world)
        case intents.ShowBranch(chat, message):
            leaf = await _newest_leaf(chat, message, world)
            await update_chat(chat, world, lambda kept: replace(kept, leaf=leaf))
        case TakeAnswer():
            await _take_answer(intent, world)
        case intents.RenameChat(chat, title):
            await update_chat(chat, world, lambda kept: replace(kept, title=title))
        case intents.DeleteChat(chat) | intents.RestoreChat(chat):
            now = world.utc.utc_now() if isinstance(intent, intents.DeleteChat) else None
            await update_chat(chat, world, lambda kept: replace(kept, deleted_utc=now))
        case intents.UndoToolCall(chat, message):
            await _undo(chat, message, world)
        case _:
            assert_never(intent)
    return Told()


async def _take_answer(intent: TakeAnswer, world: World) -> None:
    # Seldom wanted, and it brings all of comparing along.
    from workbench.engine.experiment.taking import send_with_answer, take_answer

    if intent.unsent is not None:
        await send_with_answer(intent.unsent, intent.variant, intent.cell, world)
        return
    turn = await world.store.turn(intent.chat, intent.question, intent.reply)
    if turn is None:
        raise NotKept("The turn of this answer is gone, so it cannot be taken over.")
    await take_answer(turn, intent.variant, intent.cell, world)


async def update_chat(chat: str, world: World, change: Callable[[Chat], Chat]) -> None:
    """Read a chat, change it, write it back; no turn moves its leaf in between."""
    async with world.locks.of(chat):
        await world.store.change_chat(chat, change)


async def title_chat(chat: str, question: Message, world: World) -> str | None:
    """Call a chat without a title after its first question; the title, None where it has one already."""
    if (await world.store.chat(chat)).title:
        return None
    asked = [record.entry for record in await world.store.path(chat) if isinstance(record.entry, Message)]
    first = next((message for message in asked if message.role == "user"), question)
    title = title_from(first.text)
    await update_chat(chat, world, lambda kept: replace(kept, title=kept.title or title))
    return (await world.store.chat(chat)).title


async def _change_attached(intent: intents.Attaching, world: World) -> Told:
    match intent:
        case intents.RefreshArtifacts(chat, keys):
            return await refresh_files(chat, keys, world)
        case intents.AttachArtifact(chat, artifact):
            await change_attached(chat, (), (artifact,), world)
        case intents.DetachArtifacts(chat, keys):
            await change_attached(chat, keys, (), world)
        case DetachShared(chat, workspace, but):
            shared = [one.key for one in await world.store.attached(template_of(workspace))]
            await change_attached(chat, [key for key in shared if key not in but], (), world)
        case FreezeArtifacts():
            await freeze_files(intent, world)
        case PutBackAttached():
            await put_back(intent, world)
        case TuneAttached():
            await _tune_attached(intent, world)
        case intents.AttachText():
            await attach_text(intent, world)
        case intents.AttachPicture():
            await attach_picture(intent, world)
        case _:
            return await _change_files(intent, world)
    return Told()


async def _change_files(intent: intents.AttachFiles | PartsChange, world: World) -> Told:
    match intent:
        case intents.AttachFiles():
            return await attach_files(intent, world)
        case ChooseParts():
            return await choose_parts(intent, world)
        case ReadOtherwise():
            return await read_otherwise(intent, world)
        case AttachPages():
            return await attach_pages(intent, world)
        case AttachNamed():
            return await attach_named(intent, world)
        case _:
            assert_never(intent)


async def _tune_attached(intent: TuneAttached, world: World) -> None:
    """What a person saw when they decided may be older than what is attached now: only the named keys change."""
    async with world.locks.of(intent.chat):
        held = await world.store.attached(intent.chat)
        await world.store.save_attached(intent.chat, intent.of(held))


async def _tune_messages(intent: TuneMessages | TuneSummaries, world: World) -> None:
    async with world.locks.of(intent.chat):
        held = await world.store.tuning(intent.chat)
        await world.store.save_tuning(intent.chat, intent.of(held))


async def _tune_log(intent: TuneLog, world: World) -> None:
    """What was said last is read here: what a person saw when they decided may be older."""
    async with world.locks.of(intent.chat):
        held = await world.store.tuning(intent.chat)
        path = await world.store.path(intent.chat)
        await world.store.save_tuning(intent.chat, intent.of(held, path[-1].id if path else ""))


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
    async with world.locks.of(f"undo in {chat}"):
        found = await world.store.tail(chat, 1, message)
        notes = found[0].metadata if found and found[0].id == message else {}
        note = notes.get("undo")
        await world.workspaces.ready()
        box = world.toolbox_in(world.workspaces.of(await world.store.chat(chat)))
        if note is None or notes.get("undone") or box is None:
            raise NothingToUndo
        outcome = await box.undo(note)
        if outcome.failed:
            raise WorkbenchError(outcome.text)
        now = world.utc.utc_now()
        await world.store.annotate(chat, message, lambda noted: {**noted, "undone": now})
