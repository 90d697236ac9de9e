"""How late a loop comes back while something is done in it: asyncio's, or the window's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator

from tests.benchmarks.running.figures import Figure, Goal, percentile

TICK_S = 0.005


class LoopLag:
    """Sleeps a moment again and again, and notes how late it was woken."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []

    async def beside(self, work: Awaitable[object]) -> float:
        """Tick while some work is done; how many seconds it took."""
        ticking = asyncio.get_running_loop().create_task(self._tick())
        begun = time.perf_counter()
        await work
        took_s = time.perf_counter() - begun
        await asyncio.sleep(4 * TICK_S)
        ticking.cancel()
        return took_s

    async def _tick(self) -> None:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(TICK_S)
            self.late_ms.append(1000 * (time.perf_counter() - begun - TICK_S))


def lag_figures(
    name: str, late_ms: list[float], p99: Goal | None = None, longest: Goal | None = None
) -> Iterator[Figure]:
    """What of a loop's lag is told: how late one tick of a hundred is at least, and the latest."""
    late = late_ms or [0.0]
    spread = (percentile(late, 0.5), max(late))
    yield Figure(f"{name}: loop lag p99", percentile(late, 0.99), "ms", spread, p99)
    yield Figure(f"{name}: loop lag at most", max(late), "ms", goal=longest)
