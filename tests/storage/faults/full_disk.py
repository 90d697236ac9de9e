"""Fills a store until there is no room, makes room, and goes on; run as a program, because the limit is the process's.

Prints, as JSON, what was refused and what was found afterwards.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.fakes.stores import chat, connect, open_store, said
from workbench.domain.errors import StoreFull
from workbench.ports.history import HistoryStore
from workbench.storage.database.database import Database
from workbench.storage.history import SqlCipherHistory

ROOM_BYTES = 600_000


class Pages:
    """A store whose file may not have more than so many pages; `most` None lifts that."""

    def __init__(self, path: Path) -> None:
        self.path, self.most = path, 60

    def connect(self) -> Any:
        connection = connect(self.path)
        connection.execute(f"PRAGMA max_page_count = {self.most}")
        return connection


async def fill(store: HistoryStore) -> tuple[list[str], str]:
    """The acknowledged messages, and what the first refusal said."""
    acknowledged: list[str] = []
    try:
        while True:
            key = f"m{len(acknowledged)}"
            await store.append([said(key, f"text {key} " * 200, acknowledged[-1] if acknowledged else None)])
            acknowledged.append(key)
    except StoreFull as refusal:
        return acknowledged, str(refusal)


async def refused(store: HistoryStore, parent: str) -> bool:
    """Whether a second attempt is refused in the same way."""
    try:
        await store.append([said("again", "text again " * 1000, parent)])
    except StoreFull:
        return True
    return False


async def run(path: Path, by: str) -> dict[str, object]:
    first = open_store(path)
    await first.create_chat(chat())
    pages = Pages(path)
    store = SqlCipherHistory(Database(pages.connect), ThreadPoolExecutor(max_workers=1), lambda: None)
    await first.close()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    if by == "file size":
        pages.most = 2**30
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM_BYTES, hard))
    acknowledged, refusal = await fill(store)
    # After a refusal the log is brought into the file, which may have room for one more.
    again = await refused(store, acknowledged[-1])
    acknowledged += [] if again else ["again"]
    full = [record.id for record in await store.path("c")]
    pages.most = 2**30
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    if by == "pages":
        await store.close()
        store = open_store(path)
    await store.append([said("after", "there is room again", acknowledged[-1])])
    await store.close()
    reopened = open_store(path)
    found = [record.id for record in await reopened.path("c")]
    problems = (await reopened.verify()).problems
    await reopened.close()
    return {
        "acknowledged": acknowledged, "refusal": refusal, "again": again, "while full": full, "found": found,
        "problems": problems,
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(Path(sys.argv[1]), sys.argv[2]))))
