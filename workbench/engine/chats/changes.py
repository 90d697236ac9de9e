"""Changes of a chat between turns (attachments, settings, branch, title), each stored at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

from workbench.domain.chat_line import title_from
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.files.attached import CannotAttach, LeftOut
from workbench.domain.files.attachment import Artifact, ArtifactKind
from workbench.domain.files.document import Document, Reading
from workbench.domain.files.document_parts import find_section, part_text
from workbench.domain.message import Message
from workbench.domain.record import Chat, Record, Snapshot
from workbench.domain.translation import tr
from workbench.domain.workspace import template_of
from workbench.engine import intents
from workbench.engine.answers.side import make_turn
from workbench.engine.attaching_intents import (
    AttachNamed,
    AttachPages,
    ChooseParts,
    FreezeArtifacts,
    PartsChange,
    ReadOtherwise,
)
from workbench.engine.chats.attached_parts import PARTED, file_name, part_of, whole_of
from workbench.engine.chats.attaching import (
    Told,
    attach_files,
    attach_picture,
    attach_text,
    change_attached,
    left_out_words,
    refresh_files,
)
from workbench.engine.chats.file_keeping import freeze_files, keep_pages, put_back
from workbench.engine.chats.mentioned import attach_named
from workbench.engine.conversation import reattach
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

# What is chosen of a file that is attached: its parts, and as what it is read; always from the copy that was kept.


async def choose_parts(intent: ChooseParts, world: World) -> Told:
    """Attach exactly these parts of a file."""
    chat, file = intent.chat, intent.file
    before = await _attached_of_file(chat, file, world)
    copy = await _copy(chat, before[0].key if before else await _kept_key(chat, file, world), world)
    document = await _document(copy, copy.read_as.chosen, world)
    async with world.locks.of(chat):
        ours = await _attached_of_file(chat, file, world)
        wanted, missing = [], []
        for anchor in ("",) if intent.whole else intent.anchors:
            made = _part(_with_anchor(file, anchor), anchor, ours or (copy.artifact,), document)
            if made is None:
                missing.append(LeftOut(_with_anchor(file, anchor), tr("there is no such part in the file")))
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
    """Read a file as another kind or in another encoding, for all of its attached parts."""
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
        ours = await _attached_of_file(chat, file, world)
        if all(one.key != intent.key for one in ours):
            raise NotKept(tr("{key} is not attached any more.", key=intent.key))
        again, missing = [], []
        for one in ours:
            made = _part(one.key, part_of(one.key, copy.place), (one,), document)
            if made is None:
                missing.append(
                    LeftOut(one.key, tr("there is no such part in the file when it is read so"), stays=True)
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
    """Key of a stored copy of a file, which can be chosen again after it was detached."""
    kept = [copy.key for copy in await world.store.copies(chat) if whole_of(copy.key, copy.place) == file]
    if not kept:
        raise NotKept(tr("{file} is not attached any more, so nothing of it can be chosen.", file=file))
    return kept[-1]


async def _attached_of_file(chat: str, file: str, world: World) -> list[Artifact]:
    """The attachments that come from a file; a file whose own name contains # is not taken for a part of another."""
    places = {copy.key: copy.place for copy in await world.store.copies(chat)}
    held = await world.store.attached(chat)
    return [one for one in held if whole_of(one.key, places.get(one.key, "")) == file]


async def _copy(chat: str, key: str, world: World) -> Snapshot:
    copy = await world.store.newest_snapshot(chat, key)
    if copy is None or copy.artifact.kind not in PARTED:
        raise NotKept(tr("{key} was not attached from a file, so there is nothing to choose of it.", key=key))
    return copy


async def _document(copy: Snapshot, reading: Reading, world: World) -> Document:
    return await world.attachments.document(file_name(copy), copy.content, reading)


def _part(key: str, anchor: str, ours: Sequence[Artifact], document: Document) -> Artifact | None:
    """A part as an artifact: the one attached already, else with the file's priority and pin."""
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
        name=_display_name(first, anchor),
        unread=unread,
    )


def _display_name(one: Artifact, anchor: str) -> str:
    """The name a model sees for a part, derived from that of another part of the same file."""
    if not one.name:
        return ""
    held = one.key.rpartition("#")[2] if "#" in one.key else ""
    base = one.name[: -len(held) - 1] if held and one.name.endswith(f"#{held}") else one.name
    return _with_anchor(base, anchor)


def _with_anchor(file: str, anchor: str) -> str:
    return f"{file}#{anchor}" if anchor else file


class NothingToUndo(WorkbenchError):
    """Raised for a message that is not the result of a tool's change, or was undone already."""

    def __init__(self) -> None:
        super().__init__(
            tr("There is nothing to undo here: this call changed nothing, or it was undone already.")
        )


def chat_of(intent: intents.StartChat, now_utc: str) -> Chat:
    """The new chat that an intent describes."""
    return Chat(intent.chat, now_utc, intent.title, intent.settings, intent.parameters, filed=intent.filed)


async def create_chat(chat: Chat, world: World) -> None:
    """Store a chat, with the files that its workspace shares."""
    await world.store.create_chat(chat)
    if chat.filed.workspace and world.workspaces.store is not None:
        await world.workspaces.store.join(chat.id, chat.filed.workspace)


async def change_chat(intent: intents.ChatChange, world: World) -> Told:
    """Make one change and store it; return what to report to the person."""
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
        case TakeAnswer() | intents.MakeSideTurn():
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


async def _take_answer(intent: TakeAnswer | intents.MakeSideTurn, world: World) -> None:
    if isinstance(intent, intents.MakeSideTurn):
        await make_turn(intent.chat, intent.side, world)
        return
    # Seldom wanted, and it brings all of comparing along.
    from workbench.engine.experiment.taking import send_with_answer, take_answer

    if intent.unsent is not None:
        await send_with_answer(intent.unsent, intent.variant, intent.cell, world)
        return
    turn = await world.store.turn(intent.chat, intent.question, intent.reply)
    if turn is None:
        raise NotKept(tr("The turn of this answer is gone, so it cannot be taken over."))
    await take_answer(turn, intent.variant, intent.cell, world)


async def update_chat(chat: str, world: World, change: Callable[[Chat], Chat]) -> None:
    """Read, change and store a chat under its lock."""
    async with world.locks.of(chat):
        await world.store.change_chat(chat, change)


async def title_chat(chat: str, question: Message, world: World) -> str | None:
    """Title an untitled chat after its first question; return the title, None if it has one already."""
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
    """Change only the named attachments: what the person saw may be older than what is attached now."""
    async with world.locks.of(intent.chat):
        held = await world.store.attached(intent.chat)
        await world.store.save_attached(intent.chat, intent.of(held))


async def _tune_messages(intent: TuneMessages | TuneSummaries, world: World) -> None:
    async with world.locks.of(intent.chat):
        held = await world.store.tuning(intent.chat)
        await world.store.save_tuning(intent.chat, intent.of(held))


async def _tune_log(intent: TuneLog, world: World) -> None:
    """Tune the log from its present end: what the person saw may be older."""
    async with world.locks.of(intent.chat):
        held = await world.store.tuning(intent.chat)
        path = await world.store.path(intent.chat)
        await world.store.save_tuning(intent.chat, intent.of(held, path[-1].id if path else ""))


async def _newest_leaf(chat: str, message: str, world: World) -> str:
    """Leaf of the most recently used branch through a message."""
    records = [one for one in (await world.store.archive(chat)).records if one.deleted_utc is None]
    if all(record.id != message for record in records):
        raise NotKept(tr("There is no message {message!r} here, or it was deleted.", message=message))
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
