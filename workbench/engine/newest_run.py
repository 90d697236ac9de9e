"""Work that goes on by itself, one piece at a time: the newest ends the one before it, and a mere look ends none."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from workbench.engine.tasks import Stopper, Tasks

Work = Callable[[Stopper], Coroutine[Any, Any, None]]


class NewestRun:
    """What is going on, and what was looked at last: a price, or what is kept."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._running: Stopper | None = None
        self._looking: Stopper | None = None

    def begin(self, name: str, work: Work, *, look: bool = False) -> None:
        """Begin a piece of work, or a look beside it."""
        stopper = Stopper(self._tasks)
        if look:
            self._looking = stopper
        else:
            self.stop()
            self._running = stopper
        self._tasks.spawn(name, work(stopper))

    def stop(self) -> None:
        """End what is going on with what there is."""
        if self._running is not None:
            self._running.stop()

    def is_shown(self, stopper: Stopper) -> bool:
        """Whether what a piece of work tells is still of interest."""
        return stopper in (self._running, self._looking)
