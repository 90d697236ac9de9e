"""A scan in a thread: whoever stops waiting for it can close it at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from tests.fakes.loop import in_loop
from workbench.domain.files.folder import FolderEntry
from workbench.sources.attach import ThreadedScan
from workbench.sources.folder_walk import FolderWalk


class SlowWalk:
    """A walk that is in the middle of its entries until it is let go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self._entries = self._walk()

    def _walk(self) -> Generator[tuple[FolderEntry, ...], None, None]:
        self.begun.set()
        self.go_on.wait()
        yield ()

    def more(self) -> tuple[FolderEntry, ...]:
        return tuple(next(self._entries, ()))

    def close(self) -> None:
        self._entries.close()


@in_loop
async def test_closing_waits_for_what_nobody_waits_for_any_more(tmp_path: Path):
    walk = SlowWalk()
    scan = ThreadedScan(cast("FolderWalk", walk))
    looking = asyncio.get_running_loop().create_task(scan.more())
    await asyncio.to_thread(walk.begun.wait)
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    closing = asyncio.get_running_loop().create_task(scan.close())
    await asyncio.sleep(0.01)
    walk.go_on.set()
    await closing
