"""Files of an export or import, read and written in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.ports.exchange_files import FilesFound, NamedFile
from workbench.sources.export_writing import write_files
from workbench.sources.import_reading import read_paths


class FolderExchange:
    """Files on this computer → ExchangeFiles."""

    async def read(self, paths: Sequence[str]) -> FilesFound:
        """The files that are to be imported."""
        return await asyncio.to_thread(read_paths, paths)

    async def write(
        self, place: str, files: Sequence[NamedFile], *, alone: bool, stopped: Callable[[], bool]
    ) -> tuple[str, ...]:
        """Write an export, all or nothing."""
        return await asyncio.to_thread(write_files, Path(place), files, alone, stopped)
