"""Background work: referenced, reported when it breaks, ended at close; and work that a person may stop."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.loop import in_calm_loop, until
from workbench.engine.tasks import GIVE_UP_S, NewestRun, Stopper, Tasks

Reports = list[tuple[str, BaseException]]


def noted() -> tuple[Tasks, Reports]:
    reports: Reports = []
    return Tasks(lambda name, error: reports.append((name, error))), reports


async def value(given: str = "done", wait_s: float = 0.0) -> str:
    await asyncio.sleep(wait_s)
    return given


async def broken() -> str:
    raise KeyError("bug")


@in_calm_loop
async def test_what_breaks_unseen_is_reported_once():
    tasks, reports = noted()
    task = tasks.spawn("a job", broken())
    await asyncio.wait([task])
    await asyncio.sleep(0)
    assert [(name, type(error)) for name, error in reports] == [("a job", KeyError)]


@in_calm_loop
async def test_who_waits_for_work_gets_its_error_alone():
    tasks, reports = noted()
    with pytest.raises(KeyError):
        await tasks.start("a job", broken())
    assert reports == []


@in_calm_loop
async def test_closing_waits_then_cancels():
    tasks, reports = noted()
    quick, slow = tasks.spawn("quick", value(wait_s=0)), tasks.spawn("slow", value(wait_s=60))
    await tasks.close(patience_s=0.1)
    assert (quick.result(), slow.cancelled(), reports) == ("done", True, [])


@in_calm_loop
async def test_closing_ends_what_begins_while_it_closes():
    tasks, _ = noted()
    later: list[asyncio.Task[str]] = []

    async def leaves_something() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            later.append(tasks.spawn("later", value(wait_s=60)))

    tasks.spawn("first", leaves_something())
    await asyncio.sleep(0)
    await tasks.close()
    assert later[0].cancelled()


@in_calm_loop
async def test_closing_does_not_wait_for_what_will_not_end():
    tasks, _ = noted()
    release = asyncio.Event()

    async def deaf() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    task = tasks.spawn("deaf", deaf())
    await asyncio.sleep(0)
    async with asyncio.timeout(GIVE_UP_S + 10):
        await tasks.close()
    assert not task.done()
    release.set()
    await task


@in_calm_loop
async def test_a_task_may_close_the_tasks_it_belongs_to():
    tasks, _ = noted()
    async with asyncio.timeout(250):
        await tasks.spawn("close", tasks.close())


@in_calm_loop
async def test_work_that_nobody_stops_gives_what_it_gives():
    tasks, reports = noted()
    stopper = Stopper(tasks)
    assert await stopper.run("work", value("result"), "otherwise") == "result"
    with pytest.raises(KeyError):
        await stopper.run("work", broken(), "otherwise")
    assert reports == []


@in_calm_loop
async def test_stopped_work_is_cancelled_and_nothing_else_begins():
    tasks, _ = noted()
    stopper = Stopper(tasks)
    asyncio.get_running_loop().call_soon(stopper.stop)
    assert await stopper.run("work", value(wait_s=60), "otherwise") == "otherwise"
    assert await stopper.run("work", value(), "not begun") == "not begun"


@in_calm_loop
async def test_pressed_twice_stop_lets_the_work_put_its_things_away():
    """A second cancellation would cut the very cleaning up that the first one began: the socket would stay open."""
    tasks, _ = noted()
    stopper, closed = Stopper(tasks), []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            stopper.stop()
            await asyncio.sleep(0.01)
            closed.append("socket")

    asyncio.get_running_loop().call_soon(stopper.stop)
    await stopper.run("work", work(), None)
    assert closed == ["socket"]


@in_calm_loop
async def test_work_that_must_not_be_cut_gets_a_moment():
    tasks, _ = noted()
    stopper = Stopper(tasks)
    asyncio.get_running_loop().call_soon(stopper.stop)
    assert await stopper.run("work", value("whole", 0.05), "cut", grace_s=5) == "whole"
    other = Stopper(tasks)
    asyncio.get_running_loop().call_soon(other.stop)
    assert await other.run("work", value("whole", 60), "cut", grace_s=0.01) == "cut"


@in_calm_loop
async def test_work_that_is_slow_to_let_go_is_left_to_itself():
    tasks, reports = noted()
    stopper = Stopper(tasks)

    async def hangs_in_closing() -> str:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(60)
        raise AssertionError

    asyncio.get_running_loop().call_soon(stopper.stop)
    async with asyncio.timeout(GIVE_UP_S + 10):
        assert await stopper.run("work", hangs_in_closing(), "otherwise") == "otherwise"
    await tasks.close()
    assert reports == []


@in_calm_loop
async def test_who_is_cancelled_takes_the_work_along():
    tasks, _ = noted()
    stopper = Stopper(tasks)
    outer = tasks.spawn("turn", stopper.run("work", value(wait_s=60), "otherwise"))
    await asyncio.sleep(0.01)
    outer.cancel()
    await asyncio.wait([outer])
    await tasks.close(patience_s=5)
    assert outer.cancelled()


@in_calm_loop
async def test_what_is_going_on_is_known_by_the_beginning_of_its_name():
    tasks, _ = noted()
    task = tasks.spawn("build the request of a", value())
    assert tasks.is_at("count", "build")
    assert not tasks.is_at("count")
    await task
    assert not tasks.is_at("build")


@in_calm_loop
async def test_the_newest_ends_the_one_before_it_and_a_look_ends_none():
    tasks, _ = noted()
    runs, begun = NewestRun(tasks), list[Stopper]()

    async def work(stopper: Stopper) -> None:
        begun.append(stopper)
        await until(stopper.stopped)

    async def look(stopper: Stopper) -> None:
        begun.append(stopper)

    for name, one, is_look in (("first", work, False), ("look", look, True), ("second", work, False)):
        runs.begin(name, one, look=is_look)
        await until(lambda: len(begun) == {"first": 1, "look": 2, "second": 3}[name])  # noqa: B023
        if is_look:
            assert not begun[0].stopped()
    first, looked, second = begun
    assert (first.stopped(), second.stopped()) == (True, False)
    assert (runs.is_shown(first), runs.is_shown(looked), runs.is_shown(second)) == (False, True, True)
    runs.stop()
    assert second.stopped()
