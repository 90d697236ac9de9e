"""A whole chat in one value: taken out for export, put in by import."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from workbench.domain.codec import encode
from workbench.domain.record import ChatArchive
from workbench.storage.chats import chats, messages, turns
from workbench.storage.chats.contents import dump


def collect(connection: Connection, chat_id: str) -> ChatArchive:
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


def adopt(connection: Connection, archive: ChatArchive) -> None:
    """Keep a whole chat; sequences are given anew, order and branches stay."""
    chats.create(connection, archive.chat)
    messages.append(connection, archive.records)
    for record in archive.turns:
        turns.begin(connection, record)
    for snapshot in archive.snapshots:
        chats.keep_snapshot(connection, replace(snapshot, chat=archive.chat.id))
    chats.save(connection, archive.chat)
    chats.save_attached(connection, archive.chat.id, archive.attached)
    chats.save_field(connection, archive.chat.id, draft=archive.draft, tuning=dump(encode(archive.tuning)))
