"""A job while it is done: how far it is, whether somebody wants it to end, and what is said about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from workbench.domain.job import Job
from workbench.engine.program_events import JobMoved
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper

T = TypeVar("T")

_NAMED = 12


class JobStopped(Exception):
    """Somebody ended the job before it was done."""


@dataclass(slots=True)
class WatchedJob:
    """One job; `job` is what was told of it last."""

    job: Job
    stopper: Stopper
    states: StateStore

    def move(self, **changes: Any) -> None:
        """Say how far it is."""
        self.job = replace(self.job, **changes)
        self.states.emit(JobMoved(self.job))

    def go_on(self) -> None:
        """Asked between two steps: `JobStopped` where it is to end."""
        if self.stopper.stopped():
            raise JobStopped

    async def think(self, what: str, work: Callable[[], T]) -> T:
        """Do in a thread what only thinks; ended in the middle, it is left to itself and forgotten."""
        nothing: tuple[T, ...] = ()
        done = await self.stopper.run(what, _in_thread(work), nothing)
        if not done:
            raise JobStopped
        return done[0]


async def _in_thread(work: Callable[[], T]) -> tuple[T, ...]:
    return (await asyncio.to_thread(work),)


def sentences(lines: list[str]) -> str:
    """What is to be said, each thing once and on its own line; of very much, the beginning."""
    said = list(dict.fromkeys(line for line in lines if line))
    more = len(said) - _NAMED
    return "\n".join([*said[:_NAMED], *([f"… and {more:,} more."] if more > 0 else [])])
