"""Opening a file that somebody named: the one way it is done, whoever wants to read it.

A path that a person picked or typed may lead through links, since they chose it; below a folder that is held open no
link is followed. Only regular files are opened, and nothing waits: a pipe must not hold the program up.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.domain.translation import tr
from workbench.files.folders import Folder

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
PIECE_BYTES = 1024 * 1024


class NotRegular(OSError):
    """There is something by that name, and it is no regular file; `mode` says what."""

    def __init__(self, mode: int) -> None:
        super().__init__(tr("it is not a regular file"))
        self.mode = mode


def broken_link(path: Path) -> Path | None:
    """The link on the way to a file that leads nowhere; None where the file is simply not there."""
    whole = path.absolute()
    return next((one for one in (whole, *whole.parents) if one.is_symlink() and not one.exists()), None)


@dataclass(frozen=True, slots=True)
class UserFile:
    """A file that is open for reading, and what the system says about it."""

    descriptor: int
    status: os.stat_result

    def pieces(self, most_bytes: int) -> Iterator[bytes]:
        """Its bytes from where reading stands, at most so many."""
        left = most_bytes
        while left > 0 and (piece := os.read(self.descriptor, min(left, PIECE_BYTES))):
            left -= len(piece)
            yield piece

    def read(self, most_bytes: int) -> bytes:
        """At most so many bytes from where reading stands."""
        return b"".join(self.pieces(most_bytes))

    def seekable(self) -> io.BufferedReader:
        """The file for a reader that jumps about in it; it is open as long as the file is."""
        return io.BufferedReader(io.FileIO(self.descriptor, closefd=False))


@contextmanager
def user_file(name: str, folder: Folder | None = None) -> Iterator[UserFile]:
    """A regular file by its path, or by its name in a folder that is held open; `OSError` where there is none."""
    if folder is None:
        # Looked at before it is opened: opening a device may already do something.
        _check(os.stat(name))
    descriptor = os.open(name, _FLAGS) if folder is None else folder.open_file(name)
    try:
        status = os.fstat(descriptor)
        _check(status)
        yield UserFile(descriptor, status)
    finally:
        os.close(descriptor)


@contextmanager
def user_file_below(folder: Folder, steps: Sequence[str]) -> Iterator[UserFile]:
    """A regular file by the names that lead to it from a folder; `OSError` where one of them is a link."""
    if len(steps) == 1:
        with user_file(steps[0], folder) as opened:
            yield opened
        return
    with closing(folder.enter(steps[0])) as inner, user_file_below(inner, steps[1:]) as opened:
        yield opened


def is_below(folder: Folder, steps: Sequence[str]) -> bool:
    """Whether there is anything at the end of the names that lead to it, a link on the way included."""
    try:
        found = folder.look(steps[0])
        if found is None or len(steps) == 1 or stat.S_ISLNK(found.st_mode):
            return found is not None
        with closing(folder.enter(steps[0])) as inner:
            return is_below(inner, steps[1:])
    except (OSError, ValueError):
        return False


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(status.st_mode)
