"""Stores conversations turn by turn, and loads them so that the next request has the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from workbench.context.assembly.references import promote
from workbench.context.cache.forecast import MOST_HELD
from workbench.context.text.names import with_names
from workbench.domain.change import Built
from workbench.domain.errors import NotKept
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.record import (
    Chat,
    NewestTurns,
    Record,
    Snapshot,
    Standing,
    TurnRecord,
    branch_history,
    is_question,
)
from workbench.domain.settings.context_settings import Freshness
from workbench.domain.side import SideQuestion
from workbench.domain.turn import LibraryEntry
from workbench.domain.workspace import is_template, template_of
from workbench.engine.conversation import Asked, Conversation, after_turn, cached_after
from workbench.ports.history import HistoryStore

NO_CLOCK_UTC = "1970-01-01T00:00:00Z"
"""When something happened of which nobody said when."""
_FAILED: Final = ("interrupted", "failed")

# The library of a chat whose requests were never built here, such as an imported one.


async def rehydrate(store: HistoryStore, chat: str, path: Sequence[Record]) -> Conversation:
    """The conversation as if every question of the path had been asked here, before its next request.

    Attachments are taken from their snapshots; nothing is read from disk or fetched again. What earlier requests
    would have trimmed is decided by the next one, so opening a long chat costs no more than reading it.
    """
    kept = await store.chat(chat)
    chosen = kept.settings.freshness
    freshness: Freshness = "freeze" if chosen == "freeze" else "refresh"
    snapshots = await store.snapshots(chat)
    library: tuple[LibraryEntry, ...] = ()
    questions = [record for record in path if is_question(record)]
    for question in questions:
        if library or question.attached:
            attached = _attached_then(question, snapshots)
            library = promote(library, attached, [artifact.key for artifact in attached], freshness)
    now = await store.attached(chat)
    if not questions:
        library = await shared_library(store, kept, now)
    return Conversation(
        chat,
        len(questions),
        history=branch_history(path),
        attached=now,
        library=library,
        times=times_of(path),
    )


def times_of(path: Sequence[Record]) -> dict[str, str]:
    """Times of messages by id, where known."""
    return {
        entry.id: record.created_utc
        for record in path
        if record.created_utc != NO_CLOCK_UTC
        for entry in (*record.commands, record.entry)
    }


async def shared_library(
    store: HistoryStore, chat: Chat, attached: Sequence[Artifact]
) -> tuple[LibraryEntry, ...]:
    """The initial library of a chat: the files its workspace gave it."""
    shared = await shared_files(store, chat.id, chat.filed.workspace)
    keys = {artifact.key for artifact in shared}
    mine = [artifact for artifact in attached if artifact.key in keys]
    return promote((), mine, keys, "refresh") if mine else ()


async def shared_files(store: HistoryStore, chat: str, workspace: str) -> tuple[Artifact, ...]:
    """The files that every chat of a workspace has."""
    template = chat if is_template(chat) else template_of(workspace)
    if not workspace and template != chat:
        return ()
    try:
        return await store.attached(template)
    except NotKept:
        return ()


def _attached_then(question: Record, snapshots: Sequence[Snapshot]) -> tuple[Artifact, ...]:
    """What was attached to a question: for each key the newest snapshot by then, else the first."""
    found: dict[str, Artifact] = {}
    for key in question.attached:
        taken = [snapshot for snapshot in snapshots if snapshot.artifact.key == key]
        by_then = [snapshot for snapshot in taken if snapshot.taken_utc <= question.created_utc]
        if taken:
            found[key] = (by_then[-1] if by_then else taken[0]).artifact
    return tuple(found.values())


async def load_conversation(
    store: HistoryStore, chat: str, leaf: str | None = None, path: Sequence[Record] | None = None
) -> Conversation:
    """The conversation that the next question continues, with names for files stored by path only.

    `path` is the branch, where it was read already. A question that failed is not part of it: the next one takes its
    place, and it stays as another version. One whose answer somebody stopped was meant.
    """
    path = await store.path(chat, leaf) if path is None else path
    if leaf is None and path and is_question(path[-1]):
        lines = await store.turn_lines(chat, newest=1)
        if (
            lines
            and lines[0].question == path[-1].id
            and lines[0].reply is None
            and lines[0].state in _FAILED
        ):
            return await conversation_before(store, path[-1])
    loaded = _with_names(await kept_conversation(store, chat, leaf, path))
    return replace(loaded, folders=await searched_folders(store, chat))


Branch = tuple[Chat, tuple[Record, ...], Conversation, tuple[SideQuestion, ...]]


async def branch_in_view(store: HistoryStore, chat: str) -> Branch:
    """A chat, its branch in view, the conversation that the next question continues, and its side questions."""
    kept, path = await store.chat(chat), await store.path(chat)
    return kept, path, await load_conversation(store, chat, path=path), await store.sides(chat)


async def searched_folders(store: HistoryStore, chat: str) -> tuple[str, ...]:
    """The folders that are searched for a chat's questions: its own, and those of its workspace."""
    workspace, followed = (await store.chat(chat)).filed.workspace, await store.followed(chat)
    if workspace:
        with suppress(NotKept):
            followed += await store.followed(template_of(workspace))
    return tuple(dict.fromkeys(one.path for one in followed if one.searched))


def _with_names(kept: Conversation) -> Conversation:
    library, attached = with_names(kept.library, kept.attached)
    return kept if attached is kept.attached else replace(kept, library=library, attached=attached)


async def kept_conversation(
    store: HistoryStore, chat: str, leaf: str | None = None, path: Sequence[Record] | None = None
) -> Conversation:
    """The conversation as it was stored: its next request is byte for byte the one before it was closed.

    With a leaf, as it stands on that branch. Where messages never had a request, as in an imported chat, the library
    is rebuilt from what was attached.
    """
    path = await store.path(chat, leaf) if path is None else path
    newest = await store.newest_turns(chat, MOST_HELD, leaf, path)
    last, tuning = newest.last, await store.tuning(chat)
    if last is None:
        return replace(await rehydrate(store, chat, path), tuning=tuning)
    return Conversation(
        id=last.built.inputs.conversation,
        turn=last.number,
        history=branch_history(path),
        attached=await store.attached(chat),
        library=last.after.library,
        trim=last.after.trim,
        tuning=tuning,
        previous=last.built.without_beginning,
        held=_cached_requests(newest),
        times=times_of(path),
    )


def _cached_requests(newest: NewestTurns) -> tuple[Asked, ...]:
    """Requests of a chat that a provider's cache may still hold."""
    held: tuple[Asked, ...] = ()
    for turn in newest.begun:
        held = cached_after(held, Asked(turn.built.without_beginning, asked_at(turn)))
    return held


def asked_at(turn: TurnRecord) -> str | None:
    """When the last request of a turn was sent; None if unknown."""
    noted = (turn.usage or {}).get("request")
    asked = noted.get("asked_utc") if isinstance(noted, dict) else None
    when = asked if isinstance(asked, str) else turn.started_utc
    return None if when == NO_CLOCK_UTC else when


async def conversation_before(store: HistoryStore, record: Record) -> Conversation:
    """The conversation before a message, with the present attachments and tuning."""
    if record.parent is not None:
        return await load_conversation(store, record.chat, record.parent)
    attached, tuning = await store.attached(record.chat), await store.tuning(record.chat)
    held = _cached_requests(await store.newest_turns(record.chat, MOST_HELD))
    library = await shared_library(store, await store.chat(record.chat), attached)
    return _with_names(
        Conversation(
            record.chat, attached=attached, library=library, tuning=tuning, held=held,
            folders=await searched_folders(store, record.chat),
        )
    )  # fmt: skip


async def keep_turn(
    store: HistoryStore, conversation: Conversation, built: Built, reply: Sequence[Message], when_utc: str
) -> Conversation:
    """Store a whole turn with question and answer; return the conversation after it."""
    chat = conversation.id
    parent = conversation.history[-1].id if conversation.history else None
    at = None if when_utc == NO_CLOCK_UTC else when_utc
    after = after_turn(conversation, built, reply, at)
    standing = Standing(after.attached, after.library, after.trim)
    question = built.inputs.question
    turn = TurnRecord(
        chat, after.turn, parent, question.id if question is not None else None, built, standing, when_utc,
        state="complete", finished_utc=when_utc,
    )  # fmt: skip
    await store.save_attached(chat, conversation.attached)
    await store.save_tuning(chat, conversation.tuning)
    if question is None:
        await store.begin_turn(turn, None)
        await store.append(_chained_records(chat, reply, parent, when_utc))
    else:
        # Complete only together with its answer: cut off between the two, it is found as not answered yet.
        begun = replace(turn, state="running", finished_utc=None)
        await store.begin_turn(begun, _question_record(chat, question, parent, built, when_utc))
        await store.finish_turn(turn, _chained_records(chat, reply, question.id, when_utc))
    return after


def _question_record(chat: str, question: Message, parent: str | None, built: Built, when_utc: str) -> Record:
    attached = tuple(artifact.key for artifact in built.inputs.attached)
    return Record(chat, question, when_utc, parent, attached=attached, commands=built.inputs.tool_results)


def _chained_records(
    chat: str, messages: Sequence[Message], parent: str | None, when_utc: str
) -> list[Record]:
    """Records of consecutive messages, each answering the one before."""
    records = []
    for message in messages:
        records.append(Record(chat, message, when_utc, parent))
        parent = message.id
    return records
