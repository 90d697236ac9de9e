"""A lock between processes, released when its holder ends in any way."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from workbench.domain.errors import StoreFull, StoreInUse
from workbench.files.writing import FILE_MODE

if sys.platform == "win32":
    import msvcrt

    _SLOTS = 64

    def _take(file: int, alone: bool) -> bool:
        # Windows offers no shared lock here: who shares takes one of 64 bytes, who wants it alone takes all.
        for slot in [0] if alone else range(_SLOTS):
            os.lseek(file, slot, os.SEEK_SET)
            try:
                msvcrt.locking(file, msvcrt.LK_NBLCK, _SLOTS if alone else 1)
            except OSError:
                continue
            return True
        return False
else:
    import fcntl

    def _take(file: int, alone: bool) -> bool:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


def _open(path: Path, alone: bool) -> int | None:
    """Open the lock's file; None if it is missing and cannot be created: then nobody holds it, and it is shared."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
    except OSError as problem:
        if not alone and problem.errno in _READ_ONLY:
            with suppress(FileNotFoundError):
                return os.open(path, os.O_RDONLY)
            return None
        raise StoreFull(f"{path}: {problem.strerror or type(problem).__name__}") from None


class FileLock:
    """An acquired lock, released by `close` or at the end of the process."""

    def __init__(self, path: Path, *, alone: bool, advice: str) -> None:
        self._file: int | None = _open(path, alone)
        if self._file is not None and not _take(self._file, alone):
            self.close()
            raise StoreInUse(str(path.parent), advice)

    def close(self) -> None:
        """Release the lock; a second call does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
