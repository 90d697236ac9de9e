"""Watched chats: what each of them takes."""

from __future__ import annotations

from sqlalchemy import Connection

from workbench.domain.watch.kept import WatchedSize
from workbench.storage.chats import chats
from workbench.storage.chats.contents import referred

_TURNS = "SELECT coalesce(sum(length(inputs) + length(envelope) + length(usage)), 0) FROM turn WHERE chat = ?"
_AT_ONCE = 500


def sizes(connection: Connection) -> tuple[WatchedSize, ...]:
    """Every watched chat that is not deleted; texts that two of them share count for both."""
    listed = ((chat, chat.filed.watched) for chat in chats.listed(connection))
    return tuple(
        WatchedSize(one.id, mark.since(one.used_utc), _size(connection, one.id))
        for one, mark in listed
        if mark is not None
    )


def _size(connection: Connection, chat: str) -> int:
    total = int(connection.exec_driver_sql(_TURNS, (chat,)).scalar_one())
    bodies = connection.exec_driver_sql("SELECT body FROM segment WHERE chat = ?", (chat,)).scalars().all()
    digests = sorted({digest for body in bodies for digest in referred(body)})
    for start in range(0, len(digests), _AT_ONCE):
        some = tuple(bytes.fromhex(digest) for digest in digests[start : start + _AT_ONCE])
        marks = ",".join("?" * len(some))
        sql = f"SELECT coalesce(sum(length(body)), 0) FROM content WHERE digest IN ({marks})"
        total += int(connection.exec_driver_sql(sql, some).scalar_one())
    return total + sum(map(len, bodies))
