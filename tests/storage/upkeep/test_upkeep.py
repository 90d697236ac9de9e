"""Every damage is found, and none ends the check."""

from __future__ import annotations

import asyncio
import random  # noqa: TID251 - seeded: the same places every time
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.loop import in_loop
from tests.fakes.stores import RAW_KEY, WHEN, chat, connect, open_store, said
from tests.fakes.turns import user
from workbench.domain.errors import BackupRefused, StoreDamaged, WorkbenchError
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record
from workbench.storage.database.cipher import PAGE_BYTES
from workbench.storage.folder import DataFolder
from workbench.storage.history import SqlCipherHistory
from workbench.storage.upkeep.upkeep import copy_database, copy_files, copy_folder, put_back, swap_database

SHORT, LONG = "short", "long " * 20


async def with_turns(path: Path) -> SqlCipherHistory:
    """u1 → a1 → u2, with a request for each question."""
    store = open_store(path)
    await store.create_chat(chat())
    u1, u2 = user("u1", SHORT), user("u2", "And then?")
    a1 = Message("a1", "assistant", (LONG,), tool_calls=(ToolCall("c1", "read", SHORT),))
    t1 = Message("t1", "tool", (SHORT,), tool_call_id="c1")
    await store.begin_turn(built_turn(u1), asked(u1))
    await store.append([Record("c", a1, WHEN, "u1"), Record("c", t1, WHEN, "a1")])
    await store.begin_turn(built_turn(u2, [u1, a1, t1], number=2), asked(u2, "t1"))
    return store


@in_loop
async def test_a_sound_store_is_counted(tmp_path: Path):
    store = await with_turns(tmp_path / "h.db")
    found = await store.verify()
    assert (found.chats, found.messages, found.turns, found.locked, found.problems) == (1, 4, 2, 0, ())
    assert found.pages > 10
    await store.close()


@in_loop
async def test_every_flipped_bit_is_found_and_none_ends_the_check(tmp_path: Path):
    """`verify` is what the message about damage tells people to run: it must not answer with that message."""
    store = await with_turns(tmp_path / "h.db")
    await store.append([said(f"m{n}", f"text {n} " * 40, "u2") for n in range(150)])
    await store.close()
    sound = (tmp_path / "h.db").read_bytes()
    choice, unopened = random.Random(5), 0
    for _ in range(25):
        flipped = bytearray(sound)
        flipped[choice.randrange(8192, len(flipped))] ^= 1 << choice.randrange(8)
        (tmp_path / "h.db").write_bytes(flipped)
        try:
            damaged = open_store(tmp_path / "h.db")
        except StoreDamaged:  # a page of the schema itself: without it no table is found, and that is said
            unopened += 1
            continue
        found = await damaged.verify()
        assert found.problems
        assert found.pages > 10
        await damaged.close()
    assert unopened <= 2


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        ("UPDATE message SET content = 999 WHERE id = 'u2'", "refers to a row of content"),
        ("DELETE FROM message_words WHERE rowid = 1", "knows 3 messages of 4"),
        ("UPDATE turn SET envelope = x'00'", "unreadable (error)"),
        ("UPDATE chat SET settings = '[]'", "unreadable (InvalidInput)"),
        ("DELETE FROM segment", "unreadable (KeyError)"),
        ("UPDATE turn SET reply = 999", "refers to a row of message"),
        (
            "INSERT INTO provider_key VALUES ('https://x.example:443', x'')",
            "key for 'https://x.example:443' is",
        ),
    ],
)
@in_loop
async def test_what_does_not_fit_together_is_named(tmp_path: Path, damage: str, finding: str):
    store = await with_turns(tmp_path / "h.db")
    await store.close()
    connection = connect(tmp_path / "h.db")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(damage)
    connection.commit()
    connection.close()
    again = open_store(tmp_path / "h.db")
    assert any(finding in problem for problem in (await again.verify()).problems)
    await again.close()


# Copies that hold everything, and come back without losing what they replace.


async def fill(path: Path, *texts: str) -> None:
    store = open_store(path)
    await store.create_chat(chat())
    parents = (None, *(f"m{number}" for number in range(len(texts))))
    await store.append([said(f"m{n}", text, parents[n]) for n, text in enumerate(texts)])
    await store.close()


async def texts(path: Path) -> list[str]:
    store = open_store(path)
    found = [getattr(one.entry, "text", "") for one in await store.path("c")]
    assert (await store.verify()).problems == ()
    await store.close()
    return found


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.iterdir())


def folder(path: Path, *said_in_it: str) -> DataFolder:
    made = DataFolder(path)
    made.make()
    if said_in_it:
        asyncio.run(fill(made.store, *said_in_it))
        made.keys.write_text(f"keys of {path.name}")
    return made


@in_loop
async def test_a_copy_holds_what_is_only_in_the_log(tmp_path: Path):
    store = open_store(tmp_path / "history.db")
    await store.create_chat(chat())
    source = connect(tmp_path / "history.db")
    await store.append([said("m0", "written while it is copied")])
    copy_database(source, tmp_path / "copy.db", RAW_KEY)
    source.close()
    await store.close()
    assert names(tmp_path) == ["copy.db", "history.db"]
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    assert await texts(tmp_path / "copy.db") == ["written while it is copied"]


def test_a_copy_that_failed_leaves_the_one_before(tmp_path: Path):
    asyncio.run(fill(tmp_path / "history.db", "old"))
    source = connect(tmp_path / "history.db")
    copy_database(source, tmp_path / "copy.db", RAW_KEY)
    before = (tmp_path / "copy.db").read_bytes()
    source.close()
    with pytest.raises(Exception, match="closed database"):
        copy_database(source, tmp_path / "copy.db", RAW_KEY)
    assert (tmp_path / "copy.db").read_bytes() == before


def test_a_folder_copy_opens_with_the_same_keys(tmp_path: Path):
    here, there = folder(tmp_path / "here", "one", "two"), DataFolder(tmp_path / "deep" / "there")
    source = connect(here.store)
    copy_folder(source, here, there, RAW_KEY)
    source.close()
    assert asyncio.run(texts(there.store)) == ["one", "two"]
    assert there.keys.read_text() == "keys of here"
    assert there.path.stat().st_mode & 0o777 == 0o700


def test_a_folder_with_something_in_it_is_not_overwritten(tmp_path: Path):
    here, there = folder(tmp_path / "here", "one"), folder(tmp_path / "there")
    (there.path / "mine.txt").write_text("mine")
    source = connect(here.store)
    with pytest.raises(BackupRefused, match="not empty"):
        copy_folder(source, here, there, RAW_KEY)
    source.close()
    assert [one.name for one in there.path.iterdir()] == ["mine.txt"]


def test_what_is_replaced_is_kept_aside_with_its_log(tmp_path: Path):
    """Signal #5467: the write-ahead log of the old file, replayed into the restored one, destroys it."""
    backup, here = folder(tmp_path / "backup", "good"), folder(tmp_path / "here", "bad")
    old = here.store.read_bytes()
    here.store.with_name("store.db-wal").write_bytes(b"stale")
    put_back(backup, here, tmp_path / "here" / "aside")
    assert asyncio.run(texts(here.store)) == ["good"]
    assert here.keys.read_text() == "keys of backup"
    assert (tmp_path / "here" / "aside" / "store.db").read_bytes() == old
    assert (tmp_path / "here" / "aside" / "store.db-wal").read_bytes() == b"stale"
    assert (tmp_path / "here" / "aside" / "keys.json").read_text() == "keys of here"


def test_a_copy_made_by_hand_comes_back_with_its_log(tmp_path: Path):
    """Someone copies the folder of a running program: what is newest is in the write-ahead log."""
    backup, here = folder(tmp_path / "backup", "one"), folder(tmp_path / "here", "bad")
    connection = connect(backup.store)
    connection.execute("UPDATE chat SET draft = 'only in the log'")
    connection.commit()
    files = {one.name: one.read_bytes() for one in backup.path.iterdir()}
    connection.close()
    for name, content in files.items():
        (backup.path / name).write_bytes(content)
    copy_files(backup, DataFolder(tmp_path / "copied"))
    put_back(DataFolder(tmp_path / "copied"), here, tmp_path / "aside")
    assert {one.name for one in backup.path.iterdir()} == set(files)
    restored = connect(here.store)
    assert restored.execute("SELECT draft FROM chat").fetchone() == ("only in the log",)
    restored.close()


def test_where_the_backup_cannot_be_read_nothing_is_moved(tmp_path: Path):
    """A disk that fills up half-way must not leave the folder without a history."""
    backup, here = folder(tmp_path / "backup", "good"), folder(tmp_path / "here", "mine")
    backup.keys.unlink()
    backup.keys.mkdir()
    with pytest.raises(IsADirectoryError):
        put_back(backup, here, tmp_path / "here" / "aside")
    assert asyncio.run(texts(here.store)) == ["mine"]
    assert here.keys.read_text() == "keys of here"


def test_a_new_database_takes_the_place_of_the_old_one_under_the_same_keys(tmp_path: Path):
    here = folder(tmp_path / "here", "damaged")
    asyncio.run(fill(here.path / "new.db", "salvaged"))
    swap_database(here.path / "new.db", here, tmp_path / "aside")
    assert asyncio.run(texts(here.store)) == ["salvaged"]
    assert here.keys.read_text() == "keys of here"
    assert asyncio.run(texts(tmp_path / "aside" / "store.db")) == ["damaged"]


@pytest.mark.parametrize(
    ("page", "refusal", "words"),
    [(-1, BackupRefused, "1 of the history's pages are damaged"), (1, StoreDamaged, "file is damaged")],
    ids=["a message", "the list of tables"],
)
def test_a_damaged_store_is_not_copied(
    tmp_path: Path, page: int, refusal: type[WorkbenchError], words: str
) -> None:
    """Copying writes a damaged page out as a whole one: the copy would be worse, and look better."""
    path = tmp_path / "history.db"
    asyncio.run(fill(path, "words " * 4000))
    content = bytearray(path.read_bytes())
    content[(page * PAGE_BYTES) % len(content) + PAGE_BYTES // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(refusal, match=words), closing(connect(path)) as source:
        copy_database(source, tmp_path / "copy.db", RAW_KEY)
    assert not (tmp_path / "copy.db").exists()
