"""Whole chats in one value: taken out for export, put in by import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from workbench.domain.errors import NotKept
from workbench.domain.record import ChatArchive
from workbench.storage.chats import chats, messages, turns


def collect_archive(connection: Connection, chat_id: str) -> ChatArchive:
    """Everything about one chat, deleted messages included."""
    return ChatArchive(
        chat=chats.one(connection, chat_id),
        records=messages.everything(connection, chat_id),
        turns=turns.of_chat(connection, chat_id),
        snapshots=chats.snapshots(connection, chat_id),
        attached=chats.attached(connection, chat_id),
        tuning=chats.tuning(connection, chat_id),
        draft=chats.draft(connection, chat_id),
    )


def kept_archives(connection: Connection, chat_ids: Sequence[str]) -> dict[str, ChatArchive]:
    """The chats of these ids that are there, with all their messages."""
    records = messages.of_chats(connection, chat_ids)
    return {
        one.id: ChatArchive(one, tuple(records.get(one.id, ()))) for one in chats.some(connection, chat_ids)
    }


def merge_archives(connection: Connection, archives: Sequence[ChatArchive]) -> None:
    """Add to chats that are there, and hide or show what is in them."""
    for archive in archives:
        before = chats.one(connection, archive.chat.id)
        there = messages.places(connection, archive.chat.id)
        new = [record for record in archive.records if record.id not in there]
        messages.append(connection, new)
        for record in archive.records:
            if record.id in there:
                messages.set_deleted(connection, there[record.id], record)
        for turn in archive.turns:
            turns.begin(connection, turn)
        for taken in archive.snapshots:
            bare = replace(taken, chat=archive.chat.id, place="", refused="", bound="")
            chats.keep_snapshot(connection, bare)
        given = archive.chat
        filed = replace(before.filed, brought=given.filed.brought)
        chats.save(connection, replace(before, leaf=given.leaf, deleted_utc=given.deleted_utc, filed=filed))


def adopt_archive(connection: Connection, archive: ChatArchive, own: bool = False) -> None:
    """Keep a whole chat; sequences are given anew, order and branches stay."""
    _adopt(connection, (archive,), own)


def adopt_archives(connection: Connection, archives: Sequence[ChatArchive]) -> tuple[str, ...]:
    """Keep several chats, each whole or not at all; for each why it was not kept, else nothing.

    As a rule all of them fit, and are written together; where one does not, each is tried for itself.
    """
    refusal = _tried(connection, archives) if archives else ""
    if not refusal or len(archives) == 1:
        return (refusal,) * len(archives)
    return tuple(_tried(connection, (archive,)) for archive in archives)


def _tried(connection: Connection, archives: Sequence[ChatArchive]) -> str:
    """Keep these chats, or none of them; why not."""
    connection.exec_driver_sql("SAVEPOINT some_chats")
    try:
        with as_not_kept():
            _adopt(connection, archives)
    except NotKept as problem:
        connection.exec_driver_sql("ROLLBACK TO some_chats")
        return str(problem)
    finally:
        connection.exec_driver_sql("RELEASE some_chats")
    return ""


def _adopt(connection: Connection, archives: Sequence[ChatArchive], own: bool = False) -> None:
    chats.begin(connection, archives)
    messages.append(connection, [record for archive in archives for record in archive.records])
    for archive in archives:
        for record in archive.turns:
            turns.begin(connection, record)
        for snapshot in archive.snapshots:
            # Nobody attached these files here: whoever wrote the archive must not choose what is read on this computer.
            taken = snapshot if own else replace(snapshot, place="", refused="", bound="")
            chats.keep_snapshot(connection, replace(taken, chat=archive.chat.id))
    # An archive that says nothing about where it was left ends with its last message.
    ends = {
        one.chat.id: one.chat.leaf
        for one in archives
        if one.records and one.chat.leaf is not None and one.records[-1].id != one.chat.leaf
    }
    chats.look_at(connection, ends)


@contextmanager
def as_not_kept() -> Iterator[None]:
    """Raise `NotKept` in words for people where something does not fit into the tables."""
    try:
        yield
    except IntegrityError as problem:
        raise NotKept(f"This does not fit what is kept ({problem.orig}); nothing was changed.") from None
    except UnicodeEncodeError:
        raise NotKept("An id or a name holds characters that cannot be kept; nothing was changed.") from None
