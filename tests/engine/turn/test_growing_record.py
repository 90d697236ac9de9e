"""An answer on the disk while it arrives."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.fakes.engine import fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.stores import WHEN, chat, said
from workbench.domain.answer import TextGrew
from workbench.domain.errors import StoreFull
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.engine.turn.answering import Arriving, GrowingRecord


class Watched(MemoryHistory):
    """Notes what is written, and refuses as often as a test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[tuple[str, str]] = []
        self.refusals = 0

    async def append(self, records: object) -> None:
        """Noted."""
        self._write("append", records[-1])  # type: ignore[index]
        await super().append(records)  # type: ignore[arg-type]

    async def update(self, record: Record) -> None:
        """Noted."""
        self._write("update", record)
        await super().update(record)

    def _write(self, how: str, record: Record) -> None:
        if self.refusals:
            self.refusals -= 1
            raise StoreFull("test")
        assert isinstance(record.entry, Message)
        self.writes.append((how, record.entry.text))


async def growing() -> tuple[Watched, Arriving, GrowingRecord, Record]:
    store = Watched()
    await store.create_chat(chat())
    await store.append([said("q", "Well?")])
    store.writes.clear()
    arriving = Arriving("a")
    record = Record("c", arriving.message, WHEN, "q", state="running")
    return store, arriving, GrowingRecord(fake_world(store=store), record, arriving), record


@in_calm_loop
async def test_the_first_word_is_written_at_once_and_the_rest_in_one_go():
    store, arriving, record, _ = await growing()
    async with asyncio.TaskGroup() as group:
        group.create_task(record.keep_up())
        for word in ("One ", "two ", "three"):
            arriving.take(TextGrew(word))
            record.grew()
            await asyncio.sleep(0.005)
        await until(lambda: len(store.writes) == 2)
        record.close()
    assert store.writes == [("append", "One "), ("update", "One two three")]


@in_calm_loop
async def test_closing_ends_the_wait():
    _, arriving, record, _ = await growing()
    async with asyncio.timeout(250), asyncio.TaskGroup() as group:
        group.create_task(record.keep_up())
        arriving.take(TextGrew("word"))
        record.grew()
        await asyncio.sleep(0)
        record.close()


@in_calm_loop
async def test_the_end_is_written_whether_or_not_anything_was_before():
    store, arriving, record, running = await growing()
    arriving.take(TextGrew("whole"))
    ended = replace(running, entry=arriving.message, state="complete")
    await record.end(ended)
    assert store.writes == [("append", "whole")]
    assert (await store.path("c"))[-1].state == "complete"


@in_calm_loop
async def test_a_refusal_in_between_is_made_up_for_at_the_end():
    store, arriving, record, running = await growing()
    store.refusals = 1
    async with asyncio.TaskGroup() as group:
        group.create_task(record.keep_up())
        arriving.take(TextGrew("whole"))
        record.grew()
        await asyncio.sleep(0.01)
        record.close()
    assert not record.begun
    await record.end(replace(running, entry=arriving.message, state="complete"))
    assert store.writes == [("append", "whole")]


@in_calm_loop
async def test_a_refusal_at_the_end_is_told():
    store, arriving, record, running = await growing()
    store.refusals = 1
    with pytest.raises(StoreFull):
        await record.end(replace(running, entry=arriving.message, state="complete"))
