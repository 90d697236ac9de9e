"""What builds beside the loop have to themselves, so that they share nothing that changes with those in it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from workbench.context.build.memory import BuildMemory

T = TypeVar("T")


class Annexe:
    """A room beside the loop: work is done in a thread, one piece at a time.

    Attributes:
        memory: what builds there remember; only work that is being done there may touch it.
    """

    def __init__(self) -> None:
        self.memory = BuildMemory()
        self._in_use = Lock()

    async def do(self, work: Callable[[], T]) -> T:
        """Do a piece of work while the loop goes on."""
        import asyncio  # slow to import, and whoever waits here has it already: asking for help does not

        return await asyncio.to_thread(self._alone, work)

    def _alone(self, work: Callable[[], T]) -> T:
        # A thread goes on when nobody waits for it any more: the next one must not meet it.
        with self._in_use:
            return work()
