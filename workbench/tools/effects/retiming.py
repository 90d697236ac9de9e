"""The effect of touching a file that is there already: its time becomes now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.files.reading import user_file
from workbench.tools.effects.effects import Note, fingerprint_of
from workbench.tools.effects.rewriting import DAMAGED
from workbench.tools.workspace.paths import WorkspacePath, parse_changeable
from workbench.tools.workspace.refusals import Refused
from workbench.tools.workspace.workspace import Workspace, check_regular

KIND = "times"
_Times = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Retime:
    """A file's times become now → Effect."""

    path: WorkspacePath
    modified_ns: int

    @property
    def fingerprint(self) -> str:
        """Over the file and the time it has."""
        return fingerprint_of((str(self.path), str(self.modified_ns)))

    def apply(self, workspace: Workspace) -> Note:
        before, after = _set_times(workspace, self.path, self.modified_ns, None)
        return {"kind": KIND, "path": str(self.path), "before_ns": list(before), "left_ns": after[1]}


def undo_times(workspace: Workspace, note: Mapping[str, Any]) -> str:
    """Give a file its old times back, if it was not written since."""
    path, before, left_ns = (
        parse_changeable(str(note.get("path"))),
        note.get("before_ns"),
        note.get("left_ns"),
    )
    if not (isinstance(before, list) and len(before) == 2 and all(type(one) is int for one in before)):
        raise Refused(DAMAGED)
    _set_times(workspace, path, left_ns if type(left_ns) is int else -1, (before[0], before[1]))
    return str(path)


def _set_times(
    workspace: Workspace, path: WorkspacePath, expected_ns: int, times: _Times | None
) -> tuple[_Times, _Times]:
    """Through the open file, so that nobody can put another in its place in between; None is now."""
    with workspace.folder(path.parent) as folder:
        check_regular(folder.look(path.name), path)
        with user_file(path.name, folder) as opened:
            before = opened.status
            if before.st_mtime_ns != expected_ns:
                raise Refused(f"{path} was written since this was decided; nothing was changed.")
            _set(opened.descriptor, times)
            after = os.fstat(opened.descriptor)
    return (before.st_atime_ns, before.st_mtime_ns), (after.st_atime_ns, after.st_mtime_ns)


def _set(descriptor: int, times: _Times | None) -> None:
    if os.utime not in os.supports_fd:
        raise Refused("The time of an existing file cannot be set on this system.")
    if times is None:
        os.utime(descriptor)
    else:
        os.utime(descriptor, ns=times)
