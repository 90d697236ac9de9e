"""Tests that wait: run in a loop of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import ParamSpec

from tests.fakes.blocking import nothing_blocks

P = ParamSpec("P")
PATIENCE_S = 200
"""A guard against hanging only: a busy machine takes as long as it takes."""


def in_loop(test: Callable[P, Coroutine[object, object, None]]) -> Callable[P, None]:
    """A test that waits, as one that pytest calls."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


def in_calm_loop(test: Callable[P, Coroutine[object, object, None]]) -> Callable[P, None]:
    """The same, in a loop that the program must not block."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with nothing_blocks():
            asyncio.run(test(*args, **kwargs))

    return run


async def until(happened: Callable[[], bool]) -> None:
    """Let the program go on until something is so; a guard ends what never comes."""
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110  (what is waited for is not made to be waited for)
            await asyncio.sleep(0.001)
