"""Much of everything: 10,000 chats, a million messages, 5 GB of files, 200 tools, 50 watched conversations at once.

The store in a process that does nothing else, commands, a backup beside a plain copy, and the window over it with a
chat of 20,000 messages. Files are kept as documents are: their own bytes, and a text of a hundredth of that.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.benchmarks.bench_command_line import spent
from tests.benchmarks.bench_store import RARE, awaited, fill
from tests.benchmarks.bench_store import opened as history
from tests.benchmarks.bench_watch import (
    PROGRAM,
    SERVER,
    Listening,
    asked,
    connected,
    request_body,
    resident_mb,
    started,
)
from tests.benchmarks.running.figures import (
    MB,
    Figure,
    Means,
    at_least,
    at_most,
    in_turn,
    not_measured,
    percentile,
    ratio,
    timed,
)
from tests.benchmarks.running.workload import WIDE, Talk, Words, new_builder, workload
from tests.benchmarks.window.bench_memory import held
from tests.benchmarks.window.display import why_no_display
from tests.benchmarks.window.scenes import PASSPHRASE, chat, data_folder, opened
from tests.benchmarks.window.stage import stage
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Snapshot
from workbench.domain.secrets import Secret
from workbench.domain.tool import ToolDefinition
from workbench.engine.assembly.building import Preview
from workbench.storage.folder import DataFolder
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.unlocking import GivenCredentials, UnlockedStore, Unlocker, UserPrompts
from workbench.storage.keys.vault import KeyVault
from workbench.wiring.folder import utc_now

OPT_IN = "making a million messages and 5 GB of files takes minutes"
MESSAGES, CHATS, FILES, FILE_BYTES, TURNS = 1_000_000, 10_000, 1_000, 5_000_000, 10_000
TOOLS, CONVERSATIONS, REQUESTS = 200, 50, 20
MEMORY_MB = 350


def figures(means: Means) -> Iterator[Figure]:
    """The large store from every side; then what needs none."""
    with tempfile.TemporaryDirectory() as place:
        folder = data_folder(Path(place))
        asyncio.run(_empty(folder))
        with unlocked(folder) as by_hand:
            fill(by_hand.connect, means.laps(MESSAGES), CHATS)
        asyncio.run(filled(folder, means.laps(FILES)))
        yield Figure("size of the store", DataFolder(folder).store.stat().st_size / 1e9, "GB")
        command = [sys.executable, "-m", __name__, str(folder)]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        yield from (Figure.from_json(json.loads(line)) for line in told.splitlines())
        yield from commands(folder, means)
        yield from window(folder)
    yield from many_tools(means)
    yield from watched_at_once()


async def filled(folder: Path, files: int) -> None:
    """Files in many chats, and last, so that it is in view, a chat of 20,000 messages."""
    store = await opened(folder)
    draw, words = random.Random(1), Words(1)
    for number in range(files):
        text = words.text(FILE_BYTES // 600)
        file = Artifact(f"/papers/paper{number}.pdf", "file", text)
        where = f"chat {number * 7 % CHATS}"
        await store.keep_snapshot(
            Snapshot(where, file, "2026-11-18T00:00:00Z", draw.randbytes(FILE_BYTES), "2026")
        )
    await store.adopt(chat(folder, "long", TURNS), own=True)
    await store.close()


def unlocked(folder: Path) -> UnlockedStore:
    """The folder's database, for writing into it by hand."""
    place = DataFolder(folder)
    offered = GivenCredentials(None, Secret.of_text(PASSPHRASE))
    nobody = UserPrompts(None, lambda _words: None)
    return Unlocker(place, KeyVault(place, utc_now), offered, nobody, OsKeyring()).unlock_existing()


async def measure(unlocked_store: UnlockedStore) -> list[Figure]:
    """The store alone, in a process that did nothing else."""
    forget_peak()
    began = time.perf_counter()
    store = history(unlocked_store.connect)
    await store.tail("chat 0", 1)
    first_ms = (time.perf_counter() - began) * 1000
    tails = [await awaited(partial(store.tail, "chat 0", 50)) for _ in range(500)]
    searches = [await awaited(partial(store.search, RARE[n % len(RARE)])) for n in range(200)]
    lists = [await awaited(store.chats) for _ in range(5)]
    await store.close()
    return [
        Figure("open to the first row", first_ms, "ms", goal=at_most(50)),
        Figure("tail of 50, p99", percentile(tails, 0.99), "ms", goal=at_most(5)),
        Figure("rare word, p99", percentile(searches, 0.99), "ms", goal=at_most(50)),
        Figure(f"list of {CHATS:,} chats", percentile(lists, 0.5), "ms", goal=at_most(500)),
        Figure("peak memory of the store's process", peak_mb(), MB, goal=at_most(100)),
    ]


def commands(folder: Path, means: Means) -> Iterator[Figure]:
    """Processor time of commands, the slow passphrase in it; a backup by the clock, beside a plain copy."""
    there = ("--data-dir", str(folder))
    for name, words, goal in (
        (f"history list, {CHATS:,} chats", ("list",), 2_000),
        ("history search, a rare word", ("search", RARE[0]), 1_500),
    ):
        taken = [spent("history", *words[:1], *there, *words[1:]) for _ in range(means.laps(5))]
        yield Figure(name, percentile(taken, 0.5), "ms", (min(taken), max(taken)), at_most(goal))
    copy, backup = folder.parent / "copy", folder.parent / "backup"
    copied = timed(lambda: shutil.copytree(folder, copy))
    shutil.rmtree(copy)
    kept = timed(lambda: spent("history", "backup", *there, str(backup)))
    shutil.rmtree(backup)
    yield ratio("history backup, checked page by page", [kept], [copied], at_most(10), "a plain copy")


def window(folder: Path) -> Iterator[Figure]:
    """The window over it."""
    name = f"a chat of {2 * TURNS:,} messages among {MESSAGES:,}"
    missing = why_no_display()
    if missing:
        yield not_measured(f"{name}: memory (PSS)", missing)
        return
    for again, goal in (("", None), (" again", at_most(5))):
        with stage(folder) as shown:
            shown.until(lambda facts: facts["segments"] >= TURNS)
            yield Figure(f"{name}: opened{again}, processor", shown.worked_s(), "s", goal=goal)
            shown.settle()
    with stage(folder) as shown:
        shown.settle()
        yield from held(name, shown, at_most(MEMORY_MB))


def many_tools(means: Means) -> Iterator[Figure]:
    """A letter more, with many tools and with none, in turn."""
    schema = json.dumps(
        {"type": "object", "properties": {"path": {"type": "string", "description": "where"}}}
    )
    words = Words(2)
    tools = tuple(ToolDefinition(f"tool_{number}", words.text(60), schema) for number in range(TOOLS))
    settings = {"many": replace(WIDE, tools=tools), "none": WIDE}
    talks = {name: Talk(workload(50), new_builder(), one) for name, one in settings.items()}
    previews = {name: Preview(new_builder()) for name in talks}

    def lap(name: str, number: int) -> object:
        return previews[name].prepare(talks[name].conversation, talks[name].ask(number)).built.envelope

    taken = in_turn(means.laps(100), {name: partial(lap, name) for name in talks})
    yield ratio(f"a keystroke with {TOOLS} tools", taken["many"], taken["none"], at_most(1.5), "none")


def watched_at_once() -> Iterator[Figure]:
    """Conversations that grow by a turn a request, all at the same time, kept in a store."""
    with tempfile.TemporaryDirectory() as place, started(*SERVER) as server:
        folder = data_folder(Path(place))
        asyncio.run(_empty(folder))
        to = f"http://127.0.0.1:{server.port}"
        with started(*PROGRAM, "watch", "--to", to, "--json", "--data-dir", str(folder)) as watch:
            bodies = [request_body(20_000, 2 * turn) for turn in range(REQUESTS)]
            direct, through = at_once(server, bodies), at_once(watch, bodies, looks=True)
            memory = resident_mb(watch.process.pid)
        kept = asyncio.run(_kept(folder))
    many = f"{CONVERSATIONS} watched conversations at once"
    yield ratio(f"{many}, {REQUESTS} requests each", [through], [direct], against="directly")
    yield Figure(f"{many}: each request", through / CONVERSATIONS / REQUESTS, "ms", goal=at_most(40))
    yield Figure(f"{many}: memory", memory, MB, goal=at_most(250))
    yield Figure(f"{many}: kept", kept, "", goal=at_least(CONVERSATIONS))


async def _empty(folder: Path) -> None:
    store = await opened(folder)
    await store.close()


async def _kept(folder: Path) -> int:
    store = await opened(folder)
    chats = await store.chats()
    await store.close()
    return len(chats)


_ROUNDS = iter(range(1_000_000))


def at_once(to: Listening, bodies: list[bytes], looks: bool = False) -> float:
    """Milliseconds until all are answered, and looked at where somebody does."""
    first = next(_ROUNDS) * CONVERSATIONS

    def talk(number: int) -> None:
        with connected(to.port) as line:
            for body in bodies:
                asked(line, to.port, body.replace(b"0 and some words", b"%d begins" % number, 1))

    threads = [threading.Thread(target=talk, args=(first + number,)) for number in range(CONVERSATIONS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for _ in range(CONVERSATIONS * len(bodies) if looks else 0):
        to.looked()
    for thread in threads:
        thread.join()
    return (time.perf_counter() - began) * 1000


def forget_peak() -> None:
    """Begin anew: deriving the key takes 64 MB on purpose, for a moment."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_mb() -> float:
    """The most memory this process had since then."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    with unlocked(Path(sys.argv[1])) as opened_store:
        for found in asyncio.run(measure(opened_store)):
            print(json.dumps(found.as_json()), flush=True)
