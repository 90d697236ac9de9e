"""Copies the database under another key, page by page, and proves that the copy holds the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import RotationFailed, StoreInUse
from workbench.files.writing import sync_file
from workbench.storage.database.cipher import connect_new, open_encrypted
from workbench.storage.folder import remove_database
from workbench.storage.keys.protectors import DataKey

if TYPE_CHECKING:
    from sqlite3 import Connection


def copy_under(source: Path, old: DataKey, target: Path, new: DataKey) -> None:
    """Write the whole database to `target` under the new key; it is on the disk and checked when this returns."""
    remove_database(target)
    original = open_encrypted(source, old.key, old.identity)
    try:
        _fold_log(original, source)
        copy = connect_new(target, new.key)
        try:
            original.backup(copy)
            copy.execute("UPDATE store_identity SET generation = ?", (new.identity.generation,))
            _compare(original, copy)
        finally:
            copy.close()
    finally:
        original.close()
    sync_file(target)


def _fold_log(connection: Connection, path: Path) -> None:
    """Bring the write-ahead log into the file and remove it; SQLite refuses while anyone else has the file open."""
    connection.execute("PRAGMA busy_timeout = 0")
    if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
        raise StoreInUse(str(path.parent), "Close it, and try again.")


def _compare(original: Connection, copy: Connection) -> None:
    if copy.execute("PRAGMA cipher_integrity_check").fetchall():
        raise RotationFailed("pages of the new copy are damaged")
    if copy.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
        raise RotationFailed("the new copy is not sound")
    if _contents(original) != _contents(copy):
        raise RotationFailed("the new copy differs")


def _contents(connection: Connection) -> list[object]:
    """Versions, schema and the number of rows of every table."""
    schema = connection.execute(
        "SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY name"
    ).fetchall()
    # Virtual tables have no pages; the tables that hold their content are counted.
    tables = [name for kind, name, root, _ in schema if kind == "table" and root]
    counts = [connection.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone() for name in tables]
    versions = [
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")
    ]
    return [versions, schema, counts]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
