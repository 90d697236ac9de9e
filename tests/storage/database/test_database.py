"""Transactions: all or nothing, told in words, and never poisoned by what went wrong before."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import sqlcipher3.dbapi2 as driver
from sqlalchemy.exc import IntegrityError

from tests.fakes.stores import IDENTITY, RAW_KEY, connect, open_store
from workbench.domain.errors import StoreDamaged, StoreFull, StoreInUse
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    connection = connect(tmp_path / "h.db")
    connection.execute("CREATE TABLE said (text TEXT UNIQUE)")
    connection.close()
    return tmp_path / "h.db"


class Connections:
    """Counts how often the file was opened."""

    def __init__(self, path: Path, **settings: object) -> None:
        self.path, self.settings, self.made = path, settings, 0

    def __call__(self) -> Any:
        self.made += 1
        connection = connect(self.path)
        for name, value in self.settings.items():
            connection.execute(f"PRAGMA {name} = {value}")
        return connection


def add(database: Database, *texts: str) -> None:
    with database.transaction() as connection:
        for text in texts:
            connection.exec_driver_sql("INSERT INTO said VALUES (?)", (text,))


def add_and_fail(database: Database) -> None:
    with database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO said VALUES ('three')")
        raise ZeroDivisionError


def said(database: Database) -> list[str]:
    with database.transaction() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT text FROM said ORDER BY rowid")]


class FullDisk:
    """A connection whose log cannot be brought into the file; all else is the real one's."""

    def __init__(self, real: Any) -> None:
        object.__setattr__(self, "real", real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.real, name, value)

    def cursor(self, *given: Any) -> Any:
        return FullCursor(self.real.cursor(*given))


class FullCursor(FullDisk):
    """A cursor of it."""

    def execute(self, sql: str, *given: Any) -> Any:
        if "wal_checkpoint" in sql:
            raise driver.OperationalError("disk I/O error")
        return self.real.execute(sql, *given)


def test_a_log_that_finds_no_room_is_told_in_words_and_nothing_else_is_said(
    path: Path, caplog: pytest.LogCaptureFixture
):
    """Tracebacks of the pool stood before the sentence: it was given back a connection that was closed already."""
    database = Database(lambda: FullDisk(connect(path)))
    with pytest.raises(StoreFull, match="disk I/O error"):
        database.settle()
    assert caplog.records == []
    add(database, "one")
    assert said(database) == ["one"]
    database.close()


def test_what_raises_leaves_nothing_behind(path: Path):
    made = Connections(path)
    database = Database(made)
    add(database, "one")
    with pytest.raises(IntegrityError):
        add(database, "two", "one")
    with pytest.raises(ZeroDivisionError):
        add_and_fail(database)
    assert (said(database), made.made) == (["one"], 1)
    database.close()


def test_what_was_said_never_stands_in_an_error(path: Path):
    database = Database(lambda: connect(path))
    with pytest.raises(IntegrityError) as refused:
        add(database, "canary", "canary")
    with pytest.raises(StoreDamaged) as broken, database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO absent VALUES (?)", ("canary",))
    assert "canary" not in str(refused.value) + str(broken.value) + repr(broken.value.__context__)
    database.close()


def test_after_an_error_there_is_a_new_connection(path: Path):
    """One bad page poisons a SQLCipher connection: every later read of it fails."""
    made = Connections(path)
    database = Database(made)
    add(database, "one")
    with pytest.raises(StoreDamaged, match="no such table"), database.transaction() as connection:
        connection.exec_driver_sql("SELECT * FROM absent")
    assert (said(database), made.made) == (["one"], 2)
    database.close()


def test_a_store_that_may_not_grow_says_so_and_works_again(path: Path):
    made = Connections(path, max_page_count=12)
    database = Database(made)
    add(database, "one")
    with pytest.raises(StoreFull, match="full"):
        add(database, "x" * 100_000)
    made.settings.clear()
    add(database, "two")
    assert said(database) == ["one", "two"]
    database.close()


def test_a_store_that_another_writes_to_is_busy_and_not_damaged(path: Path):
    database = Database(Connections(path, busy_timeout=1))
    other = connect(path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreInUse):
        add(database, "one")
    other.execute("ROLLBACK")
    other.close()
    add(database, "one")
    assert said(database) == ["one"]
    database.close()


def test_a_reader_reads_beside_a_writer(path: Path):
    writer, reader = Database(lambda: connect(path)), Database(lambda: connect(path), writable=False)
    with writer.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO said VALUES ('not yet')")
        assert said(reader) == []
    assert said(reader) == ["not yet"]
    reader.close()
    writer.close()


def test_settling_empties_the_log(path: Path):
    database = Database(lambda: connect(path))
    add(database, "one")
    log = path.with_name("h.db-wal")
    assert log.stat().st_size > 0
    database.settle()
    assert log.stat().st_size == 0
    database.close()
    assert not log.exists()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    """One writer is what every guarantee rests on."""
    path = tmp_path / "history.db"
    asyncio.run(open_store(path).close())
    database = Database(lambda: connect(path), writable=False)
    with pytest.raises(StoreFull, match="readonly"), database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO preset VALUES ('name', '{}')")
    with database.transaction() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM preset").scalar_one() == 0
    database.close()
