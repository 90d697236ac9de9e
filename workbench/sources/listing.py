"""The files of a folder by their names: what is hidden, ignored, made by programs or a link is left out."""

from __future__ import annotations

import stat
from contextlib import closing
from dataclasses import dataclass, field

from workbench.domain.attached import FolderList, ListedFile
from workbench.files.folders import Folder
from workbench.files.holding import open_folder, read_regular
from workbench.sources.ignoring import Ignored, Steps

DEEPEST = 40
_RULES = ".gitignore"
_MOST_RULES_BYTES = 256 * 1024
_MADE_BY_PROGRAMS = frozenset({"__pycache__", "node_modules", "venv"})


def list_files(folder: str, most: int) -> FolderList | None:
    """At most so many files of a folder and below; None where it is no folder."""
    try:
        top = open_folder(folder)
    except (OSError, ValueError):
        return None
    walk = _Walk(most)
    with closing(top):
        walk.through(top, (), Ignored())
    found = sorted(walk.files, key=lambda one: (one.path.count("/"), one.path.casefold()))
    return FolderList(folder, tuple(found), walk.full)


@dataclass(slots=True)
class _Walk:
    """One way through a folder; nothing is opened but folders and their rules."""

    most: int
    files: list[ListedFile] = field(default_factory=list)
    full: bool = False

    def through(self, here: Folder, steps: Steps, above: Ignored) -> None:
        """Everything in one folder, then in those below it; one that cannot be read is passed over."""
        try:
            names = here.names()
        except OSError:
            return
        rules = above.with_file(steps, _rules_in(here)) if _RULES in names else above
        folders: list[Steps] = []
        for name in names:
            if self.full:
                return
            if not name.startswith("."):
                self._entry(here, (*steps, name), rules, folders)
        for at in folders:
            if not self.full and len(at) <= DEEPEST and at[-1] not in _MADE_BY_PROGRAMS:
                self._folder(here, at, rules)

    def _entry(self, here: Folder, at: Steps, rules: Ignored, folders: list[Steps]) -> None:
        try:
            status = here.look(at[-1])
        except (OSError, ValueError):
            return
        if status is None or not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
            return
        folder = stat.S_ISDIR(status.st_mode)
        if rules.covers(at, folder):
            return
        if folder:
            folders.append(at)
        elif len(self.files) >= self.most:
            self.full = True
        else:
            self.files.append(ListedFile("/".join(at), status.st_size, status.st_mtime_ns))

    def _folder(self, here: Folder, at: Steps, rules: Ignored) -> None:
        try:
            below = here.enter(at[-1])
        except (OSError, ValueError):
            return
        with closing(below):
            self.through(below, at, rules)


def _rules_in(here: Folder) -> str:
    try:
        content, _ = read_regular(here.open_file(_RULES), _MOST_RULES_BYTES)
    except (OSError, ValueError):
        return ""
    return content.decode("utf-8", "replace")
