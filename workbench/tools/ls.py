"""The tool `ls`: lists a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.tools.arguments import Field, Form
from workbench.tools.reading_tool import ReadingTool
from workbench.tools.workspace.paths import WorkspacePath, parse_path, shown

_MOST_ENTRIES = 400


@dataclass(frozen=True, slots=True)
class LsArguments:
    """The folder to list."""

    path: WorkspacePath


class Ls(ReadingTool[LsArguments]):
    """Lists a folder."""

    form = Form(
        "ls",
        "List what is in a folder of the workspace. Folders end in /, files come with their size in bytes.",
        (Field("path", "text", 'Folder, relative to the workspace; "." or nothing is its top.'),),
    )

    def accept(self, given: Mapping[str, Any]) -> LsArguments:
        """Returns the folder; the workspace's top where none is named."""
        return LsArguments(parse_path(given.get("path", "")))

    def summary(self, asked: LsArguments) -> str:
        """Describes the call on one line."""
        return f"List {asked.path}"

    def answer(self, asked: LsArguments) -> str:
        """Returns one line per entry, sorted by name."""
        with self.workspace.folder(asked.path) as folder:
            names = folder.names()
            lines = [_line(name, folder.look(name)) for name in names[:_MOST_ENTRIES]]
        if not names:
            return f"{asked.path} is empty."
        more = len(names) - len(lines)
        return "\n".join([*lines, f"… {more:,} more entries; search with grep instead"] if more else lines)


def _line(name: str, found: os.stat_result | None) -> str:
    if found is None:
        return f"{shown(name)}  (gone)"
    if stat.S_ISDIR(found.st_mode):
        return f"{shown(name)}/"
    if stat.S_ISREG(found.st_mode):
        return f"{shown(name)}  {found.st_size}"
    return f"{shown(name)}  ({'a link' if stat.S_ISLNK(found.st_mode) else 'not a regular file'}, not read by tools)"
