"""How fast a request is drawn after a keystroke, and how long the loop is held up with megabytes attached.

python -m tests.benchmarks.bench_views
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from argparse import Namespace
from collections.abc import Callable

from tests.benchmarks.running.workload import Talk, workload
from tests.fakes.chat_model import NoPrices, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import until
from workbench.domain.attachment import Artifact
from workbench.domain.preferences import ContextSettings
from workbench.engine.build.prepare import Builder, Prepared
from workbench.engine.build.preview import Preview
from workbench.engine.intents import AttachArtifact, ChangeSettings, EditDraft, Intent, SendMessage
from workbench.engine.shown.request_view import RequestViewer, Scene
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import PutBackAttached
from workbench.wiring.command_line import command_parts

MEGABYTES = 5
TICK_S = 0.005
WIDE = ContextSettings(context_window=3_000_000)


def keystrokes(turns: int, builder: Builder) -> None:
    """Print what building and drawing take after a keystroke in a conversation of some turns."""
    talk = Talk(workload(turns), builder)
    preview, showing, scene = Preview(builder), RequestViewer(builder, NoPrices()), Scene()
    prepared = preview.prepare(talk.conversation, talk.ask(0))
    start = time.perf_counter()
    view = showing.view(prepared, scene)
    first = (time.perf_counter() - start) * 1000
    built, drawn = [], []
    for number in range(100):
        start = time.perf_counter()
        prepared = preview.prepare(talk.conversation, talk.ask(number))
        middle = time.perf_counter()
        view = showing.view(prepared, scene)
        showing.attachments(prepared, view, scene)
        built.append(middle - start)
        drawn.append(time.perf_counter() - middle)
    segments = sum(len(layer.segments) for layer in prepared.built.envelope.layers)
    print(
        f"{turns:5} turns, {segments:5} segments: a keystroke is built in {statistics.median(built) * 1000:.3f} ms "
        f"and drawn in {statistics.median(drawn) * 1000:.3f} ms; the first drawing took {first:.1f} ms"
    )


def text(megabytes: float, seed: int) -> str:
    """Lines of words that nobody has counted before."""
    draw = random.Random(seed)
    known = ["".join(draw.choices("etaoinshrdlucmfw", k=draw.randint(2, 9))) for _ in range(5000)]
    lines = (" ".join(draw.choices(known, k=12)) for _ in range(int(megabytes * 13_200)))
    return "\n".join(lines) + "\n"


class Lag:
    """How much later than wanted the loop comes back, tick by tick."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._late: list[float] = []

    async def tick(self) -> None:
        """Run beside everything else."""
        while True:
            start = time.perf_counter()
            await asyncio.sleep(TICK_S)
            self._late.append(time.perf_counter() - start - TICK_S)

    async def step(self, name: str, intent: Intent, done: Callable[[ChatState, Prepared], bool]) -> None:
        """Do something, wait until it is shown, and print how long that took and how late the loop was."""
        await asyncio.sleep(0.1)
        self._late.clear()
        start = time.perf_counter()
        await self._bench.workbench.dispatch(intent)
        await until(lambda: self._is(done))
        taken = time.perf_counter() - start
        await asyncio.sleep(4 * TICK_S)
        print(
            f"{name:22} shown after {taken * 1000:6.0f} ms; the loop was at most {max(self._late) * 1000:5.1f} ms late"
        )

    def _is(self, done: Callable[[ChatState, Prepared], bool]) -> bool:
        state = self._bench.workbench.state.open["talk"]
        return state.prepared is not None and done(state, state.prepared)


def _typed(state: ChatState, prepared: Prepared) -> bool:
    question = prepared.built.inputs.question
    return question is not None and question.text == state.draft


async def lags(builder: Builder) -> None:
    """Print the lag of the loop for what people do with megabytes attached."""
    bench = fake_bench(words("ok."), builder=builder)
    await bench.start(settings=WIDE)
    lag = Lag(bench)
    ticking = bench.world.tasks.spawn("tick", lag.tick())
    files = tuple(Artifact(f"f{n}.txt", "file", text(1, n)) for n in range(MEGABYTES))
    brief = ContextSettings(context_window=3_000_000, system_prompt="Be brief.")
    await lag.step(
        "attach 5 files",
        PutBackAttached("talk", files, ()),
        lambda _, p: len(p.built.inputs.attached) == 5,
    )
    for letters in ("w", "we", "wel"):
        await lag.step("type", EditDraft("talk", letters), _typed)
    await lag.step(
        "change settings", ChangeSettings("talk", brief), lambda _, p: p.built.inputs.settings == brief
    )
    one = Artifact("large.txt", "file", text(MEGABYTES, 99))
    await lag.step(
        "attach one of 5 MB", AttachArtifact("talk", one), lambda _, p: len(p.built.inputs.attached) == 6
    )
    await lag.step("paste 1 MB", EditDraft("talk", text(1, 50)), _typed)
    await lag.step("send", SendMessage("talk", "Well?"), lambda state, _: state.ended is not None)
    ticking.cancel()
    await bench.workbench.close()


def main() -> None:
    """Print every row."""
    builder = command_parts(Namespace()).builder
    for turns in (50, 1000):
        keystrokes(turns, builder)
    asyncio.run(lags(builder))


if __name__ == "__main__":
    main()
