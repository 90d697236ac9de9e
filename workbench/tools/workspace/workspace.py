"""The workspace: one folder in which tools find and read files without ever leaving it."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.files.folder_handles import open_folder
from workbench.files.folders import Barred, Folder
from workbench.files.reading import user_file
from workbench.files.writing import FileState
from workbench.tools.workspace.paths import Refused, WorkspacePath, shown
from workbench.tools.workspace.states import FolderState, State

MOST_FILE_BYTES = 8 * 1024 * 1024

OpenRoot = Callable[[str], Folder]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file's bytes and its status."""

    content: bytes
    status: os.stat_result


class Workspace:
    """A folder that tools are bound to.

    Attributes:
        changing: a lock held while something is changed, so that two changes never mix.
    """

    def __init__(self, root: Path, open_root: OpenRoot | None = None) -> None:
        self._root = os.fspath(root)
        self._open_root = open_root or open_folder
        self.changing = threading.Lock()

    @contextmanager
    def folder(self, path: WorkspacePath) -> Iterator[Folder]:
        """Opens the folder at a path, for the duration of the context."""
        folder = self._root_folder()
        try:
            for name in path.parts:
                inner = folder.enter(name)
                folder.close()
                folder = inner
            yield folder
        except FileNotFoundError:
            raise Refused(f"There is no {path}. Use ls to see what there is.") from None
        except Barred as barred:
            raise Refused(str(barred)) from None
        finally:
            folder.close()

    def look(self, path: WorkspacePath) -> os.stat_result | None:
        """Returns the status of a path; None where there is nothing, or a parent is missing."""
        if not path.parts:
            with self.folder(path):
                return os.stat(self._root)
        folder = self._root_folder()
        try:
            for name in path.parts[:-1]:
                if folder.look(name) is None:
                    return None
                inner = folder.enter(name)
                folder.close()
                folder = inner
            return folder.look(path.name)
        except FileNotFoundError:
            return None
        except Barred as barred:
            raise Refused(str(barred)) from None
        finally:
            folder.close()

    def names(self, path: WorkspacePath) -> list[str]:
        """Returns the names in a folder, sorted."""
        with self.folder(path) as folder:
            return folder.names()

    def read(self, path: WorkspacePath, most_bytes: int = MOST_FILE_BYTES) -> FoundFile:
        """Reads a file; anything but a regular file within the size limit is refused."""
        if not path.parts:
            raise Refused("That is the workspace itself, a folder; use ls.")
        with self.folder(path.parent) as folder:
            return read_file(folder, path, most_bytes)

    def state(self, path: WorkspacePath) -> State:
        """Returns the state of a path, with everything needed to restore it."""
        found = self.look(path)
        if found is None:
            return None
        if stat.S_ISDIR(found.st_mode):
            return FolderState(stat.S_IMODE(found.st_mode))
        if found.st_size > MOST_FILE_BYTES:
            raise Refused(
                f"{path} has {found.st_size:,} bytes. Only files of up to {MOST_FILE_BYTES:,} "
                "are changed or removed, because only they can be brought back."
            )
        read = self.read(path)
        return FileState(read.content, stat.S_IMODE(read.status.st_mode), read.status.st_mtime_ns)

    def _root_folder(self) -> Folder:
        try:
            return self._open_root(self._root)
        except OSError:
            raise Refused("The workspace's folder is not there any more.") from None


def read_file(folder: Folder, path: WorkspacePath, most_bytes: int) -> FoundFile:
    """Reads a regular file in an open folder; refused where it changes meanwhile."""
    check_regular(folder.look(path.name), path)
    with user_file(path.name, folder) as opened:
        status = opened.status
        if status.st_size > most_bytes:
            raise Refused(f"{path} has {status.st_size:,} bytes; tools read files of up to {most_bytes:,}.")
        content = opened.read(most_bytes + 1)
        after = os.fstat(opened.descriptor)
    same = (after.st_mtime_ns, after.st_size) == (status.st_mtime_ns, status.st_size)
    if not same or len(content) != status.st_size:
        raise Refused(f"{path} changed while it was read. Try again.")
    return FoundFile(content, status)


def check_regular(found: os.stat_result | None, path: WorkspacePath) -> None:
    """Refuses everything that is not a regular file, and says what it is."""
    if found is None:
        raise Refused(f"There is no file {path}. Use ls to see what there is.")
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISDIR(found.st_mode):
        raise Refused(f"{path} is a folder, not a file.")
    what = "a link, and links are not followed" if stat.S_ISLNK(found.st_mode) else "not a regular file"
    raise Refused(f"{shown(str(path))} is {what}.")
