"""Looking at other processes from a test: whether one is there, and waiting until it is not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable


def is_running(pid: int) -> bool:
    """Whether there is such a process; one that has ended and was not fetched yet does not count."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except ProcessLookupError:  # it ended while its file was read
        return False
    except FileNotFoundError:
        if os.path.isdir("/proc/self"):
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until(fact: Callable[[], bool], seconds: float = 250.0) -> bool:
    """Wait until something is so; False where it does not become so in time."""
    end = asyncio.get_running_loop().time() + seconds
    while not fact():
        if asyncio.get_running_loop().time() > end:
            return False
        await asyncio.sleep(0.01)
    return True
