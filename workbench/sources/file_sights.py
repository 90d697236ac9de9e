"""A look at a file that was attached: is it still as it was kept? Only what was written since is read."""

from __future__ import annotations

import hashlib
import os
import stat

from workbench.domain.attached import FileSight, KeptCopy
from workbench.sources.attached_file import written_utc

_PIECE_BYTES = 1024 * 1024
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def look_at(copy: KeptCopy, last: FileSight | None) -> FileSight:
    """What became of the file since it was kept; nothing is raised, whatever lies there now."""
    try:
        status = os.stat(copy.key)
        if not stat.S_ISREG(status.st_mode):
            return FileSight("unreadable")
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if last is not None and last.stamp == stamp:
            return last
        # The times say only that it may differ: what is written anew with the same content is the same.
        same = status.st_size == copy.size_bytes and _digest(copy.key, copy.size_bytes) == copy.sha256
    except (FileNotFoundError, NotADirectoryError):
        return FileSight("gone")
    except (OSError, ValueError):
        return FileSight("unreadable")
    return FileSight("same", "", stamp) if same else FileSight("changed", written_utc(status), stamp)


def _digest(path: str, size_bytes: int) -> str:
    """The digest of as much as was kept, and of one byte more where it has grown meanwhile."""
    made = hashlib.sha256()
    left = size_bytes + 1
    descriptor = os.open(path, _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is no regular file any more")
        while left and (piece := os.read(descriptor, min(left, _PIECE_BYTES))):
            made.update(piece)
            left -= len(piece)
    finally:
        os.close(descriptor)
    return made.hexdigest()
