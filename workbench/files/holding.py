"""Holding a folder open while it is used, and reading a file below it: by handles where the system has them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import closing

from workbench.files.checked_folders import CheckedFolder
from workbench.files.folders import DirectoryFolder, Folder

HAS_FOLDER_HANDLES = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd


def open_folder(path: str) -> Folder:
    """A folder that somebody named, which may be reached through links; `OSError` where it is none."""
    return DirectoryFolder.at(path) if HAS_FOLDER_HANDLES else CheckedFolder.at(path)


def open_below(folder: Folder, steps: Sequence[str]) -> int:
    """A file by the names that lead to it, for reading; `OSError` where one of them is a link."""
    if len(steps) == 1:
        return folder.open_file(steps[0])
    with closing(folder.enter(steps[0])) as inner:
        return open_below(inner, steps[1:])


def read_regular(descriptor: int, most_bytes: int) -> tuple[bytes, os.stat_result]:
    """The bytes of an open file, at most one more than allowed, and what it is; closes it. Else `ValueError`."""
    with open(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a regular file")
        return stream.read(most_bytes + 1), status
