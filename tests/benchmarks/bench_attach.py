"""How fast files are looked at and attached, and what the loop notices of it, beside SHA-256 of the same bytes.

Texts of 14 MB each: a look that reads and hashes them, and attaching them through the engine into a real store.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import perf_counter

from tests.benchmarks.running.figures import Figure, Means, at_most
from tests.benchmarks.running.lag import LoopLag, lag_figures
from tests.fakes.engine import fake_bench
from workbench.domain.files.attached import KeptCopy
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Chat, Snapshot
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.chats.attaching import attach_files
from workbench.engine.intents import AttachFiles
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.storage.scratch import ScratchHistory

FILE_BYTES = 14_000_000
MEGABYTES, SPEED = 56, "MB/s"


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


def figures(means: Means) -> Iterator[Figure]:
    """All of it, in one folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as made:
        yield from asyncio.run(_measured(Path(made), means.laps(MEGABYTES)))


async def _measured(folder: Path, megabytes: int) -> list[Figure]:
    paths = make_files(folder, megabytes)
    contents = await asyncio.to_thread(lambda: [Path(path).read_bytes() for path in paths])
    size = sum(map(len, contents)) / 1_000_000
    begun = perf_counter()
    digests = [hashlib.sha256(content).hexdigest() for content in contents]
    found = [Figure(f"SHA-256 in memory, {size:.0f} MB", size / (perf_counter() - begun), SPEED)]
    lag = LoopLag()
    await lag.beside(asyncio.sleep(2))
    found += lag_figures("idle", lag.late_ms)
    reader = FileAttachments(ChildExtractor())
    copies = [
        (KeptCopy(path, "", len(one), digest), None)
        for path, one, digest in zip(paths, contents, digests, strict=True)
    ]
    lag = LoopLag()
    took_s = await lag.beside(reader.look(copies))
    found += [
        Figure("look (read, hash)", size / took_s, SPEED),
        *lag_figures("look", lag.late_ms, at_most(16)),
    ]
    return [*found, *await _kept(reader, paths, contents)]


async def _kept(reader: FileAttachments, paths: list[str], contents: list[bytes]) -> list[Figure]:
    """Into the store alone, and by attaching."""
    size = sum(map(len, contents)) / 1_000_000
    with ScratchHistory() as scratch:
        store = await scratch.open()
        await store.create_chat(Chat("bare", "2026-01-01T00:00:00Z", "", ContextSettings()))
        bare = Artifact("bare", "file", "")
        begun = perf_counter()
        for content in contents:
            await store.keep_snapshot(Snapshot("bare", bare, "2026-01-01T00:00:00Z", content + b"."))
        found = [Figure("store alone (SQLCipher, pages of 4 KiB)", size / (perf_counter() - begun), SPEED)]
        bench = fake_bench(attachments=reader, store=store)
        await bench.start()
        lag = LoopLag()
        took_s = await lag.beside(attach_files(AttachFiles("talk", tuple(paths)), bench.world))
        found += [
            Figure("attach (snapshot)", size / took_s, SPEED),
            *lag_figures("attach", lag.late_ms, at_most(16)),
        ]
        await bench.workbench.close()
    return found
