"""A folder scan whose blocking calls run in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.domain.files.folder import FileText, FolderEntry
from workbench.sources.folder_walk import FolderWalk


@dataclass(frozen=True, slots=True)
class ThreadedScan:
    """A walk whose every moment is spent in a thread → FolderScan."""

    walk: FolderWalk

    async def more(self) -> tuple[FolderEntry, ...]:
        """The next entries."""
        return await asyncio.to_thread(self.walk.more)

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """What files hold."""
        return await asyncio.to_thread(self.walk.texts, paths)

    async def close(self) -> None:
        """Let go of the folder."""
        await asyncio.to_thread(self.walk.close)
