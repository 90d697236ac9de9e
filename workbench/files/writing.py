"""Writing a file so that it is there whole or not at all: a new one beside it, on the disk, then renamed."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO

from workbench.domain.translation import tr
from workbench.files.folders import Barred, Folder

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_NEW_FILE_MODE = 0o666


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file so that after a kill or a power cut it is either the old one or the new one, entirely."""
    temporary = temporary_name(path)
    # A leftover may have been opened up to others, and O_CREAT would keep its mode.
    temporary.unlink(missing_ok=True)
    with create_private(temporary) as stream:
        stream.write(content)
        sync_stream(stream)
    temporary.replace(path)
    sync_folder(path.parent)


def write_named(path: Path, content: bytes) -> None:
    """Replace a person's own file, whole or not at all: its mode stays, and so does a link that leads to it."""
    path = path.resolve()
    there = path.exists()
    if there and not path.is_file():
        path.write_bytes(content)  # a pipe or a device; a folder refuses
        return
    if there and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as stream:
            stream.write(content)
            sync_stream(stream)
        if there:
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def temporary_name(path: Path) -> Path:
    """Where a file is written before it replaces the other."""
    return path.with_name(path.name + ".tmp")


def create_private(path: Path) -> IO[bytes]:
    """A new file that only its owner may read; fails where there is something already."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return open(os.open(path, flags, FILE_MODE), "wb")


def append_private(path: Path) -> IO[bytes]:
    """A file to write more into, or a new one that only its owner may read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    return open(os.open(path, flags, FILE_MODE), "ab")


def sync_stream(stream: IO[bytes]) -> None:
    """What was written to an open file is on the disk when this returns."""
    stream.flush()
    os.fsync(stream.fileno())


def sync_file(path: Path) -> None:
    """What was written to the file is on the disk when this returns."""
    with open(path, "r+b") as stream:
        os.fsync(stream.fileno())


def sync_folder(path: Path) -> None:
    """New, renamed and removed names are on the disk when this returns; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@dataclass(frozen=True, slots=True)
class FileState:
    """A file; a mode of None is whatever new files get, a time of None whatever it is now."""

    content: bytes
    mode: int | None = None
    modified_ns: int | None = None


def write_in(folder: Folder, name: str, wanted: FileState, replaces: os.stat_result | None) -> FileState:
    """Put a file in its place; what it replaces must still be what was looked at. Returns what is there now."""
    temporary, descriptor = _create_beside(folder, wanted.mode)
    try:
        try:
            _fill(descriptor, wanted, replaces)
            mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
        finally:
            os.close(descriptor)
        if replaces is None:
            folder.move(temporary, folder, name)
        else:
            now = folder.look(name)
            if now is None or identity(now) != identity(replaces):
                raise Barred(
                    tr("{name} was changed by another program just now; nothing was done.", name=name)
                )
            folder.replace(name, by=temporary)
    except BaseException:
        with suppress(FileNotFoundError):
            folder.remove_file(temporary)
        raise
    folder.sync()
    return FileState(wanted.content, mode)


def _create_beside(folder: Folder, mode: int | None) -> tuple[str, int]:
    """A name nobody has yet; who may read the file is settled before anything is written into it."""
    for number in count():
        name = f".workbench-{os.getpid()}-{number}.tmp"
        with suppress(FileExistsError):
            return name, folder.create_file(name, _NEW_FILE_MODE if mode is None else FILE_MODE)
    raise AssertionError("count() does not end")


def _fill(descriptor: int, wanted: FileState, replaces: os.stat_result | None) -> None:
    left = memoryview(wanted.content)
    while left:
        left = left[os.write(descriptor, left) :]
    if sys.platform != "win32":
        if replaces is not None:
            # Only an administrator may give a file away; for everybody else the owner is the same anyway.
            with suppress(OSError):
                os.fchown(descriptor, replaces.st_uid, replaces.st_gid)
        if wanted.mode is not None:
            os.fchmod(descriptor, wanted.mode)
        if wanted.modified_ns is not None:
            os.utime(descriptor, ns=(wanted.modified_ns, wanted.modified_ns))
    os.fsync(descriptor)


def identity(status: os.stat_result) -> tuple[int, int, int, int]:
    """What tells one content of one file from another without reading it."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
