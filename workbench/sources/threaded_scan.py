"""A folder scan whose blocking calls run in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import ParamSpec, TypeVar

from workbench.domain.files.folder import FileText, FolderEntry
from workbench.sources.folder_walk import FolderWalk

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ThreadedScan:
    """A walk whose every moment is spent in a thread → FolderScan."""

    walk: FolderWalk
    _in_use: Lock = field(default_factory=Lock, compare=False)

    async def more(self) -> tuple[FolderEntry, ...]:
        """The next entries."""
        return await asyncio.to_thread(self._alone, self.walk.more)

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """What files hold."""
        return await asyncio.to_thread(self._alone, self.walk.texts, paths)

    async def close(self) -> None:
        """Let go of the folder."""
        await asyncio.to_thread(self._alone, self.walk.close)

    def _alone(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        # A thread goes on when nobody waits for it any more: who closes then must not meet it.
        with self._in_use:
            return work(*args, **kwargs)
