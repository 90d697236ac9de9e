"""Several providers of context asked in turn, and work that lets the loop go on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator

from tests.engine.open_chat.test_recall import RULES, Counted
from tests.fakes.loop import in_loop
from workbench.domain.recall import Found, Wanted
from workbench.engine.recall.providers import gather, in_slices


@in_loop
async def test_the_first_of_two_that_bring_the_same_is_heard_and_the_best_stands_first():
    one, other = Counted(Found("a", 1.0), Found("b", 3.0)), Counted(Found("b", 9.0), Found("c", 2.0))
    found = await gather(Wanted("talk", "?", RULES), (one, other))
    assert found == (Found("b", 3.0), Found("c", 2.0), Found("a", 1.0))


@in_loop
async def test_others_have_a_turn_between_two_slices():
    seen: list[str] = []

    async def other() -> None:
        for number in range(3):
            seen.append(f"other {number}")
            await asyncio.sleep(0)

    def steps() -> Generator[None, None, str]:
        for number in range(3):
            seen.append(f"slice {number}")
            until_later = time.monotonic() + 0.005
            while time.monotonic() < until_later:
                pass  # work that takes a while
            yield
        return "done"

    result, _ = await asyncio.gather(in_slices(steps()), other())
    assert result == "done"
    assert seen == ["slice 0", "other 0", "slice 1", "other 1", "slice 2", "other 2"]
