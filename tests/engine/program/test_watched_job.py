"""A job while it is done."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.fakes.engine import fake_world
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.errors import InvalidInput
from workbench.domain.job import Job
from workbench.engine.events import JobMoved
from workbench.engine.program.jobs import JobStopped, WatchedJob, sentences
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper


def watched() -> tuple[WatchedJob, list[JobMoved]]:
    told: list[JobMoved] = []
    world = fake_world()
    states = StateStore(world.tasks.report)
    states.subscribe(lambda event, _: told.append(event) if isinstance(event, JobMoved) else None)
    return WatchedJob(Job("j", "export", "json"), Stopper(world.tasks), states), told


@in_calm_loop
async def test_every_step_is_told():
    job, told = watched()
    job.move(total=2)
    job.move(done=1)
    job.go_on()
    assert [(event.job.done, event.job.total) for event in told] == [(0, 2), (1, 2)]


@in_calm_loop
async def test_thinking_happens_beside_the_loop_and_gives_its_result_or_its_error():
    job, _ = watched()
    assert await job.think("think", threading.current_thread) is not threading.main_thread()
    assert await job.think("find nothing", lambda: ()) == ()

    def fail() -> None:
        raise InvalidInput("", "no")

    with pytest.raises(InvalidInput):
        await job.think("fail", fail)


@in_calm_loop
async def test_thoughts_can_be_ended_in_the_middle():
    job, _ = watched()
    begun, go_on = threading.Event(), threading.Event()

    def think() -> bool:
        begun.set()
        return go_on.wait(20)

    async def stop() -> None:
        await until(begun.is_set)
        job.stopper.stop()

    try:
        async with asyncio.TaskGroup() as both:
            thinking = both.create_task(stopped(job.think("think", think)))
            both.create_task(stop())
        assert thinking.result()
    finally:
        go_on.set()
    with pytest.raises(JobStopped):
        job.go_on()
    with pytest.raises(JobStopped):
        await job.think("begin anew", lambda: 1)


async def stopped(work: object) -> bool:
    try:
        await work  # type: ignore[misc]
    except JobStopped:
        return True
    return False


def test_what_is_said_is_said_once_and_not_for_ever():
    assert sentences([]) == ""
    assert sentences(["a", "", "b", "a"]) == "a\nb"
    lines = sentences([str(number) for number in range(2000)]).split("\n")
    assert (len(lines), lines[-1]) == (13, "… and 1,988 more.")
