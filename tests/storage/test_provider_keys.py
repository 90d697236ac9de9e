"""Where a provider's key lies, that it lies nowhere else, and that nothing is left of one that was revoked."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.archives import full_archive
from tests.fakes.keys import BY_KEY_FILE, RAW_KEY, KeptInMemory, NoService, files_with, new_vault, unlocker_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import IDENTITY, WHEN, chat, connect, decrypted_pages, open_store, said
from workbench.domain.errors import KeyLingers, WorkbenchError
from workbench.domain.secrets import Secret
from workbench.engine.exchange.formats import FORMATS
from workbench.storage.database.database import Database
from workbench.storage.history import SqlCipherHistory
from workbench.storage.keys.keyring import SERVICE, OsKeyring
from workbench.storage.keys.unlocking import GivenCredentials
from workbench.storage.opening import open_unlocked
from workbench.storage.provider_keys import StoreProviderKeys

ORIGIN = "https://api.openai.com:443"
KEY, NEXT_KEY = Secret.of_text("sk-xanthocanary-1"), Secret.of_text("sk-xanthocanary-2")
FULL = full_archive()
NAME = (SERVICE, f"{IDENTITY.database_id} {ORIGIN}")


class Sometimes(KeptInMemory):
    """A keyring that is locked at times, and then quotes what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        """Only when open."""
        self._check(username)
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        """Only when open."""
        self._check(password)
        super().set_password(service, username, password)

    def delete_password(self, service: str, username: str) -> None:
        """Only when open."""
        self._check(username)
        super().delete_password(service, username)

    def _check(self, given: str) -> None:
        if self.locked:
            raise RuntimeError(f"locked, so no {given}")


class Forgetful(KeptInMemory):
    """Gives something else back than it was given."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep half of it."""
        super().set_password(service, username, password[:5])


for disguised in (Sometimes, Forgetful):
    disguised.__module__, disguised.__qualname__ = "keyring.backends.macOS", "Keyring"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlCipherHistory]:
    opened = open_store(tmp_path / "h.db")
    yield opened
    asyncio.run(opened.close())


def in_table(path: Path) -> list[tuple[str, bytes | None]]:
    connection = connect(path)
    rows = connection.execute("SELECT origin, secret FROM provider_key").fetchall()
    connection.close()
    return [tuple(row) for row in rows]


@in_loop
async def test_with_a_keyring_the_store_knows_only_the_origin(store: SqlCipherHistory, tmp_path: Path):
    backend = KeptInMemory()
    keys = StoreProviderKeys(store, OsKeyring(backend))
    await keys.keep(ORIGIN, KEY)
    assert backend.kept == {NAME: KEY.reveal_text()}
    assert in_table(tmp_path / "h.db") == [(ORIGIN, None)]
    await keys.keep(ORIGIN, None)
    assert (backend.kept, in_table(tmp_path / "h.db")) == ({}, [])


@in_loop
async def test_without_a_keyring_the_encrypted_store_has_it(store: SqlCipherHistory, tmp_path: Path):
    await StoreProviderKeys(store, OsKeyring(NoService())).keep(ORIGIN, KEY)
    assert in_table(tmp_path / "h.db") == [(ORIGIN, KEY.reveal())]


@in_loop
async def test_a_key_that_a_keyring_would_spoil_goes_to_the_store(store: SqlCipherHistory, tmp_path: Path):
    backend = Forgetful()
    keys = StoreProviderKeys(store, OsKeyring(backend))
    await keys.keep(ORIGIN, KEY)
    assert await keys.find(ORIGIN) == KEY
    assert (backend.kept, in_table(tmp_path / "h.db")) == ({}, [(ORIGIN, KEY.reveal())])


@in_loop
async def test_another_store_has_its_own_keys(store: SqlCipherHistory):
    """A folder from elsewhere, opened on this computer, must not get at the keys of the one at home."""
    backend = KeptInMemory()
    backend.set_password(SERVICE, f"{'f' * 32} {ORIGIN}", "of another store")
    backend.set_password(*NAME, "a name alone is no permission")
    keys = StoreProviderKeys(store, OsKeyring(backend))
    assert await keys.find(ORIGIN) is None


@in_loop
async def test_while_the_keyring_is_locked_there_is_no_key(store: SqlCipherHistory):
    backend = Sometimes()
    keys = StoreProviderKeys(store, OsKeyring(backend))
    await keys.keep(ORIGIN, KEY)
    backend.locked = True
    assert (await keys.find(ORIGIN), await keys.origins()) == (None, (ORIGIN,))
    backend.locked = False
    assert await keys.find(ORIGIN) == KEY


@pytest.mark.parametrize("new", [None, NEXT_KEY])
@in_loop
async def test_a_key_that_cannot_be_removed_is_not_used_and_named(
    store: SqlCipherHistory, tmp_path: Path, new: Secret | None
):
    """A keyring that is locked now and opens later must not bring a revoked key back."""
    backend = Sometimes()
    keys = StoreProviderKeys(store, OsKeyring(backend))
    await keys.keep(ORIGIN, KEY)
    backend.locked = True
    with pytest.raises(KeyLingers, match="revoke it at the provider") as told:
        await keys.keep(ORIGIN, new)
    assert KEY.reveal_text() not in "".join(traceback.format_exception(told.value))
    backend.locked = False
    assert await keys.find(ORIGIN) == new
    await keys.keep(ORIGIN, None)
    assert (backend.kept, in_table(tmp_path / "h.db")) == ({}, [])


@in_loop
async def test_a_key_moves_into_the_keyring_once_there_is_one(store: SqlCipherHistory, tmp_path: Path):
    await StoreProviderKeys(store, None).keep(ORIGIN, KEY)
    backend = KeptInMemory()
    keys = StoreProviderKeys(store, OsKeyring(backend))
    assert await keys.find(ORIGIN) == KEY
    await keys.keep(ORIGIN, NEXT_KEY)
    assert in_table(tmp_path / "h.db") == [(ORIGIN, None)]
    without = StoreProviderKeys(store, None)
    with pytest.raises(KeyLingers):
        await without.keep(ORIGIN, None)


def careless(path: Path) -> Any:
    """A connection of a SQLite that leaves in place what it frees, as most are built to."""
    connection = connect(path)
    connection.execute("PRAGMA secure_delete = OFF")
    return connection


@in_loop
async def test_nothing_is_left_of_a_revoked_key_even_for_who_has_the_store_s(tmp_path: Path):
    await open_store(tmp_path / "h.db").close()
    thread = ThreadPoolExecutor(max_workers=1)
    store = SqlCipherHistory(Database(lambda: careless(tmp_path / "h.db")), thread, lambda: None)
    keys = StoreProviderKeys(store, None)
    await keys.keep(ORIGIN, KEY)
    assert KEY.reveal() in decrypted_pages(tmp_path / "h.db")
    for key in (NEXT_KEY, None):
        await keys.keep(ORIGIN, key)
        assert KEY.reveal() not in decrypted_pages(tmp_path / "h.db")
    assert (tmp_path / "h.db-wal").stat().st_size == 0
    await store.close()
    assert b"xanthocanary" not in decrypted_pages(tmp_path / "h.db")


@in_loop
async def test_what_cannot_be_written_leaves_no_key_in_the_keyring(tmp_path: Path):
    new_vault(tmp_path / "data", BY_KEY_FILE)
    (tmp_path / "key").write_bytes(RAW_KEY)
    unlocker, _ = unlocker_of(tmp_path / "data", GivenCredentials(tmp_path / "key"))
    await open_unlocked(unlocker.unlock(), True, lambda: WHEN).close()
    reader = open_unlocked(unlocker.unlock(), False, lambda: WHEN)
    backend = KeptInMemory()
    with pytest.raises(WorkbenchError):
        await StoreProviderKeys(reader, OsKeyring(backend)).keep(ORIGIN, KEY)
    await reader.close()
    assert backend.kept == {}


@in_loop
async def test_a_key_is_in_no_export_no_error_and_no_plain_file(tmp_path: Path):
    """Obsidian Copilot #1402: a key in a settings file; here it must not be in any file that can be read."""
    new_vault(tmp_path / "data", BY_KEY_FILE)
    (tmp_path / "key").write_bytes(RAW_KEY)
    unlocker, _ = unlocker_of(tmp_path / "data", GivenCredentials(tmp_path / "key"))
    store = open_unlocked(unlocker.unlock(), True, lambda: WHEN)
    keys = StoreProviderKeys(store, None)
    await keys.keep(ORIGIN, KEY)
    await store.adopt(FULL)
    archive = await store.archive("talk")
    told = []
    for wrong in (keys.keep("\ud800", KEY), store.create_chat(archive.chat), keys.keep(ORIGIN, Secret(b""))):
        with pytest.raises(WorkbenchError) as problem:
            await wrong
        told.append("".join(traceback.format_exception(problem.value)) + repr(problem.value.__dict__))
    exported = [content for one in FORMATS for _, content in one.export([archive])]
    assert len(exported) > 5
    findings = json.dumps((await store.verify()).problems)
    everywhere = [*exported, *(words.encode() for words in told), findings.encode(), repr(keys).encode()]
    assert not [one for one in everywhere if b"xanthocanary" in one]
    # With the write-ahead log and everything else, while it is open.
    assert files_with(tmp_path / "data", [KEY.reveal()]) == []
    await store.close()
    assert files_with(tmp_path / "data", [KEY.reveal()]) == []


@in_loop
async def test_keys_stay_when_everything_else_is_deleted(store: SqlCipherHistory):
    keys = StoreProviderKeys(store, None)
    await keys.keep(ORIGIN, KEY)
    await store.create_chat(chat())
    await store.append([said("m", "text")])
    await store.delete_message("c", "m", WHEN)
    await store.purge()
    assert await keys.find(ORIGIN) == KEY
