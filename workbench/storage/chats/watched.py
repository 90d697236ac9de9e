"""Watched chats: when each of them was last used, and what it takes."""

from __future__ import annotations

from sqlalchemy import Connection

from workbench.domain.watch.kept import WatchedSize
from workbench.storage.chats import chats
from workbench.storage.chats.contents import referred

_TURNS = "SELECT coalesce(sum(length(inputs) + length(envelope) + length(usage)), 0) FROM turn WHERE chat = ?"
_PAGES = ("page_count", "freelist_count", "page_size")
_AT_ONCE = 500


def listed(connection: Connection) -> tuple[tuple[WatchedSize, ...], int]:
    """Every watched chat that nobody deleted, those in the bin too, unmeasured; and what the whole store takes."""
    running = {
        *connection.exec_driver_sql("SELECT DISTINCT chat FROM turn WHERE state = 'running'").scalars()
    }
    pages, free, size = (int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in _PAGES)
    found = []
    for one in chats.watched(connection):
        mark = one.filed.watched
        if mark is not None and one.deleted_utc in (None, mark.binned_utc):
            binned = one.deleted_utc or ""
            found.append(WatchedSize(one.id, mark.since(one.used_utc), 0, one.id in running, binned))
    return tuple(found), (pages - free) * size


def measured(connection: Connection, chat: str, known: set[str]) -> int:
    """What a chat takes besides the texts that are known, which are counted already; its own are known then."""
    total = int(connection.exec_driver_sql(_TURNS, (chat,)).scalar_one())
    bodies = connection.exec_driver_sql("SELECT body FROM segment WHERE chat = ?", (chat,)).scalars().all()
    digests = sorted({digest for body in bodies for digest in referred(body)} - known)
    known.update(digests)
    for start in range(0, len(digests), _AT_ONCE):
        some = tuple(bytes.fromhex(digest) for digest in digests[start : start + _AT_ONCE])
        marks = ",".join("?" * len(some))
        sql = f"SELECT coalesce(sum(length(body)), 0) FROM content WHERE digest IN ({marks})"
        total += int(connection.exec_driver_sql(sql, some).scalar_one())
    return total + sum(map(len, bodies))
