"""A child that appends messages and says so after each one; it is recorded or killed by the test."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests.fakes.stores import chat, open_store, said
from tests.storage.faults.power_cuts import ACKNOWLEDGED


async def write(folder: Path, synchronous: str, number: int, ready: Callable[[], None] | None = None) -> None:
    store = open_store(folder / "history.db", synchronous=synchronous)
    if ready is not None:
        ready()
    acknowledged = os.open(folder / ACKNOWLEDGED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if not await store.chats():
        await store.create_chat(chat())
        os.write(acknowledged, b"+")
    known = len(await store.path("c"))
    for index in range(known, known + number):
        parent = f"m{index - 1}" if index else None
        await store.append([said(f"m{index}", f"message {index} " + "words " * 60, parent)])
        os.write(acknowledged, b"+")
    await store.close()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
