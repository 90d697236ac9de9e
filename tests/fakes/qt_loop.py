"""Tests that wait in Qt's own event loop, as the program does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from contextvars import ContextVar
from functools import wraps
from typing import Any

from PySide6.QtWidgets import QApplication

from workbench.ui.program.loop import WindowLoop

PATIENCE_S = 250
"""A guard against hanging only: a busy machine takes as long as it takes."""
_AT_END: ContextVar[AsyncExitStack] = ContextVar("at the end of a test")


def in_qt_loop(test: Callable[..., Coroutine[object, object, None]]) -> Callable[..., None]:
    """A test that waits, as one that pytest calls; it needs the fixture `qapp`, or one that has it."""

    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def guarded() -> None:
            async with AsyncExitStack() as at_end:
                _AT_END.set(at_end)
                async with asyncio.timeout(PATIENCE_S):
                    await test(*args, **kwargs)

        app = QApplication.instance()
        with asyncio.Runner(loop_factory=lambda: WindowLoop(app)) as runner:
            runner.run(guarded())

    return run


def at_end_of_test(close: Callable[[], Awaitable[object]]) -> None:
    """Close something when the test is over, also one that failed, while its loop still runs.

    A window that a failed test left open started work without a loop when it was closed: errors in tests that are fine.
    """
    at_end = _AT_END.get(None)
    if at_end is not None:
        at_end.push_async_callback(close)


async def until(happened: Callable[[], bool], patience_s: float = 200) -> None:
    """Let the program go on until something is so."""
    async with asyncio.timeout(patience_s):
        while not happened():  # noqa: ASYNC110  (what is waited for is not made to be waited for)
            await asyncio.sleep(0.005)
