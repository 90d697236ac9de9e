"""A loop in which waiting takes no time: where nothing else is to be done, its clock moves to whoever wakes next."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")
_THREAD_S = 0.05
_HUNG_S = 60.0


class _NoWaiting(selectors.DefaultSelector):
    """Moves the loop's clock instead of waiting, unless a thread is at work."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if found or timeout == 0:
            return found
        if timeout is None or self.loop.in_threads:
            found = super().select(_HUNG_S if timeout is None else _THREAD_S)
            assert found or timeout is not None, "nothing will ever wake this loop"
            return found
        self.loop.now += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own."""

    def __init__(self) -> None:
        self.now, self.in_threads = 0.0, 0
        selector = _NoWaiting()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Seconds since it began, as far as anybody waited."""
        return self.now

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> asyncio.Future[Any]:
        """Work in a thread, which takes real time."""
        made = super().run_in_executor(executor, func, *args)
        self.in_threads += 1
        made.add_done_callback(self._thread_ended)
        return made

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - its name
        """Threads end in real time: a limit on this clock would be over at once (from Python 3.12 on there is one)."""
        await super().shutdown_default_executor()

    def _thread_ended(self, _: asyncio.Future[Any]) -> None:
        self.in_threads -= 1


def in_virtual_time(test: Callable[P, Coroutine[object, object, None]]) -> Callable[P, None]:
    """A test that waits, in a loop where that takes no time."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run
