"""An answer on the disk while it arrives, never more than a moment behind what was shown."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from workbench.domain.errors import WorkbenchError
from workbench.domain.record import Record
from workbench.engine.turn.arriving import Arriving
from workbench.engine.world import World

BEHIND_S = 0.2


class GrowingRecord:
    """Writes an answer as long as it grows, and ends it.

    What cannot be written in between is no matter yet: the end writes all of it, and says so if that fails too.
    """

    def __init__(self, world: World, record: Record, arriving: Arriving) -> None:
        self._world, self._record, self._arriving = world, record, arriving
        self._grew, self._closing = asyncio.Event(), asyncio.Event()
        self.begun = False

    def grew(self) -> None:
        """There is more to write."""
        self._grew.set()

    def close(self) -> None:
        """No more will come; a write that is under way is finished."""
        self._closing.set()
        self._grew.set()

    async def keep_up(self) -> None:
        """Write whatever is new, again and again, until closed."""
        while True:
            await self._grew.wait()
            self._grew.clear()
            if self._closing.is_set():
                return
            with suppress(WorkbenchError):
                await self._write(replace(self._record, entry=self._arriving.message))
            with suppress(TimeoutError):
                async with asyncio.timeout(BEHIND_S):
                    await self._closing.wait()

    async def end(self, record: Record) -> None:
        """Write the answer as it stays; only after `keep_up` has returned."""
        await self._write(record)

    async def _write(self, record: Record) -> None:
        if self.begun:
            await self._world.store.update(record)
            return
        async with self._world.locks.of(record.chat):
            await self._world.store.append([record])
        self.begun = True
