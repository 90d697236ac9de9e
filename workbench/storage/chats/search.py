"""Full-text search inside the encrypted file: messages, titles, attachments with their text, best or newest first."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal

from sqlalchemy import Connection, Row, select, text

from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Hit
from workbench.domain.search_words import Term, make_snippet, parse_query
from workbench.domain.translation import tr
from workbench.storage.chats import chats, messages
from workbench.storage.chats.contents import Texts
from workbench.storage.database.format import as_text
from workbench.storage.database.schema import snapshot

Where = Literal["message", "title", "attachment"]

# Templates of workspaces are no chats: what they hold is found in the chats that have it.
_MESSAGES = """SELECT m.sequence AS number, m.chat AS chat, m.id AS subject, c.title AS title,
    m.created_utc AS created_utc, bm25(message_words) AS rank FROM message_words
    JOIN message m ON m.sequence = message_words.rowid JOIN chat c ON c.id = m.chat
    WHERE message_words MATCH :query AND m.deleted_utc IS NULL AND c.deleted_utc IS NULL AND c.id NOT GLOB 'workspace:*'
    ORDER BY {order} LIMIT :limit"""
_TITLES = """SELECT c.number AS number, c.id AS chat, c.id AS subject, c.title AS title, c.created_utc AS created_utc,
    bm25(title_words) AS rank FROM title_words JOIN chat c ON c.number = title_words.rowid
    WHERE title_words MATCH :query AND c.deleted_utc IS NULL AND c.id NOT GLOB 'workspace:*'
    ORDER BY {order} LIMIT :limit"""
_ATTACHED = """SELECT s.id AS number, s.chat AS chat, s.key AS subject, c.title AS title, s.taken_utc AS created_utc,
    bm25(attachment_words) AS rank FROM attachment_words JOIN snapshot s ON s.id = attachment_words.rowid
    JOIN chat c ON c.id = s.chat
    WHERE attachment_words MATCH :query AND c.deleted_utc IS NULL AND c.id NOT GLOB 'workspace:*'
    AND s.id = (SELECT max(newer.id) FROM snapshot newer WHERE newer.chat = s.chat AND newer.key = s.key)
    ORDER BY {order} LIMIT :limit"""
_TABLES: tuple[tuple[Where, str], ...] = (
    ("message", _MESSAGES),
    ("title", _TITLES),
    ("attachment", _ATTACHED),
)


def search(connection: Connection, query: str, newest_first: bool, limit: int) -> tuple[Hit, ...]:
    """Hits that match all wanted terms and no unwanted one."""
    terms = parse_query(query)
    if not any(not term.unwanted for term in terms):
        return ()
    found = [
        [(where, row) for row in _rows(connection, sql, terms, newest_first, limit)] for where, sql in _TABLES
    ]
    # Merged, not sorted: within a table the order is by sequence, whatever the clock said.
    if newest_first:
        merged = heapq.merge(*found, key=lambda hit: str(hit[1].created_utc), reverse=True)
    else:
        merged = heapq.merge(*found, key=lambda hit: float(hit[1].rank))
    return tuple(_hit(connection, where, row, terms) for where, row in islice(merged, limit))


def _rows(
    connection: Connection, sql: str, terms: Sequence[Term], newest_first: bool, limit: int
) -> Sequence[Row[Any]]:
    order = "number DESC" if newest_first else tr("rank, number DESC")
    statement = text(sql.format(order=order))
    return connection.execute(statement, {"query": _expression(terms), "limit": limit}).all()


def _expression(terms: Sequence[Term]) -> str:
    """The terms as an FTS5 query; every word is quoted, so that none is an operator."""
    wanted = " AND ".join(_quote_term(term) for term in terms if not term.unwanted)
    unwanted = " OR ".join(_quote_term(term) for term in terms if term.unwanted)
    return f"({wanted}) NOT ({unwanted})" if unwanted else wanted


def _quote_term(term: Term) -> str:
    return '"' + " ".join(term.words) + '"' + ("*" if term.prefix else "")


def _hit(connection: Connection, where: Where, row: Row[Any], terms: Sequence[Term]) -> Hit:
    title, subject = as_text(row.title) or "", as_text(row.subject) or ""
    if where == "message":
        tuning = chats.tuning(connection, row.chat)
        body = messages.found_in(messages.load(connection, [row.number])[0], tuning)
    else:
        body = title if where == "title" else subject
    snippet, marks = make_snippet(body, terms)
    if where == "attachment" and not marks:
        snippet, marks = make_snippet(_copy_text(connection, row.number), terms)
    return Hit(row.chat, title, where, subject, snippet, marks, row.created_utc)


def _copy_text(connection: Connection, number: int) -> str:
    document = connection.execute(select(snapshot.c.artifact).where(snapshot.c.id == number)).scalar_one()
    return Texts(connection).read(Artifact, document).text
