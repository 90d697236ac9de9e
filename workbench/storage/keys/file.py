"""The key file, `keys.json`: read strictly, replaced whole, never overwritten when it cannot be understood."""

from __future__ import annotations

import base64
import binascii
import os
import string
from collections.abc import Callable
from pathlib import Path

from workbench.domain.errors import (
    DamagedKeyFile,
    FutureVersion,
    NoKeysYet,
    StoreFull,
    StoreInUse,
    UnusableSecret,
)
from workbench.domain.secret import Secret
from workbench.files.writing import sync_folder, temporary_name, write_whole
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.record import (
    MOST_BYTES,
    FromTheFuture,
    KeyRecord,
    Unreadable,
    read_record,
    write_record,
)

# Reads `--key-file`: at least 32 random bytes, as they are or written in hexadecimal or base64.

LEAST_BYTES = 32
MOST_RAW_BYTES = 64 * 1024
# 32 random bytes with fewer different values do not occur by chance.
LEAST_DIFFERENT = 16
_TEXT = frozenset(string.printable.encode())
_ADVICE = "Make one with `openssl rand -out FILE 32`, and keep a copy where the store is not."


def read_key_file(path: Path) -> Secret:
    """The random bytes in the file; a file of words, or of one byte repeated, is refused."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(MOST_RAW_BYTES + 1)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise UnusableSecret(f"The key file {path} cannot be read: {reason}.", _ADVICE) from None
    if len(content) > MOST_RAW_BYTES:
        raise UnusableSecret(f"The key file {path} is longer than {MOST_RAW_BYTES} bytes.", _ADVICE)
    return Secret(_checked(path, _decoded(path, content)))


def _decoded(path: Path, content: bytes) -> bytes:
    if not set(content) <= _TEXT:
        return content
    # Only line ends are left out: with the spaces removed, a sentence would be valid base64.
    text = b"".join(content.strip().splitlines())
    if len(text) % 2 == 0 and set(text) <= set(string.hexdigits.encode()):
        return bytes.fromhex(text.decode())
    try:
        return _from_base64(text)
    except binascii.Error:
        # Words would be a weak key: a key file is not stretched as a passphrase is.
        raise UnusableSecret(f"The key file {path} holds text, not random bytes.", _ADVICE) from None


def _from_base64(text: bytes) -> bytes:
    if text in (text.lower(), text.upper()):
        raise binascii.Error("random bytes give letters of both cases; this is a word")
    altchars = b"-_" if set(text) & set(b"-_") else b"+/"
    return base64.b64decode(text + b"=" * (-len(text) % 4), altchars=altchars, validate=True)


def _checked(path: Path, material: bytes) -> bytes:
    if len(material) < LEAST_BYTES:
        raise UnusableSecret(f"The key file {path} holds fewer than {LEAST_BYTES} bytes.", _ADVICE)
    if len(set(material)) < LEAST_DIFFERENT:
        raise UnusableSecret(f"The key file {path} is not random.", _ADVICE)
    return material


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
        """What the file says."""
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
