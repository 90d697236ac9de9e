"""How fast files are looked at and attached, and what the loop notices of it.

    python -m tests.benchmarks.bench_attach [MEGABYTES]

Binary-like texts of 20 MB each: a look that reads and hashes them, and attaching them through the engine into a real
encrypted store. Beside it, in the same run: SHA-256 of the same bytes in memory, and the lag of an idle loop.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import tempfile
from pathlib import Path
from random import Random
from time import perf_counter

from tests.fakes.engine import fake_bench
from workbench.domain.attached import KeptCopy
from workbench.domain.attachment import Artifact
from workbench.domain.preferences import ContextSettings
from workbench.domain.record import Chat, Snapshot
from workbench.engine.chats.attaching import attach_files
from workbench.engine.intents import AttachFiles
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.storage.scratch import ScratchHistory

FILE_BYTES = 14_000_000
TICK_S = 0.005


class Ticker:
    """Sleeps a moment again and again, and notes how late it was woken."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []

    async def run(self) -> None:
        while True:
            begun = perf_counter()
            await asyncio.sleep(TICK_S)
            self.late_ms.append(1000 * (perf_counter() - begun - TICK_S))

    def told(self) -> str:
        late = sorted(self.late_ms)
        return f"p99 {late[int(0.99 * (len(late) - 1))]:.1f} ms, max {late[-1]:.1f} ms" if late else "-"


async def beside_a_ticker(work: object) -> tuple[float, str]:
    ticker = Ticker()
    ticking = asyncio.get_running_loop().create_task(ticker.run())
    begun = perf_counter()
    await work  # type: ignore[misc]
    took = perf_counter() - begun
    ticking.cancel()
    return took, ticker.told()


def make_files(folder: Path, megabytes: int) -> list[str]:
    random = Random(7)
    words = [random.randbytes(6).hex() for _ in range(5_000)]
    paths = []
    for number in range(max(1, megabytes * 1_000_000 // FILE_BYTES)):
        line = " ".join(random.choices(words, k=1_000)) + "\n"
        text = "".join(f"{number} {count} {line}" for count in range(FILE_BYTES // len(line)))
        paths.append(str(folder / f"file{number}.log"))
        Path(paths[-1]).write_text(text, encoding="utf-8")
    return paths


async def run(folder: Path, megabytes: int) -> None:
    paths = make_files(folder, megabytes)
    contents = await asyncio.to_thread(lambda: [Path(path).read_bytes() for path in paths])
    size = sum(map(len, contents)) / 1_000_000
    begun = perf_counter()
    digests = [hashlib.sha256(content).hexdigest() for content in contents]
    plain = size / (perf_counter() - begun)
    _, idle = await beside_a_ticker(asyncio.sleep(2))
    print(f"{len(paths)} files, {size:.0f} MB")
    print(f"SHA-256 in memory:  {plain:7.0f} MB/s")
    print(f"idle loop:          {'':12}  lag {idle}")
    reader = FileAttachments(ChildExtractor())
    copies = [
        (KeptCopy(path, "", len(one), digest), None)
        for path, one, digest in zip(paths, contents, digests, strict=True)
    ]
    took, late = await beside_a_ticker(reader.look(copies))
    print(f"look (read, hash):  {size / took:7.0f} MB/s  lag {late}")
    with ScratchHistory() as scratch:
        store = await scratch.open()
        await store.create_chat(Chat("bare", "2026-01-01T00:00:00Z", "", ContextSettings()))
        bare = Artifact("bare", "file", "")
        begun = perf_counter()
        for content in contents:
            await store.keep_snapshot(Snapshot("bare", bare, "2026-01-01T00:00:00Z", content + b"."))
        print(f"store alone:        {size / (perf_counter() - begun):7.0f} MB/s  (SQLCipher, pages of 4 KiB)")
        bench = fake_bench(attachments=reader, store=store)
        await bench.start()
        took, late = await beside_a_ticker(attach_files(AttachFiles("talk", tuple(paths)), bench.world))
        print(f"attach (snapshot):  {size / took:7.0f} MB/s  lag {late}")
        await bench.workbench.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(run(Path(made), int(sys.argv[1]) if len(sys.argv) > 1 else 112))
