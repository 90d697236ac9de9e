"""Work that asks request by request: how far it is, and Ctrl-C, which ends it with what there is."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from workbench.cli.terminal import tell_progress
from workbench.engine.tasks import Stopper

T = TypeVar("T")
STOPPED = 130


async def stoppable(work: Coroutine[Any, Any, T], stopper: Stopper) -> T:
    """Do some work; Ctrl-C ends it with what there is."""
    import asyncio
    import signal

    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, stopper.stop)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        return await work
    try:
        return await work
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        tell_progress("")


def tell_moved(done: int, planned: int, left_s: float | None) -> None:
    """How far it is, where somebody sits at a terminal."""
    left = "" if left_s is None or done == planned else f", about {max(1, round(left_s))} s left"
    tell_progress(f"request {done} of {planned}{left}")
