"""An answer whose writer was killed comes back marked, with what had arrived of it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from tests.fakes.stores import WHEN, chat, connect, open_store, said
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.storage.chats import messages, turns
from workbench.storage.database.database import Database


async def left_running(path: Path) -> None:
    store = open_store(path)
    await store.create_chat(chat())
    await store.append([said("q", "question")])
    growing = Record("c", Message("a", "assistant", ("Once",)), WHEN, "q", state="running")
    await store.append([growing])
    await store.update(replace(growing, entry=Message("a", "assistant", ("Once upon",))))
    await store.close()


def interrupt(path: Path) -> None:
    """What opening for writing does first."""
    database = Database(lambda: connect(path))
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(_interrupt, database).result()
        thread.submit(database.close).result()


def _interrupt(database: Database) -> None:
    with database.transaction() as connection:
        messages.interrupt_running(connection)
        turns.interrupt_running(connection)


async def found(path: Path) -> tuple[str, str, list[str]]:
    store = open_store(path)
    (_, answer) = await store.path("c")
    hits = [hit.subject for hit in await store.search("upon")]
    await store.close()
    assert isinstance(answer.entry, Message)
    return answer.entry.text, answer.state, hits


def test_what_arrived_is_kept_marked_and_found(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    asyncio.run(left_running(path))
    interrupt(path)
    assert asyncio.run(found(path)) == ("Once upon", "interrupted", ["a"])
