"""The newest of several values is worked on, after a pause, with a controlled clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.fakes.loop import in_calm_loop
from workbench.engine.tasks import Latest, Tasks

DELAY_S = 0.3


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self._waiting: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((self.now + seconds, woken))
        await woken

    async def passes(self, seconds: float) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        self.now += seconds
        for at, woken in self._waiting:
            if at <= self.now and not woken.done():
                woken.set_result(None)
        for _ in range(10):
            await asyncio.sleep(0)


class Bench:
    """Work on the newest value that can be held up."""

    def __init__(self) -> None:
        self.clock, self.problems = Clock(), list[str]()
        self.tasks = Tasks(lambda name, error: self.problems.append(f"{name}: {error}"))
        self.begun, self.shown = list[str](), list[str]()
        self.gate: asyncio.Event | None = None
        self.latest = Latest(self.tasks, self.work, lambda: DELAY_S, self.clock.sleep)

    def call(self, value: str) -> None:
        self.latest.call("work", value)

    async def work(self, value: str) -> None:
        self.begun.append(value)
        if value == "broken":
            raise ValueError(value)
        if self.gate is not None:
            await self.gate.wait()
        if self.latest.is_wanted(value):
            self.shown.append(value)


def at_rest(bench: Bench) -> Callable[[], bool]:
    return lambda: not bench.tasks.is_at("work")


@in_calm_loop
async def test_only_the_newest_value_is_worked_on_after_it_stood_still():
    bench = Bench()
    for value in ("a", "ab", "abc"):
        bench.call(value)
        await bench.clock.passes(DELAY_S / 2)
    assert bench.begun == []
    await bench.clock.passes(DELAY_S)
    await bench.clock.passes(DELAY_S)
    assert (bench.begun, bench.shown) == (["abc"], ["abc"])
    assert at_rest(bench)()


@in_calm_loop
async def test_two_runs_never_overlap_and_a_late_result_is_not_shown():
    bench = Bench()
    bench.gate = asyncio.Event()
    bench.call("first")
    await bench.clock.passes(DELAY_S)
    bench.call("second")
    await bench.clock.passes(DELAY_S)
    assert bench.begun == ["first"]
    bench.gate.set()
    await bench.clock.passes(0)
    await bench.clock.passes(DELAY_S)
    assert (bench.begun, bench.shown) == (["first", "second"], ["second"])


@in_calm_loop
async def test_what_is_cancelled_is_neither_begun_nor_shown():
    bench = Bench()
    bench.call("before")
    bench.latest.cancel()
    await bench.clock.passes(DELAY_S)
    assert bench.begun == []
    bench.gate = asyncio.Event()
    bench.call("under way")
    await bench.clock.passes(DELAY_S)
    bench.latest.cancel()
    bench.gate.set()
    await bench.clock.passes(0)
    assert (bench.begun, bench.shown, at_rest(bench)()) == (["under way"], [], True)


@in_calm_loop
async def test_after_an_error_the_next_value_is_worked_on():
    bench = Bench()
    bench.call("broken")
    await bench.clock.passes(DELAY_S)
    assert bench.problems == ["work: broken"]
    bench.call("whole")
    await bench.clock.passes(DELAY_S)
    assert bench.shown == ["whole"]


@in_calm_loop
async def test_who_waits_gets_the_error_and_is_skipped_where_a_newer_value_came_first():
    bench = Bench()
    bench.gate = asyncio.Event()
    waiting = [bench.tasks.start("work", bench.latest.run(value)) for value in ("a", "b", "broken")]
    await bench.clock.passes(0)
    bench.gate.set()
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(one) for one in ended] == [type(None), type(None), ValueError]
    assert (bench.begun, bench.shown) == (["a", "broken"], [])
