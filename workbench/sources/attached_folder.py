"""The text files of a folder, for attaching; what is hidden, ignored, made by programs or no text is only named."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from workbench.domain.attached import MOST_FOLDER_BYTES, Attached, CannotAttach, FolderRead, LeftOut
from workbench.domain.pictures import picture_in
from workbench.files.folders import Folder
from workbench.files.holding import open_folder, read_regular
from workbench.sources.attached_file import UTF16, attached_file
from workbench.sources.ignoring import Ignored, Steps
from workbench.sources.naming import Naming

MOST_FILES = 200
MOST_ENTRIES = 20_000
DEEPEST = 40
_RULES = ".gitignore"
_MOST_RULES_BYTES = 256 * 1024
_HEAD_BYTES = 8 * 1024
_MADE_BY_PROGRAMS = frozenset({"__pycache__", "node_modules", "venv", "build", "dist"})


def read_folder(path: str, most_file_bytes: int, naming: Naming) -> FolderRead | None:
    """Everything in the folder and below that can be attached, files before folders; None where it is no folder.

    What a .gitignore above the folder says is not known here.
    """
    try:
        if not stat.S_ISDIR(os.stat(path).st_mode):
            return None
        top = open_folder(path)
    except (OSError, ValueError):
        return None
    walk = _Walk(path, most_file_bytes, naming)
    with closing(top):
        walk.through(top, (), Ignored())
    return FolderRead(tuple(walk.files), tuple(walk.left_out))


@dataclass(slots=True)
class _Walk:
    """One way through a folder; `full` when no more is taken."""

    path: str
    most_file_bytes: int
    naming: Naming
    files: list[Attached] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    size_bytes: int = 0
    entries: int = 0
    full: bool = False

    def through(self, here: Folder, steps: Steps, above: Ignored) -> None:
        """Everything in one folder, then in those below it."""
        names = here.names()
        rules = above.with_file(steps, _rules_in(here)) if _RULES in names else above
        folders: list[Steps] = []
        for name in names:
            at = (*steps, name)
            if self._is_full(at):
                return
            try:
                status = here.look(name)
            except OSError:
                continue
            if status is None:
                continue
            if stat.S_ISDIR(status.st_mode):
                folders.append(at)
            elif not self._unwanted(at, rules, folder=False):
                self._file(here, at, status)
        for at in folders:
            if not self.full and not self._unwanted(at, rules, folder=True):
                self._folder(here, at, rules)

    def _is_full(self, at: Steps) -> bool:
        self.entries += 1
        if len(self.files) >= MOST_FILES or self.entries > MOST_ENTRIES:
            self.left_out.append(
                LeftOut(f"everything from {'/'.join(at)} on", f"{MOST_FILES} files are the limit")
            )
            self.full = True
        return self.full

    def _unwanted(self, at: Steps, rules: Ignored, *, folder: bool) -> bool:
        name = at[-1]
        if name == _RULES:
            return True
        if name.startswith("."):
            return self._leave(at, "hidden", folder)
        if folder and name in _MADE_BY_PROGRAMS:
            return self._leave(at, "made by programs", folder)
        return rules.covers(at, folder) and self._leave(at, "ignored", folder)

    def _leave(self, at: Steps, reason: str, folder: bool = False) -> bool:
        self.left_out.append(LeftOut(f"{'/'.join(at)}{'/' if folder else ''}", reason))
        return True

    def _folder(self, here: Folder, at: Steps, rules: Ignored) -> None:
        if len(at) > DEEPEST:
            self._leave(at, "too deep", folder=True)
            return
        try:
            with closing(here.enter(at[-1])) as below:
                self.through(below, at, rules)
        except OSError:
            self._leave(at, "cannot be read", folder=True)

    def _file(self, here: Folder, at: Steps, status: os.stat_result) -> None:
        if stat.S_ISLNK(status.st_mode):
            self._leave(at, "a link")
        elif not stat.S_ISREG(status.st_mode):
            self._leave(at, "not a regular file")
        elif status.st_size > self.most_file_bytes:
            self._leave(at, "too large")
        elif self.size_bytes + status.st_size > MOST_FOLDER_BYTES:
            self._leave(at, f"more than {MOST_FOLDER_BYTES // 1024 // 1024} MB in all")
        else:
            self._read(here, at)

    def _read(self, here: Folder, at: Steps) -> None:
        try:
            content, status = _content(here, at[-1], self.most_file_bytes)
            whole = PurePath(self.path, *at).as_posix()
            found = attached_file(whole, content, status)
            if found.picture is not None:
                raise _NotText
        except (CannotAttach, _NotText):
            self._leave(at, "not text")
        except (OSError, ValueError):
            self._leave(at, "cannot be read")
        else:
            # Its path in the folder that was attached, and that folder's own name.
            names = self.naming.names(whole, least=len(at) + 1)
            self.files.append(replace(found, names=names))
            self.size_bytes += len(content)


class _NotText(Exception):
    """The first bytes say that the rest need not be read."""


def _content(here: Folder, name: str, most_bytes: int) -> tuple[bytes, os.stat_result]:
    with open(here.open_file(name), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no regular file any more")
        head = stream.read(_HEAD_BYTES)
        if picture_in(head) is not None or (b"\0" in head and not head.startswith(UTF16)):
            raise _NotText
        content = head + stream.read(most_bytes + 1 - len(head))
    if len(content) > most_bytes:
        raise ValueError("it has grown too large")
    return content, status


def _rules_in(here: Folder) -> str:
    try:
        content, _ = read_regular(here.open_file(_RULES), _MOST_RULES_BYTES)
    except (OSError, ValueError):
        return ""
    return content.decode("utf-8", "replace")
