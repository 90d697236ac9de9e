"""A folder held open while it is read: nothing in it is reached by a whole path, so no link can lead out of it."""

from __future__ import annotations

import os
from typing import Self

_BY_HANDLE = os.open in os.supports_dir_fd and os.listdir in os.supports_fd
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)


class HeldFolder:
    """One folder: by a descriptor, or where a system has none for folders, by its path.

    There a link is only seen before something is opened, not while it is.
    """

    def __init__(self, descriptor: int | None, path: str) -> None:
        self._descriptor, self._path = descriptor, path

    @classmethod
    def at(cls, path: str) -> Self:
        """The folder a person named; it may be reached through links. `OSError` where it is none."""
        if _BY_HANDLE:
            return cls(os.open(path, _READ | _FOLDER), path)
        os.listdir(path)
        return cls(None, path)

    def enter(self, name: str) -> HeldFolder:
        """A folder in this one; `OSError` where it is a link."""
        path = os.path.join(self._path, name)
        if self._descriptor is None:
            self._refuse_link(path)
            return HeldFolder(None, path)
        return HeldFolder(os.open(name, _READ | _FOLDER | _NO_LINK, dir_fd=self._descriptor), path)

    def names(self) -> list[str]:
        """Everything in it, in order."""
        return sorted(os.listdir(self._path if self._descriptor is None else self._descriptor))

    def status(self, name: str) -> os.stat_result:
        """What there is by that name; of a link, the link itself."""
        if self._descriptor is None:
            return os.lstat(os.path.join(self._path, name))
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def open_file(self, name: str) -> int:
        """A file for reading, by its descriptor; `OSError` where it is a link."""
        if self._descriptor is None:
            path = os.path.join(self._path, name)
            self._refuse_link(path)
            return os.open(path, _READ)
        return os.open(name, _READ | _NO_LINK, dir_fd=self._descriptor)

    def close(self) -> None:
        """Let go of it."""
        if self._descriptor is not None:
            os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def _refuse_link(path: str) -> None:
        if os.path.islink(path):
            raise OSError(f"{path} is a link")
