"""Something else in the place of the store: never opened as one, never overwritten, never made anew."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.keys import BY_PASSPHRASE, current_key, unlocker_of
from tests.storage.faults.read_only import fill, history
from workbench.domain.errors import ForeignDatabase, FutureStore, NoKeysYet, StoreGone, WorkbenchError
from workbench.storage.database.cipher import open_encrypted
from workbench.storage.database.format import SCHEMA_VERSION


def emptied(store: Path) -> None:
    store.write_bytes(b"")


def removed(store: Path) -> None:
    store.unlink()


def text(store: Path) -> None:
    store.write_text("Dear diary, " * 1000)


def plain(store: Path) -> None:
    store.unlink()
    with sqlite3.connect(store) as connection:
        connection.execute("CREATE TABLE message (text)")
    connection.close()


def another(store: Path) -> None:
    """A store of other keys."""
    other = store.parent.parent / "other"
    asyncio.run(fill(other))
    store.write_bytes((other / "store.db").read_bytes())


def cut(store: Path) -> None:
    store.write_bytes(store.read_bytes()[: 4096 * 2])


def newer(store: Path) -> None:
    vault = unlocker_of(store.parent)[0].vault
    key = current_key(vault, BY_PASSPHRASE)
    connection = open_encrypted(store, key.key, key.identity)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize(
    ("put", "error", "words"),
    [
        (emptied, StoreGone, "is an empty file"),
        (removed, StoreGone, "is missing"),
        (text, ForeignDatabase, "their key does not open it"),
        (plain, ForeignDatabase, "it is not encrypted"),
        (another, ForeignDatabase, "their key does not open it"),
        (cut, WorkbenchError, "Nothing was overwritten"),
        (newer, FutureStore, f"knows versions up to {SCHEMA_VERSION}"),
    ],
)
def test_it_is_refused_and_left_as_it_is(
    tmp_path: Path, put: Callable[[Path], None], error: type[WorkbenchError], words: str, writable: bool
) -> None:
    folder = tmp_path / "data"
    asyncio.run(fill(folder))
    store = folder / "store.db"
    put(store)
    before = store.read_bytes() if store.exists() else None
    for _ in range(2):
        with pytest.raises(error, match=words):
            asyncio.run(looked(folder, writable))
    # A write-ahead log may be opened and closed; what is in the file stays.
    after = store.read_bytes() if store.exists() else None
    assert (after == before) or put is newer
    assert not [file.name for file in folder.iterdir() if file.name.endswith((".new", ".tmp"))]


async def looked(folder: Path, writable: bool) -> None:
    store = await history(folder).open(writable=writable)
    try:
        await store.path("c")
        await store.search("kept")
        await store.archive("c")
    finally:
        await store.close()


def test_a_store_without_its_keys_is_not_replaced_by_a_new_one(tmp_path: Path) -> None:
    """The keys are gone: a fresh pair beside the old store would make it look like rubbish for ever."""
    folder = tmp_path / "data"
    asyncio.run(fill(folder))
    (folder / "keys.json").unlink()
    before = (folder / "store.db").read_bytes()
    with pytest.raises(WorkbenchError):
        asyncio.run(looked(folder, True))
    assert (folder / "store.db").read_bytes() == before
    with pytest.raises((NoKeysYet, WorkbenchError)):
        asyncio.run(history(folder).backup(str(tmp_path / "backup")))
