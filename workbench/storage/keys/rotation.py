"""Puts a new data key in the place of the old one, so that a kill at any moment leaves one that opens the store.

The order: both keys in the key file → a checked copy under the new key → the copy renamed over the database → only the
new key in the key file. Whoever opens the store in between tries both keys, and finishes or undoes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import ForeignDatabase, RotationFailed, StoreInUse, StoreLocked, WorkbenchError
from workbench.domain.translation import tr
from workbench.files.writing import sync_file, sync_folder
from workbench.storage.database.cipher import connect_new, create_encrypted, fits, open_encrypted
from workbench.storage.folder import DataFolder, remove_database, side_files
from workbench.storage.keys.file import Generation, KeyFile, KeyRecord
from workbench.storage.keys.protectors import DataKey

if TYPE_CHECKING:
    pass
    from sqlite3 import Connection


def copy_under(source: Path, old: DataKey, target: Path, new: DataKey) -> None:
    """Write the whole database to `target` under the new key, checked and synced to disk."""
    remove_database(target)
    original = open_encrypted(source, old.key, old.identity)
    try:
        _checkpoint(original, source)
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


def _checkpoint(connection: Connection, path: Path) -> None:
    """Checkpoint the write-ahead log and remove it; SQLite refuses while the file is open elsewhere."""
    connection.execute("PRAGMA busy_timeout = 0")
    if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
        raise StoreInUse(str(path.parent), tr("Close it, and try again."))


def _compare(original: Connection, copy: Connection) -> None:
    if copy.execute("PRAGMA cipher_integrity_check").fetchall():
        raise RotationFailed(tr("pages of the new copy are damaged"))
    if copy.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
        raise RotationFailed(tr("the new copy is not sound"))
    if _contents(original) != _contents(copy):
        raise RotationFailed(tr("the new copy differs"))


def _contents(connection: Connection) -> list[object]:
    """Versions, schema and the number of rows of every table."""
    schema = connection.execute(
        "SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY name"
    ).fetchall()
    # Virtual tables have no pages; the tables that hold their content are counted.
    tables = [name for kind, name, root, _ in schema if kind == "table" and root]
    counts = [
        connection.execute(f"SELECT count(*) FROM {_quote_identifier(name)}").fetchone() for name in tables
    ]
    versions = [
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")
    ]
    return [versions, schema, counts]


def _quote_identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


Step = Callable[[str], None]


def _ignore_step(name: str) -> None:
    """Progress callback that does nothing."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The keys that one secret unlocked; during a rotation either may be the database's."""

    current: DataKey | None
    pending: DataKey | None = None


class Rotation:
    """Rotates the data key and resolves interrupted rotations; the caller holds the exclusive lock."""

    def __init__(self, folder: DataFolder, keys: KeyFile, step: Step = _ignore_step) -> None:
        self._folder = folder
        self._keys = keys
        self._step = step

    def rotate(self, old: DataKey, new: DataKey, generation: Generation) -> DataKey:
        """Re-encrypt the database with the new key; `generation` is that key with its protectors."""
        try:
            self._keys.change(lambda record: _announced(record, generation))
            self._step("announced")
            copy_under(self._folder.store, old, self._folder.rotating_store, new)
            self._step("copied")
            self._swap()
            self._step("swapped")
        except _expected_errors() as problem:
            if self.settle(Candidates(old, new)) == old:
                raise _as_rotation_failed(problem) from None
            return new
        self._commit()
        self._step("committed")
        return new

    def settle(self, candidates: Candidates) -> DataKey:
        """Finish or undo an interrupted rotation, and return the key the database is under."""
        record = self._keys.read()
        if not record.store_made:
            return self._first_store(candidates)
        if record.pending is None:
            return _required(candidates.current)
        if candidates.current and self._fits(candidates.current):
            remove_database(self._folder.rotating_store)
            self._keys.change(lambda record: replace(record, pending=None))
            return candidates.current
        # What SQLite left beside the file belongs to the old key: a swap is only done when there is nothing.
        if candidates.pending and not self._has_sides() and self._fits(candidates.pending):
            self._commit()
            return candidates.pending
        if candidates.current and candidates.pending:
            raise ForeignDatabase(str(self._folder.store), tr("neither the old nor the new key opens it"))
        return _required(None)

    def _first_store(self, candidates: Candidates) -> DataKey:
        data_key = _required(candidates.current)
        if self._folder.store.exists():
            open_encrypted(self._folder.store, data_key.key, data_key.identity).close()
        else:
            create_encrypted(self._folder.store, data_key.key, data_key.identity)
        self._keys.change(lambda record: replace(record, store_made=True))
        return data_key

    def _swap(self) -> None:
        if self._has_sides():
            # They would be taken for the new file's.
            raise StoreInUse(str(self._folder.path), tr("Close it, and try again."))
        self._folder.rotating_store.replace(self._folder.store)
        sync_folder(self._folder.path)

    def _commit(self) -> None:
        self._keys.change(_committed)
        # Nothing may be left that the old key opens: it may be changed because it got known.
        for old in (self._folder.rotating_store, *self._folder.older_versions):
            remove_database(old)

    def _has_sides(self) -> bool:
        return any(path.exists() for path in side_files(self._folder.store))

    def _fits(self, data_key: DataKey) -> bool:
        return fits(self._folder.store, data_key.key, data_key.identity)


def _announced(record: KeyRecord, generation: Generation) -> KeyRecord:
    if record.pending is not None or generation.number != record.current.number + 1:
        raise RotationFailed(tr("the keys were changed meanwhile"))
    return replace(record, pending=generation)


def _committed(record: KeyRecord) -> KeyRecord:
    if record.pending is None:
        return record
    return replace(record, current=record.pending, pending=None)


def _required(data_key: DataKey | None) -> DataKey:
    if data_key is None:
        raise StoreLocked(
            tr("A change of the key was interrupted, and this secret opens only the other of the two keys."),
            tr("Use the passphrase, or the other recovery code (a rotation prints a new one)."),
        )
    return data_key


def _as_rotation_failed(problem: Exception) -> RotationFailed:
    if isinstance(problem, RotationFailed):
        return problem
    return RotationFailed(str(problem).rstrip(".") or type(problem).__name__)


def _expected_errors() -> tuple[type[Exception], ...]:
    import sqlcipher3.dbapi2 as driver

    return (driver.Error, OSError, WorkbenchError)
