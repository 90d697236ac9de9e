"""One piece of work at a time, and looks beside it."""

from __future__ import annotations

from tests.fakes.engine import fake_world
from tests.fakes.loop import in_loop, until
from workbench.engine.newest_run import NewestRun
from workbench.engine.tasks import Stopper


@in_loop
async def test_the_newest_ends_the_one_before_it_and_a_look_ends_none():
    tasks = fake_world().tasks
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
