"""A new store from what a damaged one still gives: rows first, then references mended and indexes made anew."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import NoResultFound

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.search_words import words_of
from workbench.storage.chats import chats, messages, turns
from workbench.storage.chats.contents import Texts, keep_text
from workbench.storage.database.database import Database
from workbench.storage.database.pages import Pages
from workbench.storage.database.schema import chat, message, metadata, snapshot, turn
from workbench.storage.upkeep.page_rows import PageRows


def tables() -> tuple[str, ...]:
    """The tables in an order in which every row finds what it refers to."""
    return tuple(table.name for table in metadata.sorted_tables)


LOST = "[lost: this text could not be read back]"

_MENDED = (
    "DELETE FROM snapshot WHERE chat NOT IN (SELECT id FROM chat)",
    "DELETE FROM segment WHERE chat NOT IN (SELECT id FROM chat)",
    "DELETE FROM turn WHERE chat NOT IN (SELECT id FROM chat)",
    "DELETE FROM turn WHERE question NOT IN (SELECT sequence FROM message)",
    "UPDATE turn SET parent = NULL WHERE parent NOT IN (SELECT sequence FROM message)",
    "UPDATE turn SET reply = NULL WHERE reply NOT IN (SELECT sequence FROM message)",
    "UPDATE snapshot SET content = :lost WHERE content NOT IN (SELECT id FROM content)",
    # A message remembers how long its parts were; they would cut the mark. A chunk has one part.
    f"""UPDATE message SET content = :lost, entry = CASE WHEN json_extract(entry, '$.type') IS NULL
       THEN json_set(entry, '$.texts', json_array({len(LOST)})) ELSE entry END
       WHERE content NOT IN (SELECT id FROM content)""",
    # A message whose predecessor is lost continues the one before that, so that its branch can still be read.
    """UPDATE message SET parent = (SELECT max(m.sequence) FROM message m
       WHERE m.chat = message.chat AND m.sequence < message.sequence)
       WHERE parent IS NOT NULL AND parent NOT IN (SELECT sequence FROM message)""",
    """UPDATE chat SET leaf = (SELECT m.id FROM message m WHERE m.chat = chat.id ORDER BY m.sequence DESC LIMIT 1)
       WHERE leaf IS NULL OR leaf NOT IN (SELECT m.id FROM message m WHERE m.chat = chat.id)""",
)


@dataclass(frozen=True, slots=True)
class Rescued:
    """How many rows of each table came over, and what did not.

    Attributes:
        texts_lost: messages and attachments that are there without their text.
        unreadable: how many pages could not be read. complete: whether nothing that was kept is lost all the same.
    """

    rows: dict[str, int]
    texts_lost: int = 0
    unreadable: int = 0
    complete: bool = True

    @property
    def messages(self) -> int:
        return self.rows["message"]


def rescue(pages: Pages, database: Database) -> Rescued:
    """Fill an empty store of the newest version with everything readable; references to lost rows are mended."""
    found = PageRows(pages)
    with database.transaction() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        rows = {table: _copy(found, connection, table) for table in tables()}
        _adopt_orphans(connection)
        lost, texts_lost = _keep_mark(connection), 0
        for statement in _MENDED:
            if ":lost" in statement:
                texts_lost += connection.execute(text(statement), {"lost": lost}).rowcount
            else:
                connection.execute(text(statement))
        _forget_broken_turns(connection)
        _index(connection)
    return Rescued(rows, texts_lost, found.unreadable, complete=not found.lost and not texts_lost)


def _keep_mark(connection: Connection) -> int:
    """The row of the mark for lost text, under a number that no lost text had: those refer to their numbers still."""
    kept = keep_text(connection, LOST)
    numbers = "SELECT id FROM content UNION SELECT content FROM message UNION SELECT content FROM snapshot"
    last = connection.exec_driver_sql(f"SELECT max(id) FROM ({numbers})").scalar_one()
    connection.exec_driver_sql("UPDATE content SET id = ? WHERE id = ?", (last + 1, kept))
    return int(last) + 1


def _copy(found: PageRows, connection: Connection, table: str) -> int:
    copied = 0
    for columns, row in found.rows(table):
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" for _ in columns)
        sql = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})'
        copied += connection.exec_driver_sql(sql, row).rowcount
    return copied


def _adopt_orphans(connection: Connection) -> None:
    """A chat whose own row is lost comes back under its id; what it was set to is lost."""
    orphans = text("SELECT DISTINCT chat FROM message WHERE chat NOT IN (SELECT id FROM chat)")
    for key in connection.execute(orphans).scalars().all():
        connection.execute(
            text(
                "INSERT INTO chat(id, title, created_utc, used, settings, parameters, attached, tuning, draft) "
                "SELECT :id, :id, min(created_utc), max(sequence), '{}', '{}', '[]', '{}', '' "
                "FROM message WHERE chat = :id"
            ),
            {"id": key},
        )


def _forget_broken_turns(connection: Connection) -> None:
    """A turn whose envelope is incomplete would show a request that was never sent."""
    for row in connection.execute(select(turn.c.id)).all():
        try:
            turns.by_number(connection, row.id)
        except (WorkbenchError, NoResultFound, ValueError, KeyError, TypeError, zlib.error):
            connection.execute(turn.delete().where(turn.c.id == row.id))


def _index(connection: Connection) -> None:
    finished = select(message.c.chat).where(message.c.deleted_utc.is_(None)).distinct()
    for key in connection.execute(finished).scalars().all():
        for record in messages.everything(connection, key):
            messages.make_findable(connection, record.sequence, record)
    for row in connection.execute(select(chat.c.number, chat.c.title)).all():
        _add(connection, "title_words", row.number, row.title)
    for copy in connection.execute(select(snapshot).order_by(snapshot.c.id)).all():
        _index_copy(connection, copy)


def _index_copy(connection: Connection, row: Any) -> None:
    """A copy whose text is lost is found by its name."""
    try:
        artifact = Texts(connection).read(Artifact, row.artifact)
    except (WorkbenchError, ValueError, KeyError, TypeError):
        artifact = Artifact(row.key, "file", "")
    chats.make_copy_findable(connection, row.id, row.chat, artifact)


def _add(connection: Connection, table: str, number: int, words: str) -> None:
    values = {"id": number, "words": " ".join(words_of(words))}
    connection.execute(text(f"INSERT INTO {table}(rowid, words) VALUES (:id, :words)"), values)
