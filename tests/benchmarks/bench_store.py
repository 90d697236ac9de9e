"""The encrypted store against the same build without a key, at 100,000 messages, in one run.

The same code runs in both stores; in the plain one `PRAGMA key` is left out. Measurements alternate between the two,
so that a busy moment of the machine hits both.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.running.figures import Figure, Means, at_most, middle, ratio
from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, said
from workbench.domain.record import Chat
from workbench.domain.search_words import words_of
from workbench.storage.chats.contents import dump
from workbench.storage.database.cipher import SETTINGS, create_encrypted, open_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.history import SqlCipherHistory

MESSAGES = 100_000
MESSAGE_BYTES = 500
RARE = ("zugzwang", "quixotry", "syzygy", "borborygm", "crwth")
CHATS = 20
_AT_ONCE = 10_000


def open_plain(path: Path) -> Any:
    """The same file format and settings, without a key."""
    import sqlcipher3.dbapi2 as driver

    connection: Any = driver.connect(str(path), timeout=5)
    for setting in SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection


def open_keyed(path: Path) -> Any:
    """As the program opens it."""
    if not path.exists():
        create_encrypted(path, RAW_KEY, IDENTITY)
    return open_encrypted(path, RAW_KEY, IDENTITY)


OPEN: dict[str, Callable[[Path], Any]] = {"plain": open_plain, "encrypted": open_keyed}


def opened(connect: Callable[[], Any]) -> SqlCipherHistory:
    """The history behind a connection."""
    thread = ThreadPoolExecutor(max_workers=1)
    database = Database(connect)
    thread.submit(migrate, database, lambda version: None).result()
    return SqlCipherHistory(database, thread, lambda: None)


def fill(connect: Callable[[], Any], number: int, chats: int = CHATS) -> None:
    """Messages in some chats, written by hand: through the program a million of them would take an hour."""

    def hasty() -> Any:
        connection = connect()
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -200000")
        return connection

    asyncio.run(_make_chats(hasty, chats))
    connection = hasty()
    rows = texts(number)
    for start in range(1, number + 1, _AT_ONCE):
        numbered = [(start + at, text) for at, text in zip(range(_AT_ONCE), rows, strict=False)]
        insert(connection, numbered, chats)
        connection.commit()
    newest = "SELECT max(sequence) FROM message WHERE message.chat = chat.id"
    connection.execute(
        f"UPDATE chat SET used = ({newest}), leaf = (SELECT id FROM message WHERE sequence = ({newest}))"
    )
    connection.execute("UPDATE chat SET used = ? WHERE id = 'chat 0'", (number + 1,))
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


async def _make_chats(connect: Callable[[], Any], chats: int) -> None:
    store = opened(connect)
    for chat in range(chats):
        await store.create_chat(Chat(f"chat {chat}", WHEN, f"Title {chat}"))
    await store.close()


def insert(connection: Any, numbered: list[tuple[int, str]], chats: int) -> None:
    """Some messages: of 20 chats each holds every twentieth, each answering the one before."""
    notes = dump({"attached": [], "metadata": {}, "hints": {}})
    bodies = [(key, hashlib.sha256(text.encode()).digest(), text.encode()) for key, text in numbered]
    connection.executemany("INSERT INTO content(id, digest, body) VALUES (?, ?, ?)", bodies)
    messages = (
        (
            key, f"chat {key % chats}", f"m{key}", key - chats if key > chats else None,
            dump({"id": f"m{key}", "role": "user", "texts": [len(text)]}), key, WHEN, "complete", notes,
        )
        for key, text in numbered
    )  # fmt: skip
    columns = "sequence, chat, id, parent, entry, content, created_utc, state, notes"
    connection.executemany(f"INSERT INTO message({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", messages)
    words = ((key, " ".join(words_of(text))) for key, text in numbered)
    connection.executemany("INSERT INTO message_words(rowid, words) VALUES (?, ?)", words)


def texts(number: int) -> Iterator[str]:
    """Text of about 500 bytes, a few words frequent and most of them rare, as in speech."""
    choice = random.Random(number)
    vocabulary = [
        "".join(choice.choices("abcdefghijklmnoprstuvw", k=choice.randint(2, 9))) for _ in range(20_000)
    ]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    pool = choice.choices(vocabulary, weights, k=500_000)
    for key in range(number):
        start = choice.randrange(len(pool) - 120)
        text = f"{key} " + " ".join(pool[start : start + 90])[: MESSAGE_BYTES - 10]
        yield f"{text} {RARE[key % len(RARE)]}" if key % (number // 50) == 0 else text


def figures(means: Means) -> Iterator[Figure]:
    """Fill both stores alike, and do the same in both, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        connects = {kind: partial(make, Path(folder) / f"{kind}.db") for kind, make in OPEN.items()}
        for connect in connects.values():
            fill(connect, MESSAGES)
        yield from asyncio.run(compare(connects, means))


async def compare(connects: Mapping[str, Callable[[], Any]], means: Means) -> list[Figure]:
    """What each operation takes in both stores, and the ratio."""
    stores = {kind: opened(connect) for kind, connect in connects.items()}
    heads = dict.fromkeys(OPEN, f"m{MESSAGES}")

    async def commit(kind: str, number: int) -> None:
        key = f"new {number}"
        words = f"{number} some words to keep " * 16
        await stores[kind].append([replace(said(key, words, heads[kind]), chat="chat 0")])
        heads[kind] = key

    operations: dict[str, tuple[float, int, Callable[[str, int], Awaitable[object]]]] = {
        "tail of 50": (1.5, 300, lambda kind, number: stores[kind].tail("chat 0", 50)),
        "search for a rare word": (1.5, 200, lambda kind, n: stores[kind].search(RARE[n % len(RARE)])),
        "commit of a message": (2.5, 200, commit),
    }
    found = []
    for name, (goal, times, work) in operations.items():
        taken: dict[str, list[float]] = {kind: [] for kind in OPEN}
        for number in range(means.laps(times)):
            for kind in OPEN:
                taken[kind].append(await awaited(partial(work, kind, number)))
        found.append(middle(f"{name}, encrypted", taken["encrypted"]))
        ratios = ratio(
            f"{name}, encrypted ÷ plain", taken["encrypted"], taken["plain"], at_most(goal), "plain"
        )
        found.append(ratios)
    for store in stores.values():
        await store.close()
    return found


async def awaited(work: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds by the clock."""
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000
