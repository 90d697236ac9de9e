"""Holding a folder open while it is used: by handles where the system has them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Self

from workbench.domain.translation import tr
from workbench.files.folders import Barred, DirectoryFolder, Folder

# The same folders where a system has no handles for them (Windows): whole paths, checked before and after.
#
# Between a check and what follows it somebody else could still swap a folder for a link. There is no way to close that
# gap without handles; what is opened is compared with what was checked, so that a swap is at least noticed.


_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_REPARSE_POINT = 0x400


class CheckedFolder:
    """A folder by its path, which must really lie below the one that was named each time it is used."""

    def __init__(self, root: Path, path: Path) -> None:
        self._root, self._path = root, path

    @classmethod
    def at(cls, root: str) -> Self:
        """The folder that was named, with every link on the way to it resolved once."""
        real = Path(root).resolve(strict=True)
        if not real.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, tr("not a folder"))
        return cls(real, real)

    def enter(self, name: str) -> CheckedFolder:
        """A folder in this one; links and junctions are refused."""
        found = self.look(name)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, tr("no such folder"))
        if not stat.S_ISDIR(found.st_mode) or _is_link(found):
            raise Barred(
                tr("{name} is not a folder, or only a link to one; links are not followed.", name=name)
            )
        return CheckedFolder(self._root, self._place(name))

    def look(self, name: str) -> os.stat_result | None:
        """What there is by that name; a link is looked at itself."""
        try:
            return os.lstat(self._place(name))
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """Everything in it, in the order of the names."""
        self._check()
        return sorted(os.listdir(self._path))

    def open_file(self, name: str) -> int:
        """A file by its descriptor; what was opened must be what was looked at."""
        place, looked = self._place(name), self.look(name)
        descriptor = os.open(place, os.O_RDONLY | _BINARY)
        try:
            self._check()
            if looked is None or _is_link(looked) or not os.path.samestat(looked, os.fstat(descriptor)):
                raise Barred(
                    tr(
                        "{name} was replaced while it was opened, or is a link; links are not followed.",
                        name=name,
                    )
                )
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def create_file(self, name: str, mode: int) -> int:
        """A new file by its descriptor."""
        return os.open(self._place(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)

    def make_folder(self, name: str, mode: int) -> None:
        """A new folder in this one."""
        os.mkdir(self._place(name), mode)

    def set_mode(self, mode: int) -> None:
        """Who may use this folder."""
        self._check()
        os.chmod(self._path, mode)

    def replace(self, name: str, by: str) -> None:
        """Let one file take the place of another, in one step."""
        os.replace(self._place(by), self._place(name))

    def move(self, name: str, to: CheckedFolder, new_name: str) -> None:
        """Move something to where nothing is."""
        if to.look(new_name) is not None:
            raise FileExistsError(errno.EEXIST, tr("something is there already"))
        os.rename(self._place(name), to._place(new_name))

    def remove_file(self, name: str) -> None:
        os.unlink(self._place(name))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._place(name))

    def sync(self) -> None:
        """Nothing: such systems write names through."""

    def close(self) -> None:
        """Nothing: no handle is held."""

    def _place(self, name: str) -> Path:
        self._check()
        if ":" in name:
            # On Windows a colon names another stream of the same file, or a drive.
            raise Barred(tr("{name} holds a colon, which is not part of a name on every system.", name=name))
        return self._path / name

    def _check(self) -> None:
        # Where case does not matter, a name may have been written in another one.
        real, meant = (os.path.normcase(each) for each in (os.path.realpath(self._path), self._path))
        if real != meant or not self._path.is_relative_to(self._root):
            raise Barred(
                tr("{name} does not lie where it was any more; nothing was done.", name=self._path.name)
            )


def _is_link(found: os.stat_result) -> bool:
    attributes: int = getattr(found, "st_file_attributes", 0)
    return stat.S_ISLNK(found.st_mode) or bool(attributes & _REPARSE_POINT)


HAS_FOLDER_HANDLES = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd


def open_folder(path: str) -> Folder:
    """A folder that somebody named, which may be reached through links; `OSError` where it is none."""
    return DirectoryFolder.at(path) if HAS_FOLDER_HANDLES else CheckedFolder.at(path)
