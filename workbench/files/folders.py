"""An open folder: everything in it is reached by name from its own handle, never by a whole path."""

from __future__ import annotations

import errno
import os
import stat
from typing import Protocol, Self

from workbench.domain.translation import tr

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | _NO_LINKS | getattr(os, "O_DIRECTORY", 0)
_LINK_IN_THE_WAY = {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.EACCES}


class Barred(OSError):
    """Nothing was done, because something is a link or not what was looked at; the text says which."""


class Folder(Protocol):
    """What is done in a folder; names are single names, links are never followed."""

    def enter(self, name: str) -> Folder:
        """A folder in this one."""

    def look(self, name: str) -> os.stat_result | None:
        """What there is by that name; None where there is nothing."""

    def names(self) -> list[str]:
        """Everything in it, in a fixed order."""

    def open_file(self, name: str) -> int:
        """A file, for reading, by its descriptor."""

    def create_file(self, name: str, mode: int) -> int:
        """A new file, for writing, by its descriptor; fails where there is something already."""

    def make_folder(self, name: str, mode: int) -> None:
        """A new folder in this one."""

    def set_mode(self, mode: int) -> None:
        """Who may use this folder."""

    def replace(self, name: str, by: str) -> None:
        """Let one file take the place of another, in one step."""

    def move(self, name: str, to: Self, new_name: str) -> None:
        """Move something to where nothing is; fails where there is something."""

    def remove_file(self, name: str) -> None:
        """Remove a file."""

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""

    def sync(self) -> None:
        """Have the names on the disk."""

    def close(self) -> None:
        """Let go of it."""


class DirectoryFolder:
    """A folder held open by a descriptor: swapping a folder for a link behind our back cannot lead outside."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def at(cls, root: str) -> Self:
        """The folder that was named, which may be reached through links: its owner chose it."""
        return cls(os.open(root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)))

    def enter(self, name: str) -> DirectoryFolder:
        """A folder in this one; a link to a folder is refused."""
        try:
            return DirectoryFolder(os.open(name, _FOLDER, dir_fd=self._descriptor))
        except OSError as error:
            if error.errno in _LINK_IN_THE_WAY:
                raise Barred(
                    tr("{name} is not a folder, or only a link to one; links are not followed.", name=name)
                ) from None
            raise

    def look(self, name: str) -> os.stat_result | None:
        """What there is by that name; a link is looked at itself."""
        try:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """Everything in it, in the order of the names."""
        return sorted(os.listdir(self._descriptor))

    def open_file(self, name: str) -> int:
        """A file by its descriptor; a link is refused, a pipe does not block."""
        return os.open(name, os.O_RDONLY | _NO_LINKS, dir_fd=self._descriptor)

    def create_file(self, name: str, mode: int) -> int:
        """A new file by its descriptor."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS
        return os.open(name, flags, mode, dir_fd=self._descriptor)

    def make_folder(self, name: str, mode: int) -> None:
        """A new folder in this one."""
        os.mkdir(name, mode, dir_fd=self._descriptor)

    def set_mode(self, mode: int) -> None:
        """Who may use this folder."""
        os.chmod(self._descriptor, mode)

    def replace(self, name: str, by: str) -> None:
        """Let one file take the place of another, in one step."""
        os.rename(by, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def move(self, name: str, to: DirectoryFolder, new_name: str) -> None:
        """Move something to where nothing is."""
        here, there = self._descriptor, to._descriptor
        found = self.look(name)
        if found is not None and stat.S_ISREG(found.st_mode) and self._linked(name, to, new_name):
            os.unlink(name, dir_fd=here)
            return
        if to.look(new_name) is not None:
            raise FileExistsError(errno.EEXIST, tr("something is there already"))
        os.rename(name, new_name, src_dir_fd=here, dst_dir_fd=there)

    def _linked(self, name: str, to: DirectoryFolder, new_name: str) -> bool:
        """Only a second name fails where there is something already; renaming would overwrite it."""
        if not (os.link in os.supports_dir_fd and os.link in os.supports_follow_symlinks):
            return False
        ends = {"src_dir_fd": self._descriptor, "dst_dir_fd": to._descriptor}
        try:
            os.link(name, new_name, **ends, follow_symlinks=False)
        except OSError as error:
            if error.errno in _NO_HARD_LINKS:
                return False
            raise
        return True

    def remove_file(self, name: str) -> None:
        os.unlink(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=self._descriptor)

    def sync(self) -> None:
        """Have the names on the disk."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Let go of the descriptor."""
        os.close(self._descriptor)
