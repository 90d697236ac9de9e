"""Listing chats without the rest of the history: the same key, the same words when it fails, and nothing made."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.keys import WORDS, unlocker_of
from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, open_store
from tests.storage.faults.read_only import fill
from tests.storage.fixtures.make_version import HERE, STORE
from workbench.domain.errors import NoKeysYet
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.protectors import DataKey
from workbench.storage.keys.unlocking import GivenCredentials, UnlockedStore
from workbench.storage.listing import list_chats, list_unlocked

LISTS = """
import sys
from workbench.__main__ import main
assert main(["--data-dir", sys.argv[1], "--key-file", sys.argv[2], "history", "list"]) == 0
print("LOADED", *sorted({name.split(".")[0] for name in sys.modules}))
"""
HEAVY = {"PySide6", "asyncio", "keyring", "openai", "sqlalchemy", "tiktoken", "tomllib"}


def test_a_folder_without_a_history_is_named_and_stays_as_it_is(tmp_path: Path):
    mistyped = tmp_path / "dtaa"
    with pytest.raises(NoKeysYet, match=r"There is no history in .*dtaa"):
        list_chats(unlocker_of(mistyped, GivenCredentials(passphrase=WORDS))[0], lambda: WHEN)
    assert not mistyped.exists()


def test_what_is_there_is_listed_and_let_go_of(tmp_path: Path):
    asyncio.run(fill(tmp_path))
    unlocker = unlocker_of(tmp_path, GivenCredentials(passphrase=WORDS))[0]
    for _ in range(2):
        (line,) = list_chats(unlocker, lambda: WHEN)
        assert (line.id, line.last_turn) == ("c", "complete")
    unlocker.alone().close()


@pytest.mark.parametrize("version", ["version-1", "version-3"])
def test_a_store_of_an_earlier_version_is_brought_to_the_newest_first(tmp_path: Path, version: str):
    folder = DataFolder(tmp_path)
    shutil.copyfile(HERE / version / STORE, folder.store)
    lock = FileLock(folder.store_lock, alone=False, advice="")
    listed = list_unlocked(UnlockedStore(folder.store, DataKey(RAW_KEY, IDENTITY), lock), lambda: WHEN)
    store = open_store(folder.store)
    assert [line.id for line in listed] == [chat.id for chat in asyncio.run(store.chats())] != []
    asyncio.run(store.close())


def test_the_command_loads_neither_a_loop_nor_what_the_rest_of_the_history_needs(tmp_path: Path):
    """These took five times as long as listing a thousand chats."""
    key, data = tmp_path / "key", tmp_path / "data"
    key.write_bytes(bytes(range(64)))
    made = ["-m", "workbench", "--data-dir", str(data), "--key-file", str(key), "workspaces", "create", "w"]
    subprocess.run([sys.executable, *made], capture_output=True, check=True)
    listed = subprocess.run(
        [sys.executable, "-c", LISTS, str(data), str(key)], capture_output=True, text=True, check=True
    )
    assert not HEAVY & set(listed.stdout.splitlines()[-1].split())
