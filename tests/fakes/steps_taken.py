"""How much work something is, which other programs on the same machine do not change: lines run, processor time."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python a piece of work goes through, those of everything it calls included."""
    seen = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal seen
        seen += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return seen


class Turns:
    """The turns of an event loop; `longest_s` is what the longest of them worked, in processor time of its thread."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._since = time.thread_time()

    def passed(self) -> None:
        """A turn is over."""
        self.longest_s = max(self.longest_s, time.thread_time() - self._since)
        self.skip()

    def skip(self) -> None:
        """What was done up to here was no turn of the loop."""
        self._since = time.thread_time()


@asynccontextmanager
async def turns_of_loop() -> AsyncIterator[Turns]:
    """Watch this loop as long as this is open."""
    turns = Turns()

    async def watch() -> None:
        while True:
            await asyncio.sleep(0.005)
            turns.passed()

    watching = asyncio.get_running_loop().create_task(watch())
    try:
        yield turns
    finally:
        watching.cancel()
