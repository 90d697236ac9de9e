"""A generator that is left in the middle is ended where it can still wait."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator

from tests.fakes.qt_loop import in_qt_loop, until
from workbench.ui.program.app import _closing_generators


@in_qt_loop
async def test_a_generator_that_somebody_dropped_is_ended_in_a_task(qapp):
    """In this loop it was ended on the spot: "async generator ignored GeneratorExit" on standard error."""
    ended: list[str] = []

    async def counting() -> AsyncGenerator[int, None]:
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(0)
            ended.append((asyncio.current_task() is not None and "in a task") or "outside")

    before = sys.get_asyncgen_hooks()
    with _closing_generators(asyncio.get_running_loop()):
        numbers = counting()
        assert await anext(numbers) == 1
        del numbers
        await until(lambda: bool(ended))
    assert ended == ["in a task"]
    assert sys.get_asyncgen_hooks() == before
