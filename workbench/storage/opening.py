"""Opening the history: unlock, become its one writer, bring it to the newest version; backup and restore."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from workbench.domain.errors import BackupRefused
from workbench.domain.record import Salvaged
from workbench.storage.backup import copy_database, copy_files, copy_folder, exchange, put_back
from workbench.storage.cipher import create_encrypted, open_encrypted
from workbench.storage.database import Database
from workbench.storage.folder import DataFolder, remove_database
from workbench.storage.history import SqlCipherHistory
from workbench.storage.migrations import MIGRATIONS, Migration, is_newest, migrate
from workbench.storage.rescue import rescue
from workbench.storage.unlocking import UnlockedStore, Unlocker
from workbench.storage.writer import WriterLock

Now = Callable[[], str]


class HistoryFolder:
    """The history of one data folder, for whoever has its key.

    `unlocker_for` gives the unlocker of any folder, so that a backup can be tried before it replaces anything.
    """

    def __init__(self, unlocker_for: Callable[[DataFolder], Unlocker], folder: DataFolder, now: Now) -> None:
        self._unlocker_for, self._folder, self._now = unlocker_for, folder, now
        self._unlocker = unlocker_for(folder)

    async def open(self, *, writable: bool) -> SqlCipherHistory:
        """The history, ready to use; one writer at a time, any number of readers."""
        return await asyncio.to_thread(open_history, self._unlocker, writable, self._now)

    async def backup(self, target: str) -> None:
        """A folder with everything in it, made while the history may be in use."""
        await asyncio.to_thread(self._backup, DataFolder(Path(target)))

    async def restore(self, source: str) -> str:
        """Put a backup in place of the history; returns where the old one went."""
        return await asyncio.to_thread(self._restore, DataFolder(Path(source)))

    async def salvage(self) -> Salvaged:
        """Replace a damaged history by what can be read of it."""
        return await asyncio.to_thread(self._salvage)

    def _backup(self, target: DataFolder) -> None:
        with self._unlocker.unlock_existing() as unlocked:
            connection = unlocked.connect()
            try:
                copy_folder(connection, self._folder, target, unlocked.data_key.key)
            finally:
                connection.close()

    def _restore(self, source: DataFolder) -> str:
        if not (source.store.is_file() and source.keys.is_file()):
            raise BackupRefused(str(source.path), "it does not hold a history and its keys")
        self._folder.make()
        tried = DataFolder(self._folder.path / f"restoring-{self._stamp()}")
        aside = self._aside()
        try:
            copy_files(source, tried)
            self._try(tried)
            with self._unlocker.alone():
                put_back(tried, self._folder, aside)
        finally:
            shutil.rmtree(tried.path, ignore_errors=True)
        return str(aside)

    def _try(self, copy: DataFolder) -> None:
        """Refuse a backup that does not open, or of which a page is damaged."""
        with self._unlocker_for(copy).unlock_existing() as unlocked:
            connection = unlocked.connect()
            try:
                if damaged := connection.execute("PRAGMA cipher_integrity_check").fetchall():
                    raise BackupRefused(str(copy.path), f"{len(damaged)} of its pages are damaged")
            finally:
                connection.close()

    def _salvage(self) -> Salvaged:
        with self._unlocker.unlock_existing() as unlocked:
            data_key = unlocked.data_key
        new = self._folder.store.with_name(f"{self._folder.store.name}.salvaged")
        aside = self._aside()
        with self._unlocker.alone():
            remove_database(new)
            create_encrypted(new, data_key.key, data_key.identity)
            database = Database(lambda: open_encrypted(new, data_key.key, data_key.identity))
            migrate(database, lambda version: None)
            rescued = rescue(
                lambda: open_encrypted(self._folder.store, data_key.key, data_key.identity), database
            )
            database.settle()
            database.close()
            exchange(new, self._folder, aside)
        return Salvaged(rescued.messages, str(aside))

    def _aside(self) -> Path:
        return self._folder.path / f"replaced-{self._stamp()}"

    def _stamp(self) -> str:
        return self._now().replace(":", "").replace(".", "")


def open_history(
    unlocker: Unlocker, writable: bool, now: Now, steps: Sequence[Migration] = MIGRATIONS
) -> SqlCipherHistory:
    """Open the store of a folder; everything that touches the database happens on its one thread."""
    unlocked = unlocker.unlock()
    writer: WriterLock | None = None
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
    database = Database(unlocked.connect, writable)
    try:
        current = thread.submit(is_newest, database, steps).result()
        if writable or not current:
            writer = WriterLock(unlocked.path.parent, now())
            thread.submit(_migrate, database, unlocked, steps).result()
        if writer is not None and not writable:
            # A reader had to bring the store up to date; from here on it only reads.
            writer.close()
    except BaseException:
        # Left open, the file could not be put under another key by who tries again.
        thread.submit(database.close).result()
        thread.shutdown()
        _release(unlocked, writer)
        raise
    return SqlCipherHistory(database, thread, lambda: _release(unlocked, writer))


def _migrate(database: Database, unlocked: UnlockedStore, steps: Sequence[Migration]) -> None:
    def keep_copy(version: int) -> None:
        source: Any = unlocked.connect()
        try:
            target = unlocked.path.with_name(f"{unlocked.path.name}.version-{version}")
            copy_database(source, target, unlocked.data_key.key)
        finally:
            source.close()

    migrate(database, keep_copy, steps)


def _release(unlocked: UnlockedStore, writer: WriterLock | None) -> None:
    if writer is not None:
        writer.close()
    unlocked.close()
