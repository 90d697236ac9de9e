"""Opening the history of a folder: one writer, many readers, the newest version; and whole copies of it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import Connection, text

from tests.fakes.keys import WORDS, NoService, ScriptedPerson, cheap_vault, unlocker_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, said
from workbench.domain.errors import BackupRefused, FutureStore, StoreInUse
from workbench.domain.secrets import Secret
from workbench.storage.database.format import SCHEMA_VERSION
from workbench.storage.database.migrations import MIGRATIONS
from workbench.storage.folder import DataFolder
from workbench.storage.keys.keeper import FolderKeyKeeper
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.unlocking import GivenCredentials, Unlocker, UserPrompts
from workbench.storage.opening import HistoryFolder, open_unlocked

GIVEN = GivenCredentials(passphrase=WORDS)


def unlocker(path: Path) -> Unlocker:
    return unlocker_of(path, GIVEN)[0]


def history(path: Path) -> HistoryFolder:
    return HistoryFolder(lambda folder: unlocker(folder.path), DataFolder(path), lambda: WHEN)


def add_colour(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE chat ADD COLUMN colour TEXT"))


def fail(connection: Connection) -> None:
    add_colour(connection)
    raise ZeroDivisionError


async def filled(path: Path) -> None:
    store = await history(path).open(writable=True)
    await store.create_chat(chat())
    await store.append([said("m1", "kept")])
    await store.close()


def files(path: Path) -> set[str]:
    return {one.name for one in path.iterdir()}


@in_loop
async def test_the_second_writer_is_told_and_readers_read(tmp_path: Path):
    await filled(tmp_path / "data")
    writer = await history(tmp_path / "data").open(writable=True)
    with pytest.raises(StoreInUse, match=f"has it open since {WHEN}"):
        await history(tmp_path / "data").open(writable=True)
    readers = [await history(tmp_path / "data").open(writable=False) for _ in range(2)]
    await writer.append([said("m2", "meanwhile", "m1")])
    for reader in readers:
        assert [one.id for one in await reader.path("c")] == ["m1", "m2"]
        await reader.close()
    await writer.close()
    again = await history(tmp_path / "data").open(writable=True)
    await again.close()


@in_loop
async def test_a_question_from_a_script_is_kept_beside_the_open_window(tmp_path: Path):
    """A second writer was refused until the window was closed."""
    await filled(tmp_path / "data")
    window = await history(tmp_path / "data").open(writable=True)
    assert not await window.changed_elsewhere()
    beside = [await history(tmp_path / "data").open(writable=True, beside=True) for _ in range(2)]
    for number, one in enumerate(beside):
        await one.append([said(f"beside{number}", "also kept", parent="m1")])
    await window.append([said("m2", "mine", parent="m1")])
    for one in beside:
        await one.close()
    assert [await window.changed_elsewhere() for _ in range(2)] == [True, False]
    found = {record.id for record in (await window.archive("c")).records}
    assert found == {"m1", "beside0", "beside1", "m2"}
    await window.close()


@in_loop
async def test_who_yields_leaves_the_first_place_to_a_window_that_comes_later(tmp_path: Path):
    """A command that watches for hours kept the window from opening."""
    watching = await history(tmp_path / "data").open(writable=True, yielding=True)
    window = await history(tmp_path / "data").open(writable=True)
    await window.create_chat(chat())
    await watching.append([said("m1", "watched")])
    asked = await history(tmp_path / "data").open(writable=True, beside=True)
    await asked.append([said("m2", "asked", "m1")])
    assert [record.id for record in await window.path("c")] == ["m1", "m2"]
    for one in (asked, watching, window):
        await one.close()


@in_loop
async def test_what_runs_beside_is_not_taken_for_left_behind(tmp_path: Path):
    await filled(tmp_path / "data")
    window = await history(tmp_path / "data").open(writable=True)
    beside = await history(tmp_path / "data").open(writable=True, beside=True)
    await beside.append([replace(said("m2", "growing", "m1", "assistant"), state="running")])
    await window.close()
    window = await history(tmp_path / "data").open(writable=True)
    assert (await window.path("c"))[-1].state == "running"
    await beside.close()
    await window.close()
    window = await history(tmp_path / "data").open(writable=True)
    assert (await window.path("c"))[-1].state == "interrupted"
    await window.close()


@pytest.mark.parametrize("here", [True, False])
@in_loop
async def test_who_is_asked_is_asked_beside_the_loop_unless_they_sit_at_a_terminal(
    tmp_path: Path, here: bool
):
    await filled(tmp_path / "data")
    asked: list[bool] = []

    class Person(ScriptedPerson):
        def ask(self, prompt: str) -> Secret:
            asked.append(threading.current_thread() is threading.main_thread())
            return WORDS

    def unlocker_with_person(folder: DataFolder) -> Unlocker:
        people = UserPrompts(Person(), lambda words: None, ask_here=here)
        return Unlocker(folder, cheap_vault(folder), GivenCredentials(), people, OsKeyring(NoService()))

    access = HistoryFolder(unlocker_with_person, DataFolder(tmp_path / "data"), lambda: WHEN)
    await access.backup(str(tmp_path / "backup"))
    await (await access.open(writable=True)).close()
    await access.restore(str(tmp_path / "backup"))
    assert asked == [here] * 2


@in_loop
async def test_only_the_owner_can_look_inside(tmp_path: Path):
    await filled(tmp_path / "data")
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert {one.stat().st_mode & 0o777 for one in (tmp_path / "data").iterdir()} == {0o600}


@in_loop
async def test_before_a_step_a_copy_is_kept(tmp_path: Path):
    await filled(tmp_path / "data")
    store = open_unlocked(unlocker(tmp_path / "data").unlock(), True, lambda: WHEN, (*MIGRATIONS, add_colour))
    assert [one.id for one in await store.path("c")] == ["m1"]
    await store.close()
    assert f"store.db.version-{SCHEMA_VERSION}" in files(tmp_path / "data")
    with pytest.raises(FutureStore):
        await history(tmp_path / "data").open(writable=False)
    (tmp_path / "data" / f"store.db.version-{SCHEMA_VERSION}").replace(tmp_path / "data" / "store.db")
    old = await history(tmp_path / "data").open(writable=True)
    assert [one.id for one in await old.path("c")] == ["m1"]
    await old.close()


@in_loop
async def test_a_step_that_fails_leaves_the_old_version_in_use(tmp_path: Path):
    await filled(tmp_path / "data")
    with pytest.raises(ZeroDivisionError):
        open_unlocked(unlocker(tmp_path / "data").unlock(), True, lambda: WHEN, (*MIGRATIONS, fail))
    store = await history(tmp_path / "data").open(writable=True)
    assert [one.id for one in await store.path("c")] == ["m1"]
    await store.close()
    assert not {name for name in files(tmp_path / "data") if name.endswith(("-wal", "-shm", ".new"))}


@in_loop
async def test_a_reader_may_bring_the_store_up_to_date_and_then_only_reads(tmp_path: Path):
    await filled(tmp_path / "data")
    steps = (*MIGRATIONS, add_colour)
    reader = open_unlocked(unlocker(tmp_path / "data").unlock(), False, lambda: WHEN, steps)
    writer = open_unlocked(unlocker(tmp_path / "data").unlock(), True, lambda: WHEN, steps)
    await writer.append([said("m2", "written beside the reader", "m1")])
    assert len(await reader.path("c")) == 2
    await writer.close()
    await reader.close()


@in_loop
async def test_after_a_new_key_no_copy_under_the_old_one_is_left(tmp_path: Path):
    """Who changes the key because the old one got known must not keep a file that it opens."""
    await filled(tmp_path / "data")
    steps = (*MIGRATIONS, add_colour)
    await open_unlocked(unlocker(tmp_path / "data").unlock(), True, lambda: WHEN, steps).close()
    assert f"store.db.version-{SCHEMA_VERSION}" in files(tmp_path / "data")
    FolderKeyKeeper(unlocker(tmp_path / "data")).rotate()
    assert {name for name in files(tmp_path / "data") if name.startswith("store.db")} == {"store.db"}
    store = open_unlocked(unlocker(tmp_path / "data").unlock(), True, lambda: WHEN, steps)
    assert [one.id for one in await store.path("c")] == ["m1"]
    await store.close()


@in_loop
async def test_a_backup_made_while_in_use_comes_back(tmp_path: Path):
    await filled(tmp_path / "data")
    here = history(tmp_path / "data")
    writer = await here.open(writable=True)
    await here.backup(str(tmp_path / "backup"))
    await writer.append([said("m2", "later", "m1")])
    with pytest.raises(StoreInUse):
        await here.restore(str(tmp_path / "backup"))
    await writer.close()
    aside = await here.restore(str(tmp_path / "backup"))
    store = await here.open(writable=True)
    assert [one.id for one in await store.path("c")] == ["m1"]
    await store.close()
    assert {"store.db", "keys.json"} <= files(Path(aside))
    with pytest.raises(BackupRefused, match="does not hold"):
        await here.restore(str(tmp_path / "nowhere"))


@in_loop
async def test_what_cannot_be_opened_keeps_nothing_locked(tmp_path: Path):
    await filled(tmp_path / "data")
    for _ in range(3):
        unlocked = unlocker(tmp_path / "data").unlock()
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(open_unlocked, unlocked, True, lambda: WHEN, (*MIGRATIONS, fail))
    FolderKeyKeeper(unlocker(tmp_path / "data")).rotate()


def test_older_copies_are_named(tmp_path: Path):
    data = DataFolder(tmp_path)
    for name in ("replaced-2026", "store.db.version-1", "store.db", "keys.json"):
        (tmp_path / name).touch()
    access = HistoryFolder(lambda folder: cast("Unlocker", None), data, lambda: WHEN)
    assert access.older_copies() == (str(tmp_path / "replaced-2026"), str(tmp_path / "store.db.version-1"))


@in_loop
async def test_a_copy_to_try_something_on_changes_nothing_and_is_gone_afterwards(tmp_path: Path):
    await filled(tmp_path / "data")
    before = (tmp_path / "data" / "store.db").read_bytes()
    copy = await history(tmp_path / "data").copied()
    await copy.append([said("m2", "tried", "m1")])
    assert [one.id for one in await copy.path("c")] == ["m1", "m2"]
    await copy.close()
    assert (tmp_path / "data" / "store.db").read_bytes() == before
    store = await history(tmp_path / "data").open(writable=True)
    assert [one.id for one in await store.path("c")] == ["m1"]
    await store.close()
