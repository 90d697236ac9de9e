"""Stores that released versions made open, and hold what they held."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, connect, open_store
from tests.storage.fixtures.make_version import (
    CONTENTS,
    FILED,
    HERE,
    ORIGIN,
    PROVIDER_KEY,
    SPENT,
    STORE,
    contents,
    filed,
)
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.format import SCHEMA_VERSION
from workbench.storage.database.migrations import migrate
from workbench.storage.database.pages import Pages
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.protectors import DataKey
from workbench.storage.keys.unlocking import UnlockedStore
from workbench.storage.opening import open_unlocked
from workbench.storage.provider_keys import StoreProviderKeys
from workbench.storage.spending import StoredSpending
from workbench.storage.upkeep.rescue import rescue
from workbench.storage.workspaces import StoreWorkspaces

VERSIONS = [f"version-{number}" for number in range(1, SCHEMA_VERSION + 1)]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_store_reads_as_it_did(tmp_path: Path, version: str):
    shutil.copyfile(HERE / version / STORE, tmp_path / STORE)
    store = open_store(tmp_path / STORE)
    found = asyncio.run(contents(store))
    problems = asyncio.run(store.verify()).problems
    asyncio.run(store.close())
    kept = json.loads((HERE / version / CONTENTS).read_text(encoding="utf-8"))
    assert as_far_as(json.loads(found), kept) == kept
    assert problems == ()


def as_far_as(found: Any, kept: Any) -> Any:
    """What was found, without the fields that values have got since."""
    if isinstance(kept, dict) and isinstance(found, dict):
        return {key: as_far_as(found[key], kept[key]) for key in found if key in kept}
    if isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        return [as_far_as(*pair) for pair in zip(found, kept, strict=True)]
    return found


@in_loop
async def test_provider_keys_are_found_since_the_second_version(tmp_path: Path):
    for version in VERSIONS:
        shutil.copyfile(HERE / version / STORE, tmp_path / f"{version}.db")
        store = open_store(tmp_path / f"{version}.db")
        expected = None if version == "version-1" else PROVIDER_KEY
        assert await StoreProviderKeys(store, None).find(ORIGIN) == expected
        await store.close()


@in_loop
async def test_what_was_spent_is_found_since_the_fifth_version(tmp_path: Path):
    for version in VERSIONS:
        shutil.copyfile(HERE / version / STORE, tmp_path / f"{version}.db")
        store = open_store(tmp_path / f"{version}.db")
        expected = () if version in VERSIONS[:4] else (SPENT,)
        assert await StoredSpending(store, "me").spent() == expected
        await store.close()


@in_loop
async def test_workspaces_are_found_since_the_third_version(tmp_path: Path):
    for version in VERSIONS:
        shutil.copyfile(HERE / version / STORE, tmp_path / f"{version}.db")
        store = open_store(tmp_path / f"{version}.db")
        kept = HERE / version / FILED
        expected = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else [[], []]
        found = json.loads(await filed(StoreWorkspaces(store)))
        assert as_far_as(found, expected) == expected
        assert kept.exists() == (version not in ("version-1", "version-2"))
        await store.close()


@pytest.mark.parametrize("version", VERSIONS)
@in_loop
async def test_the_text_of_attachments_is_found_whichever_version_kept_them(tmp_path: Path, version: str):
    shutil.copyfile(HERE / version / STORE, tmp_path / STORE)
    store = open_store(tmp_path / STORE)
    (hit,) = await store.search("text")
    assert (hit.where, hit.subject, hit.snippet[:13]) == ("attachment", "notes/a.md", "# Notes text ")
    await store.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_fixture_is_small(version: str):
    assert sum(file.stat().st_size for file in (HERE / version).iterdir()) < 350_000


@in_loop
async def test_a_store_of_the_first_version_is_copied_and_brought_up_to_date(tmp_path: Path):
    """Opened by the newest program it holds what it held, the copy beside it is untouched, and it can go on."""
    data = DataFolder(tmp_path / "data")
    data.make()
    shutil.copyfile(HERE / "version-1" / STORE, data.store)
    before = rows_of(data.store)
    # A reader brings it up to date too, and changes nothing else.
    reader = open_unlocked(unlocked(data), False, lambda: WHEN)
    kept = json.loads((HERE / "version-1" / CONTENTS).read_text(encoding="utf-8"))
    assert as_far_as(json.loads(await contents(reader)), kept) == kept
    assert [turn.reply for turn in await reader.turns("c")] == ["a1", "a2"]
    await reader.close()
    assert rows_of(data.path / "store.db.version-1") == before
    after = rows_of(data.store)
    new = (
        *("provider_key", "workspace", "prompt", "spending"),
        *("searched_folder", "folder_segment", "folder_file", "folder_text"),
    )
    assert [after.pop(name) for name in new] == [[]] * len(new)
    # Every chat is in no workspace.
    assert {row[-1] for row in after["chat"]} == {"{}"}
    after["chat"] = [row[:-1] for row in after["chat"]]
    # Every field of a turn is as it was, with a place for the reply among them.
    assert [(*row[:4], *row[5:]) for row in after.pop("turn")] == before.pop("turn")
    assert after == before
    writer = open_unlocked(unlocked(data), True, lambda: WHEN)
    again = (await writer.turns("c"))[0]
    await writer.begin_turn(replace(again, state="running", reply=None), None)
    assert (await writer.verify()).problems == ()
    await writer.close()


def test_both_ways_to_the_newest_version_end_in_the_same_tables(tmp_path: Path):
    shutil.copyfile(HERE / "version-1" / STORE, tmp_path / "old.db")
    for name in ("old.db", "new.db"):
        asyncio.run(open_store(tmp_path / name).close())
    assert schema_of(tmp_path / "old.db") == schema_of(tmp_path / "new.db")


@in_loop
async def test_a_damaged_store_of_an_old_version_can_be_salvaged(tmp_path: Path):
    """It cannot be brought to the newest version first: that is what the damage prevents."""
    shutil.copyfile(HERE / "version-1" / STORE, tmp_path / "old.db")
    create_encrypted(tmp_path / "new.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "new.db"))
    migrate(database, lambda version: None)
    with Pages(tmp_path / "old.db", RAW_KEY) as pages:
        assert rescue(pages, database).complete
    database.close()
    store = open_store(tmp_path / "new.db")
    kept = json.loads((HERE / "version-1" / CONTENTS).read_text(encoding="utf-8"))
    assert as_far_as(json.loads(await contents(store)), kept) == kept
    assert (await store.verify()).problems == ()
    await store.close()


def rows_of(path: Path) -> dict[str, list[Any]]:
    """Every row of every table, as it lies in the file."""
    connection = connect(path)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    # The virtual tables keep their content in tables of their own.
    found = {
        name: connection.execute(f'SELECT * FROM "{name}"').fetchall()
        for name in names
        if "words" not in name
    }
    connection.close()
    return found


def schema_of(path: Path) -> set[str]:
    connection = connect(path)
    found = {"".join(sql.split()) for (sql,) in connection.execute("SELECT sql FROM sqlite_schema") if sql}
    connection.close()
    return found


def unlocked(data: DataFolder) -> UnlockedStore:
    return UnlockedStore(
        data.store, DataKey(RAW_KEY, IDENTITY), FileLock(data.store_lock, alone=False, advice="")
    )
