"""The loop that tests of the window run in leaves nothing open, so that one failure is one failure."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.qt_loop import at_end_of_test, in_qt_loop


def test_what_a_failed_test_left_open_is_closed_while_its_loop_runs(qapp):
    """A window that was left started work without a loop, and the tests after it had the errors."""
    closed: list[str] = []

    @in_qt_loop
    async def fails() -> None:
        async def close() -> None:
            await asyncio.sleep(0)
            closed.append("window")

        at_end_of_test(close)
        raise ValueError("what is really wrong")

    with pytest.raises(ValueError, match="what is really wrong"):
        fails()
    assert closed == ["window"]
