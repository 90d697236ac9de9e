"""How long the loop stands still while 10,000 messages are imported and exported, beside an idle loop.

    python -m tests.benchmarks.bench_exchange

Design: lag p99 at most 16 ms, at most 100 ms once. What is left at the top are collections of Python's garbage.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable
from pathlib import Path

from tests.fakes.archives import plain_archive
from tests.fakes.engine import Bench, fake_world
from tests.fakes.stores import open_store
from tests.fakes.turns import user
from workbench.domain.record import ChatArchive
from workbench.engine.errand_intents import ExportChats, ImportChats
from workbench.engine.exchange.json_format import export_json
from workbench.engine.exchange.openai_format import export_openai
from workbench.sources.exchange_files import FolderExchange

MESSAGES = 10_000
WORDS = "Some words that were said in a chat, and a few more of them. " * 8
TICK_S = 0.005


def chat(key: str, number: int) -> ChatArchive:
    """A chat of so many messages."""
    return plain_archive(*(user(f"m{n}", f"{n} {WORDS}") for n in range(number)), chat=key)


async def measured(name: str, work: Awaitable[object]) -> None:
    """Print how late a ticker was while something was done."""
    loop = asyncio.get_running_loop()
    late_ms: list[float] = []

    async def tick() -> None:
        while True:
            began = loop.time()
            await asyncio.sleep(TICK_S)
            late_ms.append((loop.time() - began - TICK_S) * 1000)

    async with asyncio.TaskGroup() as group:
        ticker = group.create_task(tick())
        began = loop.time()
        await work
        took_s = loop.time() - began
        ticker.cancel()
    late_ms.sort()
    p99 = late_ms[int(len(late_ms) * 0.99)]
    print(f"{name:<32} {took_s:6.2f} s   lag p99 {p99:6.1f} ms   max {late_ms[-1]:6.1f} ms")


async def done(bench: Bench, intent: ImportChats | ExportChats) -> None:
    """Begin a job and wait for its end."""
    await bench.workbench.dispatch(intent)
    while bench.workbench.state.jobs[-1].state == "running":  # noqa: ASYNC110  (what a window does)
        await asyncio.sleep(TICK_S)
    assert bench.workbench.state.jobs[-1].state == "done", bench.workbench.state.jobs[-1].note


async def main() -> None:
    """Measure."""
    await measured("nothing", asyncio.sleep(3))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sources = {
            "one long chat, json": export_json([chat("long", MESSAGES)]),
            "500 chats, openai": export_openai([chat(f"c{n}", MESSAGES // 500) for n in range(500)]),
        }
        for number, (name, source) in enumerate(sources.items()):
            (place / f"{number}.json").write_bytes(source)
            store = open_store(place / f"{number}.db")
            bench = Bench(fake_world(store=store, exchange=FolderExchange()))
            await measured(f"import: {name}", done(bench, ImportChats("in", (f"{place}/{number}.json",))))
            for form in ("json", "markdown", "openai"):
                out = f"{place}/out-{number}-{form}"
                await measured(f"export: {form}", done(bench, ExportChats("out", (), form, out)))
            await store.close()


if __name__ == "__main__":
    asyncio.run(main())
