"""Files of exports and imports, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from workbench.domain.errors import WorkbenchError
from workbench.ports.exchange_files import FilesFound, NamedFile, WritingStopped, named_files


class MemoryExchange:
    """Files by their whole names → ExchangeFiles.

    Attributes:
        files: what there is.
        full: whether nothing can be written.
        hold: while it is set to an event, writing waits for that after it has begun.
        writing: set when writing begins.
    """

    def __init__(self, **files: bytes) -> None:
        self.files = dict(files)
        self.full = False
        self.hold: asyncio.Event | None = None
        self.writing = asyncio.Event()

    async def read(self, paths: Sequence[str]) -> FilesFound:
        """The files that are there; all of them belong together."""
        found = tuple((path, self.files[path]) for path in paths if path in self.files)
        missing = [path for path in paths if path not in self.files]
        problems = tuple(f"{path}: No such file or directory; left out" for path in missing)
        return FilesFound((named_files(*found),) if found else (), problems)

    async def write(
        self, place: str, files: Sequence[NamedFile], *, alone: bool, stopped: Callable[[], bool]
    ) -> tuple[str, ...]:
        """All or nothing."""
        targets = [place if alone else f"{place}/{name}" for name, _ in files]
        if any(target in self.files for target in targets):
            raise WorkbenchError(f"{place} exists already. Nothing was written; name another place.")
        self.writing.set()
        if self.hold is not None:
            await self.hold.wait()
        if stopped():
            raise WritingStopped
        if self.full:
            raise WorkbenchError(f"{place} could not be written (no space). Nothing of it was left there.")
        self.files.update(zip(targets, (body for _, body in files), strict=True))
        return tuple(targets)
