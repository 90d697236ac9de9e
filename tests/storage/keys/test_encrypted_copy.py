"""The copy under the new key is the same database, page by page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlcipher

from tests.fakes.keys import DATABASE_ID
from workbench.domain.errors import ForeignDatabase, RotationFailed
from workbench.domain.secrets import StoreIdentity
from workbench.storage.database.cipher import create_encrypted, open_encrypted
from workbench.storage.keys import rotation
from workbench.storage.keys.protectors import DataKey
from workbench.storage.keys.rotation import copy_under

OLD = DataKey.make(StoreIdentity(DATABASE_ID, 1))
NEW = DataKey.make(replace(OLD.identity, generation=2))
SCHEMA = """
CREATE TABLE words (body TEXT);
CREATE TABLE plain (a TEXT, b TEXT AS (a || '!') STORED, c TEXT AS (a || '?')) STRICT;
CREATE TABLE "odd ""name" (k TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, x);
CREATE VIRTUAL TABLE found USING fts5 (body, content='words');
CREATE TRIGGER index_words AFTER INSERT ON words BEGIN
    INSERT INTO found (rowid, body) VALUES (new.rowid, new.body);
END;
INSERT INTO words (rowid, body) VALUES (5, 'hello'), (9, 'world');
INSERT INTO plain (a) VALUES ('x');
INSERT INTO "odd ""name" VALUES ('k');
INSERT INTO counted VALUES (77, 'y');
PRAGMA user_version = 7;
PRAGMA application_id = 123;
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    create_encrypted(path, OLD.key, OLD.identity)
    connection = open_encrypted(path, OLD.key, OLD.identity)
    connection.executescript(SCHEMA)
    connection.close()
    return path


def test_everything_is_in_the_copy(store: Path):
    """`sqlcipher_export` would number the rows of `words` 1 and 2: the index would find the wrong ones."""
    target = store.with_name("copy.db")
    copy_under(store, OLD, target, NEW)
    copy = open_encrypted(target, NEW.key, NEW.identity)
    assert copy.execute("SELECT rowid, body FROM words").fetchall() == [(5, "hello"), (9, "world")]
    assert copy.execute("SELECT rowid FROM found WHERE found MATCH 'world'").fetchall() == [(9,)]
    assert copy.execute("SELECT * FROM plain").fetchall() == [("x", "x!", "x?")]
    assert copy.execute("SELECT seq FROM sqlite_sequence").fetchall() == [(77,)]
    assert copy.execute("PRAGMA user_version").fetchall() == [(7,)]
    assert copy.execute("PRAGMA application_id").fetchall() == [(123,)]
    copy.close()
    assert target.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ForeignDatabase):
        open_encrypted(target, OLD.key, OLD.identity)


def test_the_original_is_as_it_was_and_without_a_log(store: Path):
    copy_under(store, OLD, store.with_name("copy.db"), NEW)
    assert sorted(path.name for path in store.parent.iterdir()) == ["copy.db", "store.db"]
    original = open_encrypted(store, OLD.key, OLD.identity)
    assert original.execute("SELECT count(*) FROM words").fetchone() == (2,)
    original.close()


def test_remains_of_an_earlier_copy_do_not_hinder(store: Path):
    target = store.with_name("copy.db")
    target.write_bytes(b"half a copy")
    target.with_name("copy.db-journal").write_bytes(b"half a journal")
    copy_under(store, OLD, target, NEW)
    open_encrypted(target, NEW.key, NEW.identity).close()


def test_a_database_that_is_open_elsewhere_is_not_copied(store: Path):
    """What the other one writes after the copy would be lost when the copy takes the file's place."""
    other = open_encrypted(store, OLD.key, OLD.identity)
    other.execute("SELECT * FROM words").fetchall()
    with pytest.raises(sqlcipher.OperationalError, match="locked"):
        copy_under(store, OLD, store.with_name("copy.db"), NEW)
    other.close()


def test_a_damaged_page_stops_the_copy(store: Path):
    content = bytearray(store.read_bytes())
    content[-2000] ^= 1
    store.write_bytes(bytes(content))
    with pytest.raises(sqlcipher.DatabaseError):
        copy_under(store, OLD, store.with_name("copy.db"), NEW)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        ("DELETE FROM words", "differs"),
        ("PRAGMA user_version = 8", "differs"),
        ("CREATE TABLE more (a)", "differs"),
    ],
)
def test_a_copy_that_differs_is_refused(store: Path, spoil: str, reason: str):
    target = store.with_name("copy.db")
    copy_under(store, OLD, target, NEW)
    original, copy = (
        open_encrypted(store, OLD.key, OLD.identity),
        open_encrypted(target, NEW.key, NEW.identity),
    )
    copy.execute(spoil)
    with pytest.raises(RotationFailed, match=reason):
        rotation._compare(original, copy)
    original.close()
    copy.close()
