"""Kills a process in the middle of its work, again and again, and looks at what it left.

Run as a script: everything is imported once, and each attempt is a fork of this process. A line is printed for
every attempt that lost something.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from sqlalchemy import Connection, text

from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, chat, connect, open_store
from tests.storage.faults.writer_child import write
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive, Record
from workbench.storage.database.cipher import open_encrypted
from workbench.storage.database.migrations import MIGRATIONS
from workbench.storage.upkeep.upkeep import copy_database

Ready = Callable[[], None]
Work = Callable[[Path, Ready], Awaitable[None]]
Check = Callable[[Path], Awaitable[str | None]]

IMPORTED = 300


async def keep_writing(folder: Path, ready: Ready) -> None:
    await write(folder, "FULL", 100_000, ready)


async def everything_acknowledged(folder: Path) -> str | None:
    acknowledged = (folder / "acknowledged").stat().st_size - 1 if (folder / "acknowledged").exists() else 0
    if not (folder / "history.db").exists():
        return "the database is gone" if acknowledged > 0 else None
    store = open_store(folder / "history.db")
    chats = await store.chats()
    kept = [record.id for record in await store.path("c")] if chats else []
    problems = (await store.verify()).problems
    await store.close()
    expected = [f"m{index}" for index in range(max(0, acknowledged))]
    return (
        None
        if kept[: len(expected)] == expected and not problems
        else f"{len(kept)} of {acknowledged}: {problems}"
    )


async def keep_importing(folder: Path, ready: Ready) -> None:
    store = open_store(folder / "history.db")
    ready()
    for number in range(len(await store.chats()), 1000):
        await store.adopt(archive(f"chat {number}"))


async def whole_chats_only(folder: Path) -> str | None:
    store = open_store(folder / "history.db")
    sizes = {one.id: len(await store.path(one.id)) for one in await store.chats()}
    problems = (await store.verify()).problems
    await store.close()
    return None if set(sizes.values()) <= {IMPORTED} and not problems else f"{sizes} {problems}"


async def migrate_slowly(folder: Path, ready: Ready) -> None:
    ready()
    store = open_store(folder / "history.db", steps=(*MIGRATIONS, add_marks))
    await store.close()


async def old_or_new(folder: Path) -> str | None:
    connection = connect(folder / "history.db")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (messages,) = connection.execute("SELECT count(*) FROM message").fetchone()
    marked = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'mark'").fetchone()[0]
    rows = connection.execute("SELECT count(*) FROM mark").fetchone()[0] if marked else 0
    connection.close()
    if version == len(MIGRATIONS) + 1:
        # The next attempt starts from the old version again.
        await fresh(folder)
        return None if (messages, rows) == (IMPORTED, IMPORTED) else f"new with {messages} and {rows}"
    old = (len(MIGRATIONS), IMPORTED, 0)
    return None if (version, messages, marked) == old else f"version {version} with {messages}"


async def keep_copying(folder: Path, ready: Ready) -> None:
    ready()
    for _ in range(1000):
        source = connect(folder / "history.db")
        copy_database(source, folder / "copy.db", RAW_KEY)
        source.close()


async def no_copy_or_a_whole_one(folder: Path) -> str | None:
    for name in ("history.db", "copy.db"):
        path = folder / name
        if name == "copy.db" and not path.exists():
            continue
        connection = open_encrypted(path, RAW_KEY, IDENTITY)
        (messages,) = connection.execute("SELECT count(*) FROM message").fetchone()
        damaged = connection.execute("PRAGMA cipher_integrity_check").fetchall()
        connection.close()
        if messages != IMPORTED or damaged:
            return f"{name}: {messages} messages, {damaged}"
    return None


def add_marks(connection: Connection) -> None:
    """A second version, made slowly enough to be caught in the middle."""
    connection.execute(text("CREATE TABLE mark (sequence INTEGER PRIMARY KEY)"))
    for (sequence,) in connection.execute(text("SELECT sequence FROM message")).all():
        connection.execute(text("INSERT INTO mark VALUES (:sequence)"), {"sequence": sequence})
        time.sleep(0.0001)


def archive(key: str) -> ChatArchive:
    parents = [None, *(f"m{index}" for index in range(IMPORTED))]
    records = tuple(
        Record(key, Message(f"m{index}", "user", (f"{key} message {index}",)), WHEN, parents[index])
        for index in range(IMPORTED)
    )
    return ChatArchive(chat(key), records)


async def fresh(folder: Path) -> None:
    """A store of the newest version with one imported chat."""
    for old in folder.iterdir():
        old.unlink()
    store = open_store(folder / "history.db")
    await store.adopt(archive("c"))
    await store.close()


def in_fork(work: Callable[[Ready], Awaitable[object]], seconds: float | None = None) -> int:
    """Run work in a fork of this process; killed some seconds after it is ready, if given. Returns its status."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(work(lambda: _tell(tell)))  # type: ignore[arg-type]
        except BaseException as problem:  # noqa: BLE001 - a fork must never return into the parent's code
            print(f"{type(problem).__name__}: {problem}", flush=True)
            os._exit(1)
        os._exit(0)
    os.close(tell)
    if seconds is not None:
        os.read(ready, 1)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    os.close(ready)
    return os.waitpid(child, 0)[1]


def _tell(pipe: int) -> None:
    os.write(pipe, b"+")


SCENES: dict[str, tuple[Work, Check, bool]] = {
    "writes": (keep_writing, everything_acknowledged, False),
    "import": (keep_importing, whole_chats_only, False),
    "migration": (migrate_slowly, old_or_new, True),
    "backup": (keep_copying, no_copy_or_a_whole_one, True),
}


def main(scene: str, folder: Path, kills: int) -> int:
    work, check, filled = SCENES[scene]
    choice = random.Random(scene)
    lost = 0
    if filled:
        in_fork(lambda ready: fresh(folder))
    for _ in range(kills):
        in_fork(lambda ready: work(folder, ready), choice.uniform(0.0, 0.08))
        lost += in_fork(lambda ready: _report(check, folder)) != 0
    return lost


async def _report(check: Check, folder: Path) -> None:
    problem = await check(folder)
    if problem is not None:
        raise AssertionError(problem)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
