"""Opens the history: unlock it, lock it for writing, migrate it; also backup and restore."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from workbench.domain.errors import BackupRefused, ForeignDatabase, StoreFull, StoreInUse
from workbench.domain.record import Salvaged
from workbench.domain.translation import tr
from workbench.storage.chats import messages, turns
from workbench.storage.database.cipher import (
    DOES_NOT_OPEN,
    create_encrypted,
    open_encrypted,
    refuse_what_is_no_store,
)
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import MIGRATIONS, Migration, is_newest, migrate
from workbench.storage.database.pages import Pages
from workbench.storage.database.writer_lock import WriterLock, beside_writer, nobody_beside
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder, remove_database
from workbench.storage.history import SqlCipherHistory
from workbench.storage.keys.protectors import DataKey
from workbench.storage.keys.unlocking import UnlockedStore, Unlocker
from workbench.storage.scratch import ScratchHistory
from workbench.storage.upkeep.rescue import Rescued, rescue
from workbench.storage.upkeep.upkeep import (
    copy_database,
    copy_file,
    copy_files,
    copy_folder,
    put_back,
    swap_database,
)

P = ParamSpec("P")
T = TypeVar("T")
Now = Callable[[], str]
Place = Literal["first", "any", "beside"]
"""Where a program writes: as the one that holds the lock, there or beside it, or always beside it."""


class HistoryFolder:
    """The history of one data folder, for the holder of its key.

    `unlocker_for` gives the unlocker of any folder, so that a backup can be tried before it replaces anything.
    """

    def __init__(self, unlocker_for: Callable[[DataFolder], Unlocker], folder: DataFolder, now: Now) -> None:
        self._unlocker_for, self._folder, self._now = unlocker_for, folder, now
        self._unlocker = unlocker_for(folder)

    async def open(self, *, writable: bool, beside: bool = False, yielding: bool = False) -> SqlCipherHistory:
        """Open the history; readers do not create one.

        One program at a time has it to write; `beside` it others may write as well, each in whole transactions. Who
        is `yielding` leaves the first place free.
        """
        unlock = self._unlocker.unlock if writable else self._unlocker.unlock_existing
        unlocked = await self._unlock_in_thread(unlock)
        place: Place = "beside" if yielding else "any" if beside else "first"
        return await asyncio.to_thread(open_unlocked, unlocked, writable, self._now, place=place)

    async def keep(self, scratch: ScratchHistory, store: SqlCipherHistory) -> None:
        """Turn a scratch history into this folder's own; whoever has it open as `store` continues in it.

        The key of the scratch becomes that of the folder, whose unlocker was made for it. Where something fails, the
        folder is as empty as before.
        """
        await self._unlock_in_thread(self._unlocker.make_keys)
        self._unlocker.require_unchanged(scratch.data_key)  # else somebody was quicker, and it is theirs
        try:
            await store.move(lambda: self._moved_from(scratch.path))
        except BaseException as problem:
            self._folder.keys.unlink(missing_ok=True)
            remove_database(self._folder.store)
            if isinstance(problem, OSError):
                raise StoreFull(problem.strerror or type(problem).__name__) from None
            raise

    def _moved_from(self, path: Path) -> tuple[Database, Callable[[], None]]:
        with self._unlocker.alone():
            moving = self._folder.store.with_name(f"{self._folder.store.name}.moving")
            try:
                copy_file(path, moving)
                moving.replace(self._folder.store)
            finally:
                remove_database(moving)
        unlocked = self._unlocker.unlock_existing()
        try:
            writer = WriterLock(self._folder.path, self._now())
        except BaseException:
            unlocked.close()
            raise
        return Database(unlocked.connect), lambda: _release(unlocked, writer)

    async def copied(self) -> SqlCipherHistory:
        """A temporary copy to try something on, deleted when it is closed."""
        unlocked = await self._unlock_in_thread(self._unlocker.unlock_existing)
        return await asyncio.to_thread(_open_copy, unlocked)

    async def backup(self, target: str) -> None:
        """Back up everything to a folder, even while the history is in use."""
        with (
            await self._unlock_in_thread(self._unlocker.unlock_existing) as unlocked,
            _readable_os_errors(target),
        ):
            await asyncio.to_thread(self._backup, unlocked, DataFolder(Path(target)))

    async def restore(self, source: str) -> str:
        """Replace the history by a backup; returns where the old one was moved."""
        with _readable_os_errors(source):
            return await self._unlock_in_thread(self._restore, DataFolder(Path(source)))

    def older_copies(self) -> tuple[str, ...]:
        """Paths of earlier states of the history."""
        store = self._folder.store.name
        found = [
            path for name in (f"{store}.version-*", "replaced-*") for path in self._folder.path.glob(name)
        ]
        return tuple(str(path) for path in sorted(found))

    async def salvage(self, agree: Callable[[Salvaged], bool]) -> Salvaged:
        """Replace a damaged history by what is readable; if something is lost, only if `agree` returns True."""
        with await self._unlock_in_thread(self._unlocker.unlock_existing) as unlocked:
            data_key = unlocked.data_key
        return await self._unlock_in_thread(self._salvage, data_key, agree)

    async def _unlock_in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run unlocking work in a thread, unless it may prompt and prompts work only in this one."""
        if self._unlocker.people.ask_here:
            return work(*args, **kwargs)
        return await asyncio.to_thread(work, *args, **kwargs)

    def _backup(self, unlocked: UnlockedStore, target: DataFolder) -> None:
        connection = unlocked.connect()
        try:
            copy_folder(connection, self._folder, target, unlocked.data_key.key)
        finally:
            connection.close()

    def _restore(self, source: DataFolder) -> str:
        if not (source.store.is_file() and source.keys.is_file()):
            raise BackupRefused(str(source.path), tr("it does not hold a history and its keys"))
        self._folder.make()
        tried = DataFolder(self._folder.path / f"restoring-{self._stamp()}")
        aside = self._aside()
        try:
            copy_files(source, tried)
            self._check_backup(tried, source)
            with self._unlocker.alone():
                put_back(tried, self._folder, aside)
        finally:
            shutil.rmtree(tried.path, ignore_errors=True)
        return str(aside)

    def _check_backup(self, copy: DataFolder, source: DataFolder) -> None:
        """Refuse a backup that does not open or has a damaged page."""
        with self._unlocker_for(copy).unlock_existing() as unlocked:
            connection = unlocked.connect()
            try:
                if damaged := connection.execute("PRAGMA cipher_integrity_check").fetchall():
                    raise BackupRefused(str(source.path), tr("{n} of its pages are damaged", n=len(damaged)))
            finally:
                connection.close()

    def _salvage(self, data_key: DataKey, agree: Callable[[Salvaged], bool]) -> Salvaged:
        store = self._folder.store
        new, aside = store.with_name(f"{store.name}.salvaged"), self._aside()
        with self._unlocker.alone():
            self._unlocker.require_unchanged(data_key)
            refuse_what_is_no_store(store)
            try:
                found = _rescue(store, new, data_key)
                saved = Salvaged(found.messages, "", found.unreadable, found.texts_lost, found.complete)
                if not saved.complete and not agree(saved):
                    return saved
                swap_database(new, self._folder, aside)
            finally:
                remove_database(new)
        return replace(saved, aside=str(aside))

    def _aside(self) -> Path:
        return self._folder.path / f"replaced-{self._stamp()}"

    def _stamp(self) -> str:
        return self._now().replace(":", "").replace(".", "")


def _rescue(damaged: Path, new: Path, data_key: DataKey) -> Rescued:
    """Salvage a damaged store into a new single file."""
    remove_database(new)
    create_encrypted(new, data_key.key, data_key.identity)
    database = Database(lambda: open_encrypted(new, data_key.key, data_key.identity))
    try:
        migrate(database, lambda version: None)
        with Pages(damaged, data_key.key) as pages:
            rescued = rescue(pages, database)
        if not pages.proven and not rescued.rows["content"]:
            # Not one page is what the key would make of it: there is nothing of this store.
            raise ForeignDatabase(str(damaged), DOES_NOT_OPEN)
        database.settle()
    finally:
        database.close()
    return rescued


@contextmanager
def _readable_os_errors(where: str) -> Iterator[None]:
    """Convert OS errors into messages for a person."""
    try:
        yield
    except OSError as problem:
        raise BackupRefused(where, problem.strerror or type(problem).__name__) from None


def open_unlocked(
    unlocked: UnlockedStore,
    writable: bool,
    now: Now,
    steps: Sequence[Migration] = MIGRATIONS,
    place: Place = "first",
) -> SqlCipherHistory:
    """Open a store whose key is known; only its own thread touches the database."""
    writer: WriterLock | FileLock | None = None
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
    database = Database(unlocked.connect, writable)
    try:
        current = thread.submit(is_newest, database, steps).result()
        if writable or not current:
            writer = _lock_for_writing(unlocked.path.parent, now(), place != "first" and current)
        if isinstance(writer, WriterLock):
            thread.submit(_migrate, unlocked, steps).result()
            if writable and nobody_beside(unlocked.path.parent):
                thread.submit(_interrupt_running, database).result()
        if place == "beside" and isinstance(writer, WriterLock):
            # Whoever comes may have the first place.
            first, writer = writer, beside_writer(unlocked.path.parent)
            first.close()
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


def _open_copy(unlocked: UnlockedStore) -> SqlCipherHistory:
    """A copy of the store in a temporary folder, deleted when it is closed."""
    place = tempfile.TemporaryDirectory(prefix="workbench-")
    copy, data_key = Path(place.name) / unlocked.path.name, unlocked.data_key
    with unlocked:
        source: Any = unlocked.connect()
        try:
            copy_database(source, copy, data_key.key)
        finally:
            source.close()
    database = Database(lambda: open_encrypted(copy, data_key.key, data_key.identity))
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
    thread.submit(migrate, database, lambda version: None).result()
    return SqlCipherHistory(database, thread, place.cleanup)


def _lock_for_writing(folder: Path, now_utc: str, beside: bool) -> WriterLock | FileLock:
    """The write lock: exclusive, or shared beside its holder if it is taken."""
    try:
        return WriterLock(folder, now_utc)
    except StoreInUse:
        if not beside:
            raise
        return beside_writer(folder)


def _migrate(unlocked: UnlockedStore, steps: Sequence[Migration]) -> None:
    def keep_copy(version: int) -> None:
        source: Any = unlocked.connect()
        try:
            target = unlocked.path.with_name(f"{unlocked.path.name}.version-{version}")
            copy_database(source, target, unlocked.data_key.key)
        finally:
            source.close()

    database = Database(unlocked.connect)
    try:
        migrate(database, keep_copy, steps)
    finally:
        database.close()


def _interrupt_running(database: Database) -> None:
    """Mark running turns as interrupted: a killed writer left them behind."""
    with database.transaction() as connection:
        messages.interrupt_running(connection)
        turns.interrupt_running(connection)


def _release(unlocked: UnlockedStore, writer: WriterLock | FileLock | None) -> None:
    if writer is not None:
        writer.close()
    unlocked.close()
