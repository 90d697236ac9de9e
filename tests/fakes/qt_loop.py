"""Tests that wait in Qt's own event loop, as the program does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

PATIENCE_S = 60


def in_qt_loop(test: Callable[..., Coroutine[object, object, None]]) -> Callable[..., None]:
    """A test that waits, as one that pytest calls; it needs the fixture `qapp`, or one that has it."""

    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def guarded() -> None:
            async with asyncio.timeout(PATIENCE_S):
                await test(*args, **kwargs)

        app = QApplication.instance()
        with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
            runner.run(guarded())

    return run


async def until(happened: Callable[[], bool], patience_s: float = 20) -> None:
    """Let the program go on until something is so."""
    async with asyncio.timeout(patience_s):
        while not happened():  # noqa: ASYNC110  (what is waited for is not made to be waited for)
            await asyncio.sleep(0.005)
