"""Asks the context providers one after the other what of the past fits a question."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from workbench.domain.errors import WorkbenchError
from workbench.domain.recall import Found, Wanted
from workbench.engine.recall.finding import Recall
from workbench.ports.prompting import ContextProvider

T = TypeVar("T")
_SLICE_S = 0.002


async def gather(wanted: Wanted, providers: Sequence[ContextProvider]) -> tuple[Found, ...]:
    """What fits, the best first; what two providers both bring comes once, from the first of them."""
    found: dict[str, Found] = {}
    for provider in providers:
        try:
            brought = await provider.context(wanted)
        except WorkbenchError:
            continue  # a question goes out without it; what keeps a provider from looking must not keep it back
        for one in brought:
            found.setdefault(one.id, one)
    return tuple(sorted(found.values(), key=lambda one: -one.score))


@dataclass(frozen=True, slots=True)
class SaidHere:
    """What was said in the chat itself → ContextProvider."""

    recall: Recall

    async def context(self, wanted: Wanted) -> tuple[Found, ...]:
        """What was said here and fits."""
        return await in_slices(self.recall.finding(wanted))


async def in_slices(steps: Generator[None, None, T]) -> T:
    """What work in slices comes to; everybody else has a turn every few milliseconds."""
    import asyncio  # slow to import, and whoever waits here has it already: a trajectory does not

    clock = asyncio.get_running_loop().time
    since = clock()
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result
        if clock() - since >= _SLICE_S:
            await asyncio.sleep(0)
            since = clock()
