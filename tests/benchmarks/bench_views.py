"""How fast a request is built and its view made after a keystroke, and how late the loop is with megabytes attached.

As in the window, the garbage collector leaves alone what was there before: else one collection of the chats that keys
were typed into is most of what the loop is late.
"""

from __future__ import annotations

import asyncio
import gc
import random
import time
from collections.abc import Callable, Iterator

from tests.benchmarks.running.figures import Figure, Means, at_most, middle, timed
from tests.benchmarks.running.lag import LoopLag
from tests.benchmarks.running.workload import Talk, new_builder, workload
from tests.fakes.chat_model import NoPrices, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import until
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.prepare import Builder, Prepared
from workbench.engine.intents import AttachArtifact, ChangeSettings, EditDraft, Intent, SendMessage
from workbench.engine.shown.request_view import RequestViewer, Scene
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import PutBackAttached

MEGABYTES = 5
WIDE = ContextSettings(context_window=3_000_000)


def keystrokes(turns: int, builder: Builder, laps: int) -> Iterator[Figure]:
    """What building and drawing take after a keystroke in a conversation of some turns."""
    talk = Talk(workload(turns), builder)
    preview, showing, scene = Preview(builder), RequestViewer(builder, NoPrices()), Scene()
    prepared = preview.prepare(talk.conversation, talk.ask(0))
    first = timed(lambda: showing.view(prepared, scene))
    built, drawn = [], []
    for number in range(laps):
        start = time.perf_counter()
        prepared = preview.prepare(talk.conversation, talk.ask(number))
        middle_s = time.perf_counter()
        showing.view_with_attachments(prepared, scene)
        built.append((middle_s - start) * 1000)
        drawn.append((time.perf_counter() - middle_s) * 1000)
    yield middle(f"keystroke, {turns:,} turns: built", built)
    yield middle(f"keystroke, {turns:,} turns: values of the view", drawn)
    yield Figure(f"first values of the view, {turns:,} turns", first, "ms")


def text(megabytes: float, seed: int) -> str:
    """Lines of words that nobody has counted before."""
    draw = random.Random(seed)
    known = ["".join(draw.choices("etaoinshrdlucmfw", k=draw.randint(2, 9))) for _ in range(5000)]
    lines = (" ".join(draw.choices(known, k=12)) for _ in range(int(megabytes * 13_200)))
    return "\n".join(lines) + "\n"


class Steps:
    """What people do, step by step, each with how long it took and how late the loop was."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.found: list[Figure] = []

    async def do(self, name: str, intent: Intent, done: Callable[[ChatState, Prepared], bool]) -> None:
        """Do something, and wait until it is shown."""
        await asyncio.sleep(0.1)
        lag = LoopLag()
        took_s = await lag.beside(self._shown(intent, done))
        self.found.append(Figure(f"{name}: shown after", took_s * 1000, "ms"))
        goal = at_most(100)
        self.found.append(Figure(f"{name}: loop lag at most", max(lag.late_ms, default=0.0), "ms", goal=goal))

    async def _shown(self, intent: Intent, done: Callable[[ChatState, Prepared], bool]) -> None:
        await self._bench.workbench.dispatch(intent)
        await until(lambda: self._is(done))

    def _is(self, done: Callable[[ChatState, Prepared], bool]) -> bool:
        state = self._bench.workbench.state.open["talk"]
        return state.prepared is not None and done(state, state.prepared)


def _typed(state: ChatState, prepared: Prepared) -> bool:
    question = prepared.built.inputs.question
    return question is not None and question.text == state.draft


async def lags(builder: Builder) -> list[Figure]:
    """The lag of the loop for what people do with megabytes attached."""
    bench = fake_bench(words("ok."), builder=builder)
    await bench.start(settings=WIDE)
    steps = Steps(bench)
    files = tuple(Artifact(f"f{n}.txt", "file", text(1, n)) for n in range(MEGABYTES))
    brief = ContextSettings(context_window=3_000_000, system_prompt="Be brief.")
    await steps.do(
        "attach 5 files",
        PutBackAttached("talk", files, ()),
        lambda _, p: len(p.built.inputs.attached) == 5,
    )
    for letters in ("w", "we", "wel"):
        await steps.do(f"type {letters!r}", EditDraft("talk", letters), _typed)
    await steps.do(
        "change settings", ChangeSettings("talk", brief), lambda _, p: p.built.inputs.settings == brief
    )
    one = Artifact("large.txt", "file", text(MEGABYTES, 99))
    await steps.do(
        "attach one of 5 MB", AttachArtifact("talk", one), lambda _, p: len(p.built.inputs.attached) == 6
    )
    await steps.do("paste 1 MB", EditDraft("talk", text(1, 50)), _typed)
    await steps.do("send", SendMessage("talk", "Well?"), lambda state, _: state.ended is not None)
    await bench.workbench.close()
    return steps.found


def figures(means: Means) -> Iterator[Figure]:
    """Keystrokes, then megabytes."""
    builder = new_builder()
    for turns in (50, 1_000, 10_000):
        yield from keystrokes(turns, builder, means.laps(100))
    gc.collect()
    gc.freeze()
    yield from asyncio.run(lags(builder))
