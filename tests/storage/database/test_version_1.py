"""Version 1 is what it was when it was released."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.fakes.stores import IDENTITY, RAW_KEY, connect
from tests.storage.fixtures.make_version import HERE, STORE
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import create_tables, migrate


def schema(path: Path) -> list[tuple[str, str]]:
    connection = connect(path)
    rows = connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name").fetchall()
    connection.close()
    return [(name, "".join(sql.split())) for name, sql in rows]


def test_its_tables_are_those_of_the_released_store(tmp_path: Path):
    """A step that changed would bring new stores another way than old ones, and the next step would fail on one."""
    shutil.copyfile(HERE / "version-1" / STORE, tmp_path / "released.db")
    create_encrypted(tmp_path / "made.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "made.db"))
    migrate(database, lambda version: None, (create_tables,))
    database.close()
    assert schema(tmp_path / "made.db") == schema(tmp_path / "released.db")
