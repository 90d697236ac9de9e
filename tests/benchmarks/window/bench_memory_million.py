"""The store and the window with a million messages stored: opening, the newest, a rare word, and memory."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.benchmarks.bench_store import RARE, awaited, fill
from tests.benchmarks.bench_store import opened as history
from tests.benchmarks.running.figures import Figure, Means, at_most, not_measured, percentile
from tests.benchmarks.window.bench_memory import held
from tests.benchmarks.window.display import why_no_display
from tests.benchmarks.window.scenes import PASSPHRASE, data_folder, opened
from tests.benchmarks.window.stage import stage
from workbench.domain.secrets import Secret
from workbench.storage.folder import DataFolder
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.unlocking import GivenCredentials, UnlockedStore, Unlocker, UserPrompts
from workbench.storage.keys.vault import KeyVault
from workbench.wiring.folder import utc_now

OPT_IN = "making a million messages takes minutes"
MILLION, MEMORY_MB = 1_000_000, 350


def figures(means: Means) -> Iterator[Figure]:
    """The store in a process of its own, then the window."""
    messages = means.laps(MILLION)
    with tempfile.TemporaryDirectory() as place:
        folder = data_folder(Path(place))
        asyncio.run(_made(folder))
        with unlocked(folder) as store:
            fill(store.connect, messages)
        command = [sys.executable, "-m", __name__, str(folder)]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        yield from (Figure.from_json(json.loads(line)) for line in told.splitlines())
        missing = why_no_display()
        if missing:
            yield not_measured(f"{messages:,} messages stored: memory (PSS)", missing)
            return
        with stage(folder) as shown:
            shown.settle()
            yield from held(f"{messages:,} messages stored", shown, MEMORY_MB)


async def _made(folder: Path) -> None:
    store = await opened(folder)
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
    await store.close()
    return [
        Figure("open to the first row", first_ms, "ms", goal=at_most(50)),
        Figure("tail of 50, p99", percentile(tails, 0.99), "ms", goal=at_most(5)),
        Figure("rare word, p99", percentile(searches, 0.99), "ms", goal=at_most(50)),
        Figure("peak memory of the store's process", peak_mb(), "MB", goal=at_most(100)),
    ]


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
