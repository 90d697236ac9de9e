"""How long the loop stands still while 10,000 messages are imported and exported, beside an idle loop.

As in the window, garbage is collected by its rules, in the loop's thread, and threads take turns as often.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
from collections.abc import Awaitable, Iterator
from itertools import count
from pathlib import Path

from tests.benchmarks.running.figures import Figure, Means, at_most
from tests.benchmarks.running.lag import TICK_S, LoopLag, lag_figures
from tests.fakes.archives import plain_archive
from tests.fakes.engine import Bench, fake_world
from tests.fakes.stores import open_store
from tests.fakes.turns import user
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.json_format import export_json
from workbench.engine.exchange.openai_format import export_openai
from workbench.engine.program_intents import ExportChats, ImportChats
from workbench.sources.exchange_files import FolderExchange
from workbench.ui.garbage import collect_piled_up, until_next_look_ms
from workbench.ui.program.loop import SWITCH_S

MESSAGES = 10_000
WORDS = "Some words that were said in a chat, and a few more of them. " * 8


def chat(key: str, number: int) -> ChatArchive:
    """A chat of so many messages."""
    return plain_archive(*(user(f"m{n}", f"{n} {WORDS}") for n in range(number)), chat=key)


async def done(bench: Bench, intent: ImportChats | ExportChats) -> None:
    """Begin a job and wait for its end."""
    await bench.workbench.dispatch(intent)
    while bench.workbench.state.jobs[-1].state == "running":  # noqa: ASYNC110  (what a window does)
        await asyncio.sleep(TICK_S)
    assert bench.workbench.state.jobs[-1].state == "done", bench.workbench.state.jobs[-1].note


def figures(_means: Means) -> Iterator[Figure]:
    """The idle loop, then each import and the exports after it."""
    gc.collect()
    gc.freeze()
    gc.disable()
    sys.setswitchinterval(SWITCH_S)
    yield from asyncio.run(_measured())


async def _collect() -> None:
    for look in count():
        await asyncio.sleep(until_next_look_ms(collect_piled_up(look)) / 1000)


async def _measured() -> list[Figure]:
    collecting = asyncio.get_running_loop().create_task(_collect())
    found = await _beside("idle", asyncio.sleep(3))
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
            taken = ImportChats("in", (f"{place}/{number}.json",))
            found += await _beside(f"import of {name}", done(bench, taken))
            for form in ("json", "markdown", "openai"):
                out = ExportChats("out", (), form, f"{place}/out-{number}-{form}")
                found += await _beside(f"export of {name.partition(',')[0]}, {form}", done(bench, out))
            await store.close()
    collecting.cancel()
    return found


async def _beside(name: str, work: Awaitable[object]) -> list[Figure]:
    lag = LoopLag()
    took_s = await lag.beside(work)
    goals = (None, None) if name == "idle" else (at_most(16), at_most(100))
    return [Figure(f"{name}: by the clock", took_s * 1000, "ms"), *lag_figures(name, lag.late_ms, *goals)]
