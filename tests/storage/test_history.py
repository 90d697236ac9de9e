"""Every call is one transaction on the one database thread; the loop never waits for the disk itself."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, connect, open_store, said
from tests.fakes.turns import user
from workbench.domain.errors import NotKept
from workbench.storage.database.database import Database
from workbench.storage.database.format import SCHEMA_VERSION
from workbench.storage.database.migrations import migrate
from workbench.storage.history import SqlCipherHistory


@in_loop
async def test_only_one_thread_touches_the_file(tmp_path: Path):
    open_store(tmp_path / "h.db").thread.shutdown()
    threads: set[str] = set()

    def opened() -> object:
        threads.add(threading.current_thread().name)
        return connect(tmp_path / "h.db")

    released: list[bool] = []
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
    store = SqlCipherHistory(Database(opened), thread, lambda: released.append(True))
    await asyncio.gather(*(store.create_chat(chat(f"c{number}")) for number in range(20)))
    assert len(await store.chats()) == 20
    await store.verify()
    await store.close()
    assert (threads, released) == ({"database_0"}, [True])


@in_loop
async def test_closing_twice_is_closing(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.close()
    await store.close()


@in_loop
async def test_the_loop_goes_on_while_the_disk_works(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    records = [said(f"m{n}", f"text {n}", f"m{n - 1}" if n else None) for n in range(300)]
    writing = asyncio.gather(store.append(records))
    turns = 0
    while not writing.done():
        turns += 1
        await asyncio.sleep(0)
    await writing
    assert turns > 10
    await store.close()


@in_loop
async def test_a_refusal_names_no_content(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    await store.append([said("m1", "canary")])
    with pytest.raises(NotKept, match="nothing was changed") as refusal:
        await store.append([said("m2", "canary"), said("m1", "canary")])
    assert "canary" not in str(refusal.value) + repr(refusal.value.__context__)
    assert [one.id for one in await store.path("c")] == ["m1"]
    with pytest.raises(NotKept, match="characters"):
        await store.append([said("\ud800", "text")])
    await store.close()


@in_loop
async def test_a_question_is_not_kept_without_its_request(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    question = user("u1")
    with pytest.raises(NotKept):
        await store.begin_turn(replace(built_turn(question), parent="nobody"), asked(question))
    assert await store.path("c") == ()
    turn = built_turn(question)
    await store.begin_turn(turn, asked(question))
    with pytest.raises(NotKept):
        await store.finish_turn(replace(turn, question="nobody"), [said("a1", "answer", "u1")])
    assert [one.id for one in await store.path("c")] == ["u1"]
    await store.close()


@in_loop
async def test_purging_leaves_nothing_in_the_log(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(replace(chat(), deleted_utc="2026-01-01T12:00:00Z"))
    await store.purge()
    assert (tmp_path / "h.db-wal").stat().st_size == 0
    await store.close()


def test_it_opens_what_migrations_made(tmp_path: Path):
    open_store(tmp_path / "h.db").thread.shutdown()
    database = Database(lambda: connect(tmp_path / "h.db"))
    assert migrate(database, lambda version: None) == SCHEMA_VERSION
    database.close()
