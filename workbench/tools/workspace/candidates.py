"""Walks the text files that a search reads, in a fixed order, and lists those it skips."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from workbench.tools.workspace.paths import MOST_PARTS, Refused, WorkspacePath, shown
from workbench.tools.workspace.states import text_of
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, Workspace, check_regular

MOST_FILES = 5000
MOST_BYTES = 32 * 1024 * 1024
_NAMED = 12
_MADE_BY_PROGRAMS = frozenset({"__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to search, as text."""

    path: WorkspacePath
    text: str


@dataclass
class Candidates:
    """Walks a path of the workspace once; afterwards `skipped` says what was left out, and why."""

    workspace: Workspace
    glob: str | None = None
    skipped: list[str] = field(default_factory=list)
    files: int = 0
    size_bytes: int = 0

    def find(self, path: WorkspacePath) -> Iterator[Candidate]:
        """Yields every text file there, sorted by name; a path that is named itself is searched even if hidden."""
        found = self.workspace.look(path)
        if found is not None and stat.S_ISDIR(found.st_mode):
            yield from self._in_folder(path)
            return
        check_regular(found, path)
        yield from self._file(path)

    def note(self) -> str:
        """Lists what was left out on one line; empty where nothing was."""
        named = ", ".join(self.skipped[:_NAMED])
        more = len(self.skipped) - _NAMED
        return f"Not searched: {named}" + (f" and {more:,} more" if more > 0 else "") if named else ""

    def _in_folder(self, path: WorkspacePath) -> Iterator[Candidate]:
        if len(path.parts) >= MOST_PARTS:
            self.skipped.append(f"{shown(str(path))}/ (too deep)")
            return
        for name in self.workspace.names(path):
            if self.files >= MOST_FILES or self.size_bytes >= MOST_BYTES:
                self.skipped.append(f"everything from {shown(str(path.child(name)))} on (too much at once)")
                return
            yield from self._entry(path.child(name))

    def _entry(self, path: WorkspacePath) -> Iterator[Candidate]:
        found: os.stat_result | None = None
        try:
            found = self.workspace.look(path)
            if found is None:
                return
            if stat.S_ISDIR(found.st_mode):
                yield from self._folder(path)
            elif self._matches_glob(path):
                yield from self._file(path)
        except (Refused, OSError):
            self.skipped.append(f"{shown(str(path))} ({_why_not(found)})")

    def _folder(self, path: WorkspacePath) -> Iterator[Candidate]:
        if path.name.startswith(".") or path.name in _MADE_BY_PROGRAMS:
            self.skipped.append(f"{shown(str(path))}/ (hidden)")
        else:
            yield from self._in_folder(path)

    def _file(self, path: WorkspacePath) -> Iterator[Candidate]:
        content = self.workspace.read(path).content
        self.files, self.size_bytes = self.files + 1, self.size_bytes + len(content)
        text = text_of(content)
        if text is None:
            self.skipped.append(f"{shown(str(path))} (not text)")
        else:
            yield Candidate(path, text.removesuffix("\n"))

    def _matches_glob(self, path: WorkspacePath) -> bool:
        return self.glob is None or fnmatchcase(str(path) if "/" in self.glob else path.name, self.glob)


def _why_not(found: os.stat_result | None) -> str:
    if found is None or stat.S_ISDIR(found.st_mode):
        return "cannot be read"
    if stat.S_ISREG(found.st_mode):
        return "too large" if found.st_size > MOST_FILE_BYTES else "cannot be read"
    return "a link" if stat.S_ISLNK(found.st_mode) else "not a regular file"
