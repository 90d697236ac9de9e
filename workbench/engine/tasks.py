"""The one place where tasks are made: named, referenced, cancelled at close; and what can be stopped in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

GIVE_UP_S = 0.5


class Tasks:
    """All work that goes on beside something else; what nobody waits for tells its errors to `report`."""

    def __init__(self, report: Callable[[str, BaseException], None]) -> None:
        self.report = report
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, name: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work in the background; it is kept alive until it ends, and its error is reported."""
        task = self.start(name, work)
        self.leave(task)
        return task

    def start(self, name: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work that somebody waits for, who gets its error too."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def leave(self, task: asyncio.Task[Any]) -> None:
        """Nobody waits for this, or no longer: its error is reported."""
        task.add_done_callback(self._ended)

    def is_at(self, *names: str) -> bool:
        """Whether something is going on whose name begins with one of these."""
        return any(task.get_name().startswith(names) for task in self._running)

    async def close(self, patience_s: float = 0.0) -> None:
        """Wait for what is running, cancel what is left, and give that a moment to end."""
        if others := self._others():
            await asyncio.wait(others, timeout=patience_s)
        deadline = asyncio.get_running_loop().time() + GIVE_UP_S
        # What ends may begin something else, so this is done until nothing is left.
        while (left := self._others()) and (wait_s := deadline - asyncio.get_running_loop().time()) > 0:
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=wait_s)

    def _others(self) -> set[asyncio.Task[Any]]:
        return {task for task in self._running if task is not asyncio.current_task()}

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.report(task.get_name(), error)


class Stopper:
    """Lets a person end pieces of work in the middle: what is going on is cancelled, what surrounds it goes on.

    It is cancelled once, however often Stop is pressed, so that it can let go of what it holds; where that takes too
    long, it is left to itself.
    """

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._asked: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stopped(self) -> bool:
        return self._asked.done()

    def stop(self) -> None:
        if not self._asked.done():
            self._asked.set_result(None)

    async def run(self, name: str, work: Coroutine[Any, Any, T], otherwise: T, *, grace_s: float = 0.0) -> T:
        """Do a piece of work; what it gave, or `otherwise` where it was stopped and did not end in the grace it has."""
        if self.stopped():
            work.close()
            return otherwise
        task = self._tasks.start(name, work)
        try:
            await self._until_over(task, grace_s)
        finally:
            if not task.done():
                task.cancel()
                self._tasks.leave(task)
        return task.result() if task.done() and not task.cancelled() else otherwise

    async def _until_over(self, task: asyncio.Task[T], grace_s: float) -> None:
        either: set[asyncio.Future[Any]] = {task, self._asked}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done() and grace_s:
            await asyncio.wait([task], timeout=grace_s)
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=GIVE_UP_S)


class NewestRun:
    """Stoppable work of which only the newest goes on: it stops the one before it, and a mere look stops none."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._running: Stopper | None = None
        self._looking: Stopper | None = None

    def begin(
        self, name: str, work: Callable[[Stopper], Coroutine[Any, Any, None]], *, look: bool = False
    ) -> None:
        """Begin a piece of work in the background, or a look (at a price, at what is kept) beside it."""
        stopper = Stopper(self._tasks)
        if look:
            self._looking = stopper
        else:
            self.stop()
            self._running = stopper
        self._tasks.spawn(name, work(stopper))

    def stop(self) -> None:
        """Stop what is going on; it ends with what it has."""
        if self._running is not None:
            self._running.stop()

    def is_shown(self, stopper: Stopper) -> bool:
        """Whether the work that got this stopper is the newest work or the newest look, so that its result is shown."""
        return stopper in (self._running, self._looking)


V = TypeVar("V")
Sleep = Callable[[float], Awaitable[None]]


class Spawner(Protocol):
    """Starts work in the background: for the whole program, or as long as one chat is open."""

    def spawn(self, name: str, work: Coroutine[Any, Any, None], /) -> asyncio.Task[None]:
        """Starts the work."""


class Latest(Generic[V]):
    """Works on the newest of several values, one at a time; one that a newer value overtook while it waited is skipped.

    `work` may await: whoever shows its result asks `is_wanted` first. A value that comes while another is worked on
    gets a run of its own afterwards. With a delay, work begins after that long without a newer value (a debounce); it
    is read when it begins, so that tests can shorten it.
    """

    def __init__(
        self,
        tasks: Spawner,
        work: Callable[[V], Awaitable[None]],
        delay_s: Callable[[], float] | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._tasks, self._work, self._delay_s, self._sleep = tasks, work, delay_s, sleep
        self._wanted: V | None = None
        self._running = False
        self._one_at_a_time = asyncio.Lock()

    def call(self, name: str, value: V) -> None:
        """Work on this value in the background, in a task of that name; the same object again changes nothing."""
        self._wanted = value
        if not self._running:
            self._running = True
            self._tasks.spawn(name, self._run())

    async def run(self, value: V) -> None:
        """Work on this value for a caller who waits for it and gets its error; skipped when a newer one came first."""
        self._wanted = value
        async with self._one_at_a_time:
            if self._wanted is value:
                await self._work(value)

    def cancel(self) -> None:
        """Nothing is wanted any more; what is being worked on is not wanted when it is done."""
        self._wanted = None

    def is_wanted(self, value: V) -> bool:
        return self._wanted is value

    async def _run(self) -> None:
        try:
            while (value := self._wanted) is not None:
                if self._delay_s is not None:
                    await self._sleep(self._delay_s())
                    if self._wanted is not value:
                        continue
                await self._work(value)
                if self._wanted is value:
                    self._wanted = None
        finally:
            self._running = False
