"""Writing a file so that it is there whole or not at all: a new file beside it, on the disk, then renamed."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from itertools import count

from workbench.tools.workspace.folders import Folder
from workbench.tools.workspace.refusals import Refused
from workbench.tools.workspace.states import FileState

_NEW_FILE_MODE = 0o666
_PRIVATE_MODE = 0o600


def write_file(folder: Folder, name: str, wanted: FileState, replaces: os.stat_result | None) -> FileState:
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
                raise Refused(f"{name} was changed by somebody else just now; nothing was done.")
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
            return name, folder.create_file(name, _NEW_FILE_MODE if mode is None else _PRIVATE_MODE)
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
