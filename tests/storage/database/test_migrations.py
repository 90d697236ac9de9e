"""Versions: one step a transaction, a copy before each, and none from the future."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from tests.fakes.stores import IDENTITY, RAW_KEY, connect
from workbench.domain.errors import FutureStore
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.format import SCHEMA_VERSION
from workbench.storage.database.migrations import MIGRATIONS, create_tables, is_newest, migrate


@pytest.fixture
def path(tmp_path: Path) -> Path:
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    return tmp_path / "h.db"


def version(path: Path) -> int:
    connection = connect(path)
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(found)


def second(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE chat ADD COLUMN colour TEXT"))


def failing(connection: Connection) -> None:
    second(connection)
    raise ZeroDivisionError


def test_the_newest_version_is_the_last_step():
    assert len(MIGRATIONS) == SCHEMA_VERSION


def test_a_new_store_needs_no_copy(path: Path):
    database = Database(lambda: connect(path))
    copies: list[int] = []
    assert not is_newest(database)
    assert migrate(database, copies.append) == SCHEMA_VERSION
    assert is_newest(database)
    assert migrate(database, copies.append) == SCHEMA_VERSION
    assert copies == []
    database.close()


def test_a_copy_is_asked_for_before_every_later_step(path: Path):
    database = Database(lambda: connect(path))
    copies: list[tuple[int, int]] = []
    migrate(database, lambda number: None, (create_tables,))
    steps = (create_tables, second, lambda connection: None)
    assert migrate(database, lambda number: copies.append((number, version(path))), steps) == 3
    assert copies == [(1, 1), (2, 2)]
    database.close()


def test_a_failing_step_changes_nothing(path: Path):
    database = Database(lambda: connect(path))
    with pytest.raises(ZeroDivisionError):
        migrate(database, lambda number: None, (create_tables, failing))
    assert version(path) == 1
    assert migrate(database, lambda number: None, (create_tables, second)) == 2
    database.close()


def test_without_its_copy_a_step_is_not_made(path: Path):
    def no_room(number: int) -> None:
        raise OSError("full")

    database = Database(lambda: connect(path))
    migrate(database, no_room, (create_tables,))
    with pytest.raises(OSError, match="full"):
        migrate(database, no_room, (create_tables, second))
    assert version(path) == 1
    database.close()


def test_a_store_from_a_newer_program_is_refused(path: Path):
    database = Database(lambda: connect(path))
    newest = len(MIGRATIONS) + 1
    migrate(database, lambda number: None, (*MIGRATIONS, second))
    database.settle()
    before = path.read_bytes()
    for look in (is_newest, lambda database: migrate(database, lambda number: None)):
        with pytest.raises(FutureStore, match=rf"version {newest}.*up to {newest - 1}"):
            look(database)
    database.close()
    assert path.read_bytes() == before
