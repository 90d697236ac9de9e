"""Looking after the store: checking every page, reference, key and count."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial

from sqlalchemy import Connection, func, select

from workbench.domain.errors import StoreDamaged, WorkbenchError
from workbench.domain.record import Verification
from workbench.storage.chats import chats, messages, turns
from workbench.storage.database.database import Database
from workbench.storage.database.schema import chat, message, provider_key

_FINDINGS_SHOWN = 20


def verify(database: Database) -> Verification:
    """Check pages, references and counts; findings are sentences, at most twenty of a kind.

    Each check is a transaction of its own: one bad page spoils the connection that met it, not the others.
    """
    problems: list[str] = []
    for name, check in _CHECKS.items():
        problems += _finished(database, name, check)
    unreadable: list[str] = []
    for key in _chat_ids(database):
        unreadable += _finished(database, f"the chat {key!r}", partial(_unreadable, chat_id=key))
    return Verification(
        pages=_number(database, "PRAGMA page_count"),
        chats=_number(database, "SELECT count(*) FROM chat"),
        messages=_number(database, "SELECT count(*) FROM message"),
        turns=_number(database, "SELECT count(*) FROM turn"),
        locked=len(unreadable),
        problems=(*problems, *unreadable[:_FINDINGS_SHOWN]),
    )


def _finished(database: Database, name: str, check: Callable[[Connection], Iterator[str]]) -> list[str]:
    """What a check found, and that it could not be finished where that is so."""
    found: list[str] = []
    try:
        with database.transaction() as connection:
            found.extend(check(connection))
    except StoreDamaged:
        found.append(f"{name} could not be read to the end")
    return found


def _chat_ids(database: Database) -> list[str]:
    try:
        with database.transaction() as connection:
            return list(connection.execute(select(chat.c.id)).scalars())
    except StoreDamaged:
        return []


def _number(database: Database, sql: str) -> int:
    try:
        with database.transaction() as connection:
            return int(connection.exec_driver_sql(sql).scalar_one())
    except StoreDamaged:
        return 0


def _page_problems(connection: Connection) -> Iterator[str]:
    for check in ("cipher_integrity_check", "integrity_check"):
        for (finding,) in connection.exec_driver_sql(f"PRAGMA {check}").all()[:_FINDINGS_SHOWN]:
            if finding != "ok":
                yield f"{check}: {finding}"


def _reference_problems(connection: Connection) -> Iterator[str]:
    for row in connection.exec_driver_sql("PRAGMA foreign_key_check").all()[:_FINDINGS_SHOWN]:
        yield f"a row of {row[0]} refers to a row of {row[2]} that is not there"


def _index_problems(connection: Connection) -> Iterator[str]:
    findable = select(func.count()).where(message.c.state != "running", message.c.deleted_utc.is_(None))
    expected = connection.execute(findable).scalar_one()
    indexed = connection.exec_driver_sql("SELECT count(*) FROM message_words").scalar_one()
    if indexed != expected:
        yield f"the search index knows {indexed} messages of {expected}"


def _key_problems(connection: Connection) -> Iterator[str]:
    for row in connection.execute(select(provider_key)).all():
        if not row.origin or row.secret == b"":
            yield f"the provider key for {row.origin!r} is empty"


def _unreadable(connection: Connection, chat_id: str) -> Iterator[str]:
    """Rows that are there but cannot be understood."""
    try:
        chats.one(connection, chat_id)
        messages.everything(connection, chat_id)
        turns.of_chat(connection, chat_id)
        chats.snapshots(connection, chat_id)
        chats.attached(connection, chat_id)
        chats.tuning(connection, chat_id)
    except (WorkbenchError, ValueError, KeyError, TypeError, zlib.error) as problem:
        yield f"the chat {chat_id!r} holds something unreadable ({type(problem).__name__})"


_CHECKS = {
    "the check of all pages": _page_problems,
    "the check of references": _reference_problems,
    "the search index": _index_problems,
    "the check of provider keys": _key_problems,
}
