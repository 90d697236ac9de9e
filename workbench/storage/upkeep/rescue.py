"""A new store from what a damaged one still gives: rows first, then references mended and indexes made anew."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Integer, select, text
from sqlalchemy.exc import NoResultFound

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.search_words import words_of
from workbench.storage.chats import chats, messages, turns
from workbench.storage.chats.contents import Texts, keep_text
from workbench.storage.database.database import Database
from workbench.storage.database.schema import chat, message, metadata, snapshot, turn

Connect = Callable[[], Any]
Row = tuple[Any, ...]

_BOLD_GUESS = 2**24
_GIVE_UP_AFTER = 20_000
_FAILURES_OF_A_PAGE = 1000
_FAILURES_OF_A_GRAIN = 50


def readable_rows(connect: Connect, table: str) -> Iterator[tuple[tuple[str, ...], Row]]:
    """Every row of a table that can be read, with its columns.

    One bad page poisons a connection, so the next read has a new one; ranges that fail are halved until only single
    rows are given up. Where far more rows in a row fail than one page holds, larger ranges are given up, too: a file
    that was cut does not say where its rows end.
    """
    reader = _Reader(connect, table)
    ranges = [(0, reader.end())] if reader.columns else []
    sound = 0
    while ranges and reader.failures < _GIVE_UP_AFTER:
        low, high = ranges.pop()
        rows = reader.read(low, high)
        grain = 1 << max(0, (reader.failures - sound - _FAILURES_OF_A_PAGE) // _FAILURES_OF_A_GRAIN)
        if rows is not None:
            sound = reader.failures if rows else sound
            yield from ((reader.columns, row) for row in rows)
        elif high - low > grain:
            middle = (low + high) // 2
            ranges += [(middle, high), (low, middle)]


def tables() -> tuple[str, ...]:
    """The tables in an order in which every row finds what it refers to."""
    return tuple(table.name for table in metadata.sorted_tables)


class _Reader:
    """Reads ranges of one table, and starts anew after every error."""

    def __init__(self, connect: Connect, table: str) -> None:
        self._connect, self._table = connect, table
        self._connection: Any = None
        self._key = next(iter(metadata.tables[table].primary_key))
        self.failures = 0
        self.columns = self._present()

    def _present(self) -> tuple[str, ...]:
        """The columns that the damaged store has too: it may be of an older version, which cannot be changed now."""
        rows = self._rows("SELECT name FROM pragma_table_info(?)", (self._table,))
        known = tuple(column.name for column in metadata.tables[self._table].columns)
        present = {name for (name,) in rows} if rows is not None else set(known)
        return tuple(name for name in known if name in present)

    def end(self) -> int:
        """One more than the last row's number; a bold guess where that cannot be read."""
        if not isinstance(self._key.type, Integer):
            return 1
        rows = self._rows(f'SELECT max("{self._key.name}") FROM "{self._table}"', ())
        return _BOLD_GUESS if rows is None else 1 + (rows[0][0] or 0)

    def read(self, low: int, high: int) -> list[Row] | None:
        """The rows of a range; None where something in it cannot be read."""
        names = ", ".join(f'"{name}"' for name in self.columns)
        numbered = isinstance(self._key.type, Integer)
        where = f' WHERE "{self._key.name}" >= ? AND "{self._key.name}" < ?' if numbered else ""
        return self._rows(f'SELECT {names} FROM "{self._table}"{where}', (low, high) if where else ())

    def _rows(self, statement: str, parameters: Row) -> list[Row] | None:
        import sqlcipher3.dbapi2 as driver

        try:
            if self._connection is None:
                self._connection = self._connect()
            return [tuple(row) for row in self._connection.execute(statement, parameters)]
        except driver.DatabaseError:
            self.failures += 1
            self._let_go_if_poisoned()
            return None

    def _let_go_if_poisoned(self) -> None:
        """A page that fails its check poisons the connection; one beyond the end of a cut file does not."""
        import sqlcipher3.dbapi2 as driver

        try:
            if self._connection is not None:
                # Asked of the file itself: a page that is at hand is given out by a poisoned connection, too.
                list(self._connection.execute("PRAGMA shrink_memory", ()))
                list(self._connection.execute("PRAGMA user_version", ()))
        except driver.DatabaseError:
            self._connection.close()
            self._connection = None


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
    """How many rows of each table came over."""

    rows: dict[str, int]

    @property
    def messages(self) -> int:
        return self.rows["message"]


def rescue(connect: Callable[[], Any], database: Database) -> Rescued:
    """Fill an empty store of the newest version with everything readable; references to lost rows are mended."""
    rows: dict[str, int] = {}
    with database.transaction() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        for table in tables():
            rows[table] = _copy(connect, connection, table)
        _adopt_orphans(connection)
        lost = keep_text(connection, LOST)
        for statement in _MENDED:
            connection.execute(text(statement), {"lost": lost} if ":lost" in statement else {})
        _forget_broken_turns(connection)
        _index(connection)
    return Rescued(rows)


def _copy(connect: Callable[[], Any], connection: Connection, table: str) -> int:
    copied = 0
    for columns, row in readable_rows(connect, table):
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" for _ in columns)
        connection.exec_driver_sql(f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})', row)
        copied += 1
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
