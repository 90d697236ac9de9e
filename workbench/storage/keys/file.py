"""The key file, `keys.json`: read strictly, replaced whole, never overwritten when it cannot be understood."""

from __future__ import annotations

import os
from collections.abc import Callable

from workbench.domain.errors import DamagedKeyFile, FutureVersion, NoKeysYet, StoreFull, StoreInUse
from workbench.files.writing import sync_folder, temporary_name, write_whole
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.record import KeyRecord, write_record
from workbench.storage.keys.record_reading import MOST_BYTES, FromTheFuture, Unreadable, read_record


class KeyFile:
    """The key file of one data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder

    def exists(self) -> bool:
        """Whether this folder has keys; where only remains of some are found, that is an error."""
        folder = self._folder
        if folder.keys.exists():
            return True
        if folder.kept_keys.exists():
            raise DamagedKeyFile(str(folder.keys), "it is missing", str(folder.kept_keys))
        if folder.store.exists():
            raise DamagedKeyFile(str(folder.keys), f"it is missing, though {folder.store.name} is there")
        return False

    def read(self) -> KeyRecord:
        if not self.exists():
            raise NoKeysYet(str(self._folder.path))
        path = self._folder.keys
        try:
            with open(path, "rb") as stream:
                return read_record(stream.read(MOST_BYTES + 1))
        except FromTheFuture as version:
            raise FutureVersion(str(path), str(version)) from None
        except Unreadable as reason:
            raise self._damaged(str(reason)) from None
        except OSError as problem:
            raise self._damaged(problem.strerror or type(problem).__name__) from None

    def create(self, record: KeyRecord) -> None:
        """Write the first key file of a folder, which must not have any."""
        with self._changing():
            if self.exists():
                raise StoreInUse(str(self._folder.path), "It has just made the keys; try again.")
            self._replace(record)

    def change(self, change: Callable[[KeyRecord], KeyRecord]) -> KeyRecord:
        """Replace the file by what `change` makes of it as it is now, and return that."""
        with self._changing():
            record = change(self.read())
            self._replace(record)
            return record

    def forget_kept(self) -> None:
        """Remove remains of an interrupted change, once the present file has opened the store.

        Left there, they would let a passphrase that was given up open the store still.
        """
        remains = (self._folder.kept_keys, *map(temporary_name, (self._folder.keys, self._folder.kept_keys)))
        # In a folder that may only be read they stay, as everything does.
        if any(path.exists() for path in remains) and os.access(self._folder.path, os.W_OK):
            with self._changing():
                for path in remains:
                    path.unlink(missing_ok=True)

    def _replace(self, record: KeyRecord) -> None:
        folder = self._folder
        try:
            if folder.keys.exists():
                write_whole(folder.kept_keys, folder.keys.read_bytes())
            write_whole(folder.keys, write_record(record))
        except OSError as problem:
            raise StoreFull(problem.strerror or type(problem).__name__) from None
        if self.read() != record:
            raise self._damaged("it reads differently from what was written")
        folder.kept_keys.unlink(missing_ok=True)
        sync_folder(folder.path)

    def _changing(self) -> FileLock:
        return FileLock(
            self._folder.keys_lock, alone=True, advice="It is changing the keys; try again in a moment."
        )

    def _damaged(self, reason: str) -> DamagedKeyFile:
        kept = self._folder.kept_keys
        return DamagedKeyFile(str(self._folder.keys), reason, str(kept) if kept.exists() else None)
