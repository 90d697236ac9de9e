"""Looking after the store: removing for good what was deleted, and checking everything."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from sqlalchemy import Connection, delete, func, select, text, update

from workbench.domain.errors import StoreDamaged, WorkbenchError
from workbench.domain.record import Verification
from workbench.domain.segment import Segment
from workbench.domain.text import digest_text
from workbench.storage import chats, messages, turns
from workbench.storage.contents import PURGED, Texts, referred
from workbench.storage.database import Database
from workbench.storage.schema import chat, content, message, segment, snapshot, turn

_INDEXES = ("message_words", "title_words", "name_words")
_FINDINGS_SHOWN = 20


def purge(connection: Connection) -> int:
    """Remove deleted chats and messages, and all text that nothing refers to any more; how many of them went."""
    # Freed pages are overwritten, so that not even the key brings purged text back.
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    gone = _purge_chats(connection) + _purge_messages(connection)
    _purge_content(connection)
    if gone:
        for index in _INDEXES:
            # What is deleted from an index is only marked so, until its parts are merged.
            connection.execute(text(f"INSERT INTO {index}({index}) VALUES ('optimize')"))
    return gone


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


def _purge_chats(connection: Connection) -> int:
    deleted = select(chat.c.id).where(chat.c.deleted_utc.is_not(None))
    owned = (
        (message.c.sequence, message.c.chat, "message_words"),
        (snapshot.c.id, snapshot.c.chat, "name_words"),
    )
    for column, owner, words in owned:
        numbers = connection.execute(select(column).where(owner.in_(deleted))).scalars().all()
        for number in numbers:
            connection.execute(text(f"DELETE FROM {words} WHERE rowid = :id"), {"id": number})
    for number in (
        connection.execute(select(chat.c.number).where(chat.c.deleted_utc.is_not(None))).scalars().all()
    ):
        connection.execute(text("DELETE FROM title_words WHERE rowid = :id"), {"id": number})
    connection.execute(update(message).where(message.c.chat.in_(deleted)).values(parent=None))
    return connection.execute(delete(chat).where(chat.c.deleted_utc.is_not(None))).rowcount


def _purge_messages(connection: Connection) -> int:
    deleted = message.c.deleted_utc.is_not(None)
    rows = connection.execute(
        select(message.c.sequence, message.c.parent, message.c.chat, message.c.id)
        .where(deleted)
        .order_by(message.c.sequence.desc())
    ).all()
    for row in rows:
        # Children move up, so that a branch stays a branch; so do turns that stood there, and the branch in view.
        connection.execute(update(message).where(message.c.parent == row.sequence).values(parent=row.parent))
        connection.execute(update(turn).where(turn.c.parent == row.sequence).values(parent=row.parent))
        before = select(message.c.id).where(message.c.sequence == row.parent).scalar_subquery()
        in_view = (chat.c.id == row.chat) & (chat.c.leaf == row.id)
        connection.execute(update(chat).where(in_view).values(leaf=before))
        connection.execute(text("DELETE FROM message_words WHERE rowid = :id"), {"id": row.sequence})
        connection.execute(delete(message).where(message.c.sequence == row.sequence))
    _purge_segments(connection, {row.chat for row in rows})
    return len(rows)


def _purge_segments(connection: Connection, touched: Iterable[str]) -> None:
    """What requests showed of messages that are gone; the requests themselves stay, with a mark in its place."""
    texts = Texts(connection)
    for key in touched:
        live = set(connection.execute(select(message.c.id).where(message.c.chat == key)).scalars())
        rows = connection.execute(select(segment.c.id, segment.c.body).where(segment.c.chat == key)).all()
        said = [row for row in rows if json.loads(row.body)["layer"] in ("L4_STRIP", "L5_USER")]
        texts.expect(row.body for row in said)
        for row in said:
            shown = texts.read(Segment, row.body)
            if shown.id not in live:
                values = {"body": texts.write(_blank(shown)), "digest": _own_digest(row.id)}
                connection.execute(update(segment).where(segment.c.id == row.id).values(values))


def _blank(shown: Segment) -> Segment:
    return replace(
        shown,
        text=PURGED if shown.text else "",
        content_digest=digest_text(PURGED),
        placeholder=None if shown.placeholder is None else PURGED,
        original=None if shown.original is None else PURGED,
        tool_calls=tuple(replace(call, arguments=PURGED) for call in shown.tool_calls),
    )


def _own_digest(row_id: int) -> bytes:
    """No other segment's: two that differed only in what was purged are still two."""
    return hashlib.sha256(f"purged {row_id}".encode()).digest()


def _purge_content(connection: Connection) -> None:
    """Text stays while a message, a snapshot, a turn's artifacts or a segment needs it."""
    used = set(connection.execute(select(message.c.content)).scalars())
    used |= set(connection.execute(select(snapshot.c.content)).scalars())
    digests = {bytes.fromhex(digest) for document in _documents(connection) for digest in referred(document)}
    for row in connection.execute(select(content.c.id, content.c.digest)).all():
        if row.id not in used and bytes(row.digest) not in digests:
            connection.execute(delete(content).where(content.c.id == row.id))


def _documents(connection: Connection) -> Iterator[str]:
    yield from connection.execute(select(snapshot.c.artifact)).scalars()
    yield from connection.execute(select(chat.c.attached)).scalars()
    yield from connection.execute(select(segment.c.body)).scalars()
    for row in connection.execute(select(turn.c.inputs, turn.c.standing)):
        yield from (zlib.decompress(row.inputs).decode(), zlib.decompress(row.standing).decode())


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
}
