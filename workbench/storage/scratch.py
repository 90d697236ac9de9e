"""A temporary store with the usual class and encryption, and a key that is not kept."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from workbench.storage.database.cipher import create_encrypted, open_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.history import SqlCipherHistory
from workbench.storage.keys.vault import new_data_key


class ScratchHistory:
    """A history in a temporary folder, which can be closed and opened again until the folder goes.

    Attributes:
        path, data_key: its file, and what opens it.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="workbench-")
        self.data_key = new_data_key()
        self.path = Path(self._folder.name) / "store.db"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    async def open(self, *, once: bool = False) -> SqlCipherHistory:
        """The history as it was last closed; empty at first. With `once`, it is deleted when closed or moved."""
        return await asyncio.to_thread(self._open, self._folder.cleanup if once else lambda: None)

    def _open(self, release: Callable[[], None]) -> SqlCipherHistory:
        if not self.path.exists():
            create_encrypted(self.path, self.data_key.key, self.data_key.identity)
        database = Database(lambda: open_encrypted(self.path, self.data_key.key, self.data_key.identity))
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        thread.submit(migrate, database, lambda version: None).result()
        return SqlCipherHistory(database, thread, release)
