"""Debounce: work on the newest value once no newer one came for a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar

V = TypeVar("V")
Sleep = Callable[[float], Awaitable[None]]


class Spawner(Protocol):
    """Starts work in the background: for the whole program, or as long as one chat is open."""

    def spawn(self, name: str, work: Coroutine[Any, Any, None], /) -> asyncio.Task[None]:
        """Start it."""


class Debounced(Generic[V]):
    """Runs `work` on the newest value, after a delay without a newer one and never twice at once.

    `work` may await: whoever shows its result asks `is_wanted` first. A value that comes while another is worked on
    gets a run of its own afterwards. The delay is read when it begins, so that tests can shorten it.
    """

    def __init__(
        self,
        tasks: Spawner,
        delay_s: Callable[[], float],
        work: Callable[[V], Awaitable[None]],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._tasks, self._delay_s, self._work, self._sleep = tasks, delay_s, work, sleep
        self._wanted: V | None = None
        self._running = False

    def call(self, name: str, value: V) -> None:
        """Work on this value soon, in a task of that name; the same object again changes nothing."""
        self._wanted = value
        if not self._running:
            self._running = True
            self._tasks.spawn(name, self._run())

    def cancel(self) -> None:
        """Nothing is wanted any more; what is being worked on is not wanted when it is done."""
        self._wanted = None

    def is_wanted(self, value: V) -> bool:
        """Whether this is still the newest value."""
        return self._wanted is value

    async def _run(self) -> None:
        try:
            while (value := self._wanted) is not None:
                await self._sleep(self._delay_s())
                if self._wanted is not value:
                    continue
                await self._work(value)
                if self._wanted is value:
                    self._wanted = None
        finally:
            self._running = False
