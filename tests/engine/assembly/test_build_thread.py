"""Work beside the loop: it does not hold the loop up, and one piece is done at a time."""

from __future__ import annotations

import asyncio
from threading import Event, current_thread, main_thread

from tests.fakes.loop import in_calm_loop
from workbench.engine.assembly.prepare import BuildThread


@in_calm_loop
async def test_work_is_done_in_a_thread_and_gives_its_result():
    assert await BuildThread().do(lambda: current_thread() is main_thread()) is False
    assert await BuildThread().do(lambda: 7) == 7


@in_calm_loop
async def test_the_loop_goes_on_meanwhile():
    begun, may_end = Event(), Event()

    def work() -> str:
        begun.set()
        assert may_end.wait(20)
        return "done"

    task = asyncio.gather(BuildThread().do(work))
    while not begun.is_set():  # noqa: ASYNC110  (it is set in a thread)
        await asyncio.sleep(0.001)
    may_end.set()
    assert list(await task) == ["done"]


@in_calm_loop
async def test_one_piece_is_done_at_a_time_even_when_nobody_waits_for_the_first():
    """Two builds would otherwise meet in one memory, after a turn was stopped in the middle of its build."""
    thread, begun, may_end = BuildThread(), Event(), Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        assert may_end.wait(20)
        done.append("first")

    given_up = asyncio.gather(thread.do(first))
    while not begun.is_set():  # noqa: ASYNC110  (it is set in a thread)
        await asyncio.sleep(0.001)
    given_up.cancel()
    second = asyncio.gather(thread.do(lambda: done.append("second")))
    await asyncio.sleep(0.02)
    assert done == []
    may_end.set()
    await second
    assert done == ["first", "second"]
