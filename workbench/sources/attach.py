"""Reading what a user attaches: any path, but only a regular file of a bearable size that is text or a picture."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.attached import (
    MOST_ATTACHED_BYTES,
    Attached,
    AttachLimits,
    CannotAttach,
    FileSight,
    FolderRead,
    KeptCopy,
)
from workbench.domain.folder import FileText, FolderEntry, FolderRules
from workbench.sources.attached_file import attached_file, written_utc
from workbench.sources.attached_folder import open_walk, read_chosen, read_folder
from workbench.sources.folder_walk import FolderWalk
from workbench.sources.naming import Naming

# A look at a file that was attached: is it still as it was kept? Only what was written since is read.


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
        bearable = status.st_size <= max(copy.size_bytes, MOST_ATTACHED_BYTES)
        digest = _digest(copy.key, status.st_size) if bearable else ""
    except (FileNotFoundError, NotADirectoryError):
        return FileSight("gone")
    except (OSError, ValueError):
        return FileSight("unreadable")
    if digest == copy.sha256:
        return FileSight("same", "", stamp, digest)
    return FileSight("changed", written_utc(status), stamp, digest)


def _digest(path: str, size_bytes: int) -> str:
    """The digest of as much as there was, and of one byte more where it has grown meanwhile."""
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


_PIECE_BYTES = 1024 * 1024
# A pipe must not hold the program up: it is opened without waiting, and refused afterwards.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OTHER_KINDS = (
    (stat.S_ISDIR, "it is a folder", "Attach the files in it."),
    (stat.S_ISFIFO, "it is a pipe, not a file", "Write what comes out of it into a file first."),
    (stat.S_ISSOCK, "it is a socket, not a file", "Attach a file."),
)


@dataclass(frozen=True, slots=True)
class ThreadedScan:
    """A walk whose every moment is spent in a thread → FolderScan."""

    walk: FolderWalk

    async def more(self) -> tuple[FolderEntry, ...]:
        """The next entries."""
        return await asyncio.to_thread(self.walk.more)

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """What files hold."""
        return await asyncio.to_thread(self.walk.texts, paths)

    async def close(self) -> None:
        """Let go of the folder."""
        await asyncio.to_thread(self.walk.close)


@dataclass(frozen=True, slots=True)
class FileAttachments:
    """Files by their paths → AttachmentReader; each call works in a thread."""

    limits: Callable[[], AttachLimits] = AttachLimits
    naming: Naming = field(default_factory=Naming)

    async def read(self, path: str) -> Attached:
        """The file as it is now."""
        return await asyncio.to_thread(self._read, path)

    async def read_folder(self, path: str) -> FolderRead | None:
        """The text files in a folder; None where it is no folder."""
        return await asyncio.to_thread(read_folder, path, self.limits(), self.naming)

    async def read_chosen(self, folder: str, paths: Sequence[str]) -> FolderRead:
        """Files that were chosen in a folder."""
        return await asyncio.to_thread(read_chosen, folder, paths, self.limits(), self.naming)

    async def scan(self, path: str, rules: FolderRules) -> ThreadedScan | None:
        """A way through a folder."""
        walk = await asyncio.to_thread(open_walk, path, rules, self.limits())
        return None if walk is None else ThreadedScan(walk)

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """What became of files since they were kept."""
        return await asyncio.to_thread(lambda: tuple(look_at(copy, last) for copy, last in copies))

    def _read(self, path: str) -> Attached:
        return replace(attached_file(path, *self._content(path)), names=self.naming.names(path))

    def _content(self, path: str) -> tuple[bytes, os.stat_result]:
        try:
            # Looked at before it is opened: opening a device may already do something.
            _check_kind(path, os.stat(path))
            descriptor = os.open(path, _FLAGS)
            try:
                status = os.fstat(descriptor)
                _check_kind(path, status)
                return self._all_of(descriptor, path, status), status
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            raise CannotAttach(path, "there is no such file", "Check the path.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "the path cannot be used"
            raise CannotAttach(path, str(reason).lower(), "Check the file and its permissions.") from None

    def _all_of(self, descriptor: int, path: str, status: os.stat_result) -> bytes:
        most_bytes = self.limits().file_bytes
        too_large = CannotAttach(
            path,
            f"it has {status.st_size:,} bytes, and the limit is {most_bytes:,}",
            "Attach a smaller part of it, or allow more in Settings, Chat.",
        )
        if status.st_size > most_bytes:
            raise too_large
        content = b""
        while piece := os.read(descriptor, _PIECE_BYTES):
            content += piece
            if len(content) > most_bytes:
                raise too_large
        return content


def _check_kind(path: str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    for is_kind, reason, advice in _OTHER_KINDS:
        if is_kind(status.st_mode):
            raise CannotAttach(path, reason, advice)
    raise CannotAttach(path, "it is a device, not a file", "Attach a file.")
