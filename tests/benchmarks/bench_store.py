"""The encrypted store against the same build without a key, in one run; and with a million messages.

    python -m tests.benchmarks.bench_store              # ratios at 100,000 messages
    python -m tests.benchmarks.bench_store --million    # makes 1,000,000 messages first, which takes minutes

The same code runs in both stores; in the plain one `PRAGMA key` is left out. Measurements alternate between the two,
so that a busy moment of the machine hits both.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, said
from workbench.domain.record import Chat
from workbench.domain.text import words_of
from workbench.storage.chats.contents import dump
from workbench.storage.database.cipher import SETTINGS, create_encrypted, open_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.history import SqlCipherHistory

ROOT = Path(__file__).parents[2]
MESSAGES = 100_000
MILLION = 1_000_000
MESSAGE_BYTES = 500
RARE = ("zugzwang", "quixotry", "syzygy", "borborygm", "crwth")
_CHATS = 20
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


def opened(path: Path, kind: str) -> SqlCipherHistory:
    """The history in this file."""
    thread = ThreadPoolExecutor(max_workers=1)
    database = Database(lambda: OPEN[kind](path))
    thread.submit(migrate, database, lambda version: None).result()
    return SqlCipherHistory(database, thread, lambda: None)


def fill(path: Path, kind: str, number: int) -> None:
    """Messages in a few chats, written by hand: through the program a million of them would take an hour."""
    store = opened(path, kind)
    for chat in range(_CHATS):
        asyncio.run(store.create_chat(Chat(f"chat {chat}", WHEN, f"Title {chat}")))
    asyncio.run(store.close())
    connection = OPEN[kind](path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -200000")
    rows = texts(number)
    for start in range(1, number + 1, _AT_ONCE):
        numbered = [(start + at, text) for at, text in zip(range(_AT_ONCE), rows, strict=False)]
        insert(connection, numbered)
        connection.commit()
    last = f"m{number // _CHATS * _CHATS}"
    connection.execute("UPDATE chat SET leaf = ?, used = ? WHERE id = 'chat 0'", (last, number))
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def insert(connection: Any, numbered: list[tuple[int, str]]) -> None:
    """Some messages: chat n holds every twentieth, each answering the one before."""
    notes = dump({"attached": [], "metadata": {}, "hints": {}})
    bodies = [(key, hashlib.sha256(text.encode()).digest(), text.encode()) for key, text in numbered]
    connection.executemany("INSERT INTO content(id, digest, body) VALUES (?, ?, ?)", bodies)
    messages = (
        (
            key, f"chat {key % _CHATS}", f"m{key}", key - _CHATS if key > _CHATS else None,
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


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


async def compare(folder: Path) -> None:
    """Medians in both stores, and their ratios."""
    stores = {kind: opened(folder / f"{kind}.db", kind) for kind in OPEN}
    heads = dict.fromkeys(OPEN, f"m{MESSAGES}")

    async def commit(kind: str, number: int) -> None:
        key = f"new {number}"
        await stores[kind].append([said_in_first(key, f"{number} some words to keep " * 16, heads[kind])])
        heads[kind] = key

    operations: dict[str, tuple[float, int, Callable[[str, int], Awaitable[object]]]] = {
        "tail of 50": (1.5, 300, lambda kind, number: stores[kind].tail("chat 0", 50)),
        "search for a rare word": (1.5, 200, lambda kind, n: stores[kind].search(RARE[n % len(RARE)])),
        "commit of a message": (2.5, 200, commit),
    }
    print(f"{MESSAGES:,} messages of {MESSAGE_BYTES} bytes, median of each, ms")
    for name, (goal, times, work) in operations.items():
        taken: dict[str, list[float]] = {kind: [] for kind in OPEN}
        for number in range(times):
            for kind in OPEN:
                taken[kind].append(await timed(partial(work, kind, number)))
        plain, keyed = (statistics.median(taken[kind]) for kind in OPEN)
        met = "met" if keyed <= goal * plain else "MISSED"
        print(f"  {name}: plain {plain:.3f}, encrypted {keyed:.3f}: {keyed / plain:.2f}× (≤ {goal}×: {met})")
    for store in stores.values():
        await store.close()


def said_in_first(key: str, text: str, parent: str) -> Any:
    return replace(said(key, text, parent), chat="chat 0")


async def measure(path: Path) -> None:
    """A million messages, in a process that did nothing else."""
    began = time.perf_counter()
    store = opened(path, "encrypted")
    (first,) = await store.tail("chat 0", 1)
    open_ms = (time.perf_counter() - began) * 1000
    tails = [await timed(lambda: store.tail("chat 0", 50)) for _ in range(500)]
    searches = [await timed(partial(store.search, RARE[n % len(RARE)])) for n in range(200)]
    await store.close()
    print(f"{MILLION:,} messages; the first row is {first.id}")
    for name, value, goal in (
        ("open to first row, ms", open_ms, 50),
        ("tail of 50, p99, ms", percentile(tails), 5),
        ("rare word, p99, ms", percentile(searches), 50),
        ("peak memory, MB", peak_mb(), 100),
    ):
        print(f"  {name}: {value:.2f} (< {goal}: {'met' if value < goal else 'MISSED'})")


def peak_mb() -> float:
    """The most memory this process had; `getrusage` would count its parent's, which made the store."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def percentile(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


def main() -> None:
    """Make the stores and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--million", action="store_true", help="1,000,000 messages")
    parser.add_argument("--measure", type=Path, help="measure this store of a million messages")
    arguments = parser.parse_args()
    if arguments.measure:
        asyncio.run(measure(arguments.measure))
        return
    with tempfile.TemporaryDirectory() as folder:
        if arguments.million:
            path = Path(folder) / "million.db"
            fill(path, "encrypted", MILLION)
            command = [sys.executable, "-m", "tests.benchmarks.bench_store", "--measure", str(path)]
            subprocess.run(command, check=True, cwd=ROOT)
        else:
            for kind in OPEN:
                fill(Path(folder) / f"{kind}.db", kind, MESSAGES)
            asyncio.run(compare(Path(folder)))


if __name__ == "__main__":
    main()
