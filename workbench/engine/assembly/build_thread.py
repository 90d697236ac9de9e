"""Where builds beside the loop are done, with a memory of their own: nothing that changes is shared with the loop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from workbench.context.assembly.memory import BuildMemory

T = TypeVar("T")


class BuildThread:
    """Work beside the loop, in a thread and one piece at a time.

    Attributes:
        memory: what builds there remember; only work that is being done there may touch it.
    """

    def __init__(self) -> None:
        self.memory = BuildMemory()
        self._in_use = Lock()

    async def do(self, work: Callable[[], T]) -> T:
        import asyncio  # slow to import, and whoever waits here has it already: asking for help does not

        return await asyncio.to_thread(self._alone, work)

    def _alone(self, work: Callable[[], T]) -> T:
        # A thread goes on when nobody waits for it any more: the next one must not meet it.
        with self._in_use:
            return work()
