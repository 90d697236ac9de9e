"""Whether an attached file is still as it was kept; only what was written since is read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager

from workbench.domain.files.attached import AttachLimits, FileSight, KeptCopy
from workbench.files.folder_handles import open_folder
from workbench.files.reading import UserFile, user_file, user_file_below
from workbench.sources.attached_file import written_utc


def look_at(copy: KeptCopy, last: FileSight | None, limits: AttachLimits) -> FileSight:
    """What became of the file since it was kept; nothing is raised, whatever lies there now."""
    try:
        status = _status(copy)
        if not stat.S_ISREG(status.st_mode):
            return FileSight("unreadable")
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if last is not None and last.stamp == stamp:
            return last
        # The times say only that it may differ: what is written anew with the same content is the same.
        bearable = status.st_size <= max(copy.size_bytes, limits.file_bytes)
        digest = _digest(copy, status.st_size) if bearable else ""
    except (FileNotFoundError, NotADirectoryError):
        return FileSight("gone")
    except (OSError, ValueError):
        return FileSight("unreadable")
    if digest == copy.sha256:
        return FileSight("same", "", stamp, digest)
    return FileSight("changed", written_utc(status), stamp, digest)


def _status(copy: KeptCopy) -> os.stat_result:
    """What lies at a place; of what is bound to a folder, only what is reached from there without a link."""
    if not copy.bound:
        return os.stat(copy.key)
    with _opened_copy(copy) as opened:
        return opened.status


@contextmanager
def _opened_copy(copy: KeptCopy) -> Iterator[UserFile]:
    if not copy.bound:
        with user_file(copy.key) as opened:
            yield opened
        return
    steps = os.path.relpath(copy.key, copy.bound).split(os.sep)
    with closing(open_folder(copy.bound)) as folder, user_file_below(folder, steps) as opened:
        yield opened


def _digest(copy: KeptCopy, size_bytes: int) -> str:
    """The digest of as much as there was, and of one byte more where it has grown meanwhile."""
    made = hashlib.sha256()
    with _opened_copy(copy) as opened:
        for piece in opened.pieces(size_bytes + 1):
            made.update(piece)
    return made.hexdigest()
