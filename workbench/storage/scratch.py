"""A store that is gone when it is closed for good: the same class and encryption, with a key nobody keeps."""

from __future__ import annotations

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from workbench.domain.keys.store_keys import StoreIdentity
from workbench.storage.database.cipher import create_encrypted, open_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.history import SqlCipherHistory
from workbench.storage.keys.protectors import DataKey
from workbench.storage.keys.vault import new_database_id


class ScratchHistory:
    """A history in a temporary folder, which can be closed and opened again until the folder goes."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="workbench-")
        self._key = DataKey.make(StoreIdentity(new_database_id(), 1))
        self._path = Path(self._folder.name) / "store.db"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    async def open(self) -> SqlCipherHistory:
        """The history as it was closed last; empty at first."""
        return await asyncio.to_thread(self._open)

    def _open(self) -> SqlCipherHistory:
        if not self._path.exists():
            create_encrypted(self._path, self._key.key, self._key.identity)
        database = Database(lambda: open_encrypted(self._path, self._key.key, self._key.identity))
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        thread.submit(migrate, database, lambda version: None).result()
        return SqlCipherHistory(database, thread, lambda: None)
