"""The database opens for its own key and identity, encrypted and durable, or not at all."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlcipher3.dbapi2 as sqlcipher

from tests.fakes.keys import DATABASE_ID
from workbench.domain.errors import (
    ForeignDatabase,
    NotEncrypted,
    StoreDamaged,
    StoreFull,
    StoreGone,
    StoreInUse,
)
from workbench.domain.secrets import Secret, StoreIdentity
from workbench.storage.database.cipher import (
    connect_new,
    create_encrypted,
    fits,
    has_room,
    open_encrypted,
    translated_errors,
    use_key,
)

KEY = Secret(bytes(range(32)))
IDENTITY = StoreIdentity(DATABASE_ID, 1)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    create_encrypted(path, KEY, IDENTITY)
    return path


def test_a_new_store_knows_which_it_is_and_shows_nothing(store: Path):
    connection = open_encrypted(store, KEY, IDENTITY)
    assert connection.execute("SELECT * FROM store_identity").fetchall() == [(DATABASE_ID, 1)]
    connection.execute("CREATE TABLE canary (canary_text TEXT)")
    connection.execute("INSERT INTO canary VALUES ('canary_value')")
    connection.commit()
    for path in store.parent.iterdir():
        assert b"canary" not in path.read_bytes()
        assert path.stat().st_mode & 0o777 == 0o600
    assert (store.parent / "store.db-wal").exists()
    connection.close()
    assert not store.read_bytes().startswith(b"SQLite format 3")


def test_the_settings_hold(store: Path):
    connection = open_encrypted(store, KEY, IDENTITY)
    found = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "temp_store", "foreign_keys", "busy_timeout")
    }
    connection.close()
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "temp_store": 2,
        "foreign_keys": 1,
        "busy_timeout": 5000,
    }


def test_a_missing_file_is_made_only_on_demand(tmp_path: Path):
    path = tmp_path / "store.db"
    with pytest.raises(StoreGone, match="is missing"):
        open_encrypted(path, KEY, IDENTITY)
    assert list(tmp_path.iterdir()) == []
    open_encrypted(path, KEY, IDENTITY, create=True).close()
    open_encrypted(path, KEY, IDENTITY).close()


@pytest.mark.parametrize("create", [False, True])
def test_an_empty_file_never_becomes_a_database(tmp_path: Path, create: bool):
    """SQLite takes 0 bytes for a new database: a truncated history would come back as an empty one."""
    path = tmp_path / "store.db"
    path.write_bytes(b"")
    with pytest.raises(StoreGone, match="empty file"):
        open_encrypted(path, KEY, IDENTITY, create=create)
    assert path.read_bytes() == b""


def test_a_plain_database_is_refused_and_left_alone(tmp_path: Path):
    """Signal #5097: a store that was silently not encrypted."""
    path = tmp_path / "store.db"
    plain = sqlite3.connect(path)
    plain.execute("CREATE TABLE t (a)")
    plain.close()
    before = path.read_bytes()
    with pytest.raises(ForeignDatabase, match="not encrypted"):
        open_encrypted(path, KEY, IDENTITY)
    assert path.read_bytes() == before


def test_a_library_without_encryption_is_refused(store: Path):
    before = store.read_bytes()
    with pytest.raises(NotEncrypted, match="cannot encrypt"):
        open_encrypted(store, KEY, IDENTITY, connect=sqlite3.connect)
    assert store.read_bytes() == before


def test_another_key_is_refused_in_silence(store: Path, capfd: pytest.CaptureFixture[str]):
    before = store.read_bytes()
    with pytest.raises(ForeignDatabase, match="does not open it") as refusal:
        open_encrypted(store, Secret(b"w" * 32), IDENTITY)
    assert store.read_bytes() == before
    assert capfd.readouterr() == ("", "")
    assert (b"w" * 32).hex() not in str(refusal.value)


@pytest.mark.parametrize("identity", [StoreIdentity(DATABASE_ID, 2), StoreIdentity("f" * 32, 1)])
def test_another_identity_is_refused(store: Path, identity: StoreIdentity):
    with pytest.raises(ForeignDatabase, match="another database"):
        open_encrypted(store, KEY, identity)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("DROP TABLE store_identity", "does not say"),
        ("DELETE FROM store_identity", "another database"),
        ("INSERT INTO store_identity SELECT * FROM store_identity", "another database"),
    ],
)
def test_an_identity_is_exactly_one_row(store: Path, change: str, reason: str):
    connection = open_encrypted(store, KEY, IDENTITY)
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(ForeignDatabase, match=reason):
        open_encrypted(store, KEY, IDENTITY)


def test_a_locked_file_is_in_use_and_not_foreign(store: Path):
    """Taken for a wrong key, a busy moment would make the opener undo a rotation that had succeeded."""
    holder = open_encrypted(store, KEY, IDENTITY)
    holder.execute("BEGIN IMMEDIATE")
    other = open_encrypted(store, KEY, IDENTITY)
    other.execute("PRAGMA busy_timeout = 0")
    with pytest.raises(StoreInUse), translated_errors(store):
        other.execute("BEGIN IMMEDIATE")
    other.close()
    holder.close()


def test_remains_of_an_interrupted_creation_do_not_hinder(tmp_path: Path):
    (tmp_path / "store.db.new").write_bytes(b"half")
    (tmp_path / "store.db.new-journal").write_bytes(b"half")
    create_encrypted(tmp_path / "store.db", KEY, IDENTITY)
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


def test_a_new_connection_takes_no_existing_file(store: Path):
    with pytest.raises(FileExistsError):
        connect_new(store, KEY)


def test_the_key_is_used_as_it_is(tmp_path: Path):
    """A key that SQLCipher derived again from text would cost 0.2 s an opening, and open nothing elsewhere."""
    create_encrypted(tmp_path / "s.db", KEY, IDENTITY)
    connection = sqlcipher.connect(str(tmp_path / "s.db"))
    use_key(connection, KEY)
    assert connection.execute("SELECT count(*) FROM store_identity").fetchone() == (1,)
    connection.close()


def test_a_path_with_special_characters_is_a_path(tmp_path: Path):
    folder = tmp_path / "100% #1 ? ä"
    folder.mkdir()
    open_encrypted(folder / "s.db", KEY, IDENTITY, create=True).close()
    assert [path.name for path in folder.iterdir()] == ["s.db"]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="Linux tells who holds which lock")
def test_looking_at_the_file_does_not_end_the_locks_on_it(store: Path):
    """Closing a file ends all of a process's locks on it: another one could then take the log from under us."""
    open_encrypted(store, KEY, IDENTITY).close()
    connection = open_encrypted(store, KEY, IDENTITY)
    assert locked(store)
    open_encrypted(store, KEY, IDENTITY).close()
    assert fits(store, KEY, IDENTITY)
    assert locked(store)
    connection.close()
    assert not locked(store)


def locked(path: Path) -> bool:
    return f":{path.stat().st_ino} " in Path("/proc/locks").read_text()


@pytest.mark.parametrize(
    ("code", "error"), [(8, StoreFull), (8 | 3 << 8, StoreFull), (5 | 1 << 8, StoreInUse)]
)
def test_what_sqlite_cannot_do_is_told_by_its_cause(tmp_path: Path, code: int, error: type[Exception]):
    """A folder that may not be written must not be told as a store of other keys."""
    problem = sqlcipher.OperationalError("no")
    problem.sqlite_errorcode = code
    with pytest.raises(error), translated_errors(tmp_path / "store.db"):
        raise problem


@pytest.mark.parametrize(("free_bytes", "error"), [(0, StoreFull), (10**9, StoreDamaged)])
def test_an_io_error_on_a_full_disk_is_no_damage(
    free_bytes: int, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """SQLite says "disk I/O error" where it cannot make its side files; the history was called damaged."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free_bytes))
    problem = sqlcipher.OperationalError("disk I/O error")
    problem.sqlite_errorcode = 10
    with pytest.raises(error), translated_errors(tmp_path / "store.db"):
        raise problem
    assert has_room(tmp_path / "store.db") == (free_bytes > 0)


def test_on_a_full_disk_what_is_kept_can_still_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "store.db"
    open_encrypted(path, KEY, IDENTITY, create=True).close()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
    connection = open_encrypted(path, KEY, IDENTITY)
    assert connection.execute("SELECT count(*) FROM store_identity").fetchone() == (1,)
    connection.close()
    assert [file.name for file in tmp_path.iterdir()] == ["store.db"]
