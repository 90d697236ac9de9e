"""The effect of moving: something gets another place; taking it back loses nothing, whatever happened inside."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.files.writing import identity
from workbench.tools.effects.effects import Note, fingerprint_of
from workbench.tools.effects.rewriting import done_from_json, done_to_json
from workbench.tools.effects.steps import Step, apply_steps, check_steps, undoing
from workbench.tools.workspace.paths import WorkspacePath, parse_changeable
from workbench.tools.workspace.refusals import Refused
from workbench.tools.workspace.states import digest_of
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, Workspace

KIND = "move"


@dataclass(frozen=True, slots=True)
class Move:
    """A file or folder goes to a place where nothing is → Effect.

    Attributes:
        folders: those that must be made on the way to the new place.
        seen: what was to be moved, as it was when this was decided.
    """

    source: WorkspacePath
    target: WorkspacePath
    folders: tuple[Step, ...]
    seen: str

    @property
    def fingerprint(self) -> str:
        """Over both places and what is to be moved."""
        return fingerprint_of((str(self.source), str(self.target), self.seen))

    def apply(self, workspace: Workspace) -> Note:
        if content_mark(workspace, self.source) != self.seen:
            raise Refused(f"{self.source} is not as it was when this was decided; nothing was changed.")
        left = content_mark(workspace, self.source)
        made = apply_steps(workspace, self.folders)
        try:
            relocate(workspace, self.source, self.target)
        except (OSError, Refused):
            apply_steps(workspace, undoing(made))
            raise
        places = {"from": str(self.source), "to": str(self.target)}
        return {"kind": KIND, **places, "left": left, "made": done_to_json(made)}


def undo_move(workspace: Workspace, note: Mapping[str, Any]) -> str:
    """Move it back, if it is still there and its old place is free."""
    source, target = parse_changeable(str(note.get("from"))), parse_changeable(str(note.get("to")))
    made = done_from_json(note.get("made"))
    if content_mark(workspace, target) != note.get("left"):
        raise Refused(f"{target} is not what was moved there, or was changed since; nothing was changed.")
    check_steps(workspace, undoing(made), gone=(target,))
    relocate(workspace, target, source)
    apply_steps(workspace, undoing(made))
    return str(source)


def content_mark(workspace: Workspace, path: WorkspacePath) -> str:
    """By which a moved thing is recognised: a file by its bytes, a large one by its size, a folder as a folder."""
    found = workspace.look(path)
    if found is None:
        return digest_of(None)
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    if found.st_size > MOST_FILE_BYTES:
        return f"large {identity(found)[2:]}"
    return digest_of(workspace.state(path))


def relocate(workspace: Workspace, source: WorkspacePath, target: WorkspacePath) -> None:
    """Give something another place; fails where something is there already."""
    with workspace.folder(source.parent) as here, workspace.folder(target.parent) as there:
        here.move(source.name, there, target.name)
        there.sync()
        here.sync()
