"""Effects of tools as values: they can be shown, compared with what was shown, applied, and undone."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.files.reading import user_file
from workbench.files.writing import identity
from workbench.tools.effects.steps import Done, Step, apply_steps, check_steps, undo_steps
from workbench.tools.workspace.paths import Refused, WorkspacePath, parse_changeable
from workbench.tools.workspace.states import digest_of, state_from_json, state_to_json
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, Workspace, check_regular

Note = dict[str, Any]
"""JSON values from which an effect can be undone; `kind` says how."""


class Effect(Protocol):
    """A planned change of the workspace that was not made yet."""

    @property
    def fingerprint(self) -> str:
        """Equal for equal changes of equal things, so that what was shown can be compared with what will be done."""

    def apply(self, workspace: Workspace) -> Note:
        """Applies the change if everything is still as planned; returns the note for undoing it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An effect with what a person sees before it, and what the model is told after it."""

    summary: str
    diff: str
    told: str
    effect: Effect


def fingerprint_of(parts: Iterable[str]) -> str:
    """Returns one digest over several texts, each prefixed by its length."""
    whole = hashlib.sha256()
    for part in parts:
        written = part.encode("utf-8", "surrogatepass")
        whole.update(len(written).to_bytes(8, "big") + written)
    return whole.hexdigest()


# The effect of writing, editing and removing: places get a new state, and the note holds the old one.


REWRITING_KIND = "rewrite"
DAMAGED = "The note for taking this back is damaged."


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Gives some paths new states: writing, editing, removing → Effect."""

    steps: tuple[Step, ...]

    @property
    def fingerprint(self) -> str:
        """Covers every path, its current state, and its new one."""
        return fingerprint_of(
            part for step in self.steps for part in (str(step.path), step.expected, digest_of(step.result))
        )

    def apply(self, workspace: Workspace) -> Note:
        return {"kind": REWRITING_KIND, "places": done_to_json(apply_steps(workspace, self.steps))}


def undo_rewrite(workspace: Workspace, note: Mapping[str, Any]) -> str:
    """Restores the old states; returns the restored paths in words."""
    done = done_from_json(note.get("places"))
    apply_steps(workspace, undo_steps(done))
    return ", ".join(str(one.path) for one in done)


def done_to_json(done: Sequence[Done]) -> list[Note]:
    """Returns completed steps as JSON values."""
    return [{"path": str(one.path), "before": state_to_json(one.before), "left": one.left} for one in done]


def done_from_json(written: object) -> tuple[Done, ...]:
    """Reads completed steps; the note may come from an imported chat, so its paths are checked like a model's."""
    if not isinstance(written, list) or not all(isinstance(one, Mapping) for one in written):
        raise Refused(DAMAGED)
    return tuple(
        Done(parse_changeable(str(one.get("path"))), state_from_json(one.get("before")), str(one.get("left")))
        for one in written
    )


# The effect of moving: something gets another place; taking it back loses nothing, whatever happened inside.


MOVING_KIND = "move"


@dataclass(frozen=True, slots=True)
class Move:
    """Moves a file or folder to a free path → Effect.

    Attributes:
        folders: steps that create missing folders of the new path.
        seen: the content mark of the source when the move was planned.
    """

    source: WorkspacePath
    target: WorkspacePath
    folders: tuple[Step, ...]
    seen: str

    @property
    def fingerprint(self) -> str:
        """Covers both paths and the content of the source."""
        return fingerprint_of((str(self.source), str(self.target), self.seen))

    def apply(self, workspace: Workspace) -> Note:
        if content_mark(workspace, self.source) != self.seen:
            raise Refused(f"{self.source} is not as it was when this was decided; nothing was changed.")
        left = content_mark(workspace, self.source)
        made = apply_steps(workspace, self.folders)
        try:
            rename_path(workspace, self.source, self.target)
        except (OSError, Refused):
            apply_steps(workspace, undo_steps(made))
            raise
        places = {"from": str(self.source), "to": str(self.target)}
        return {"kind": MOVING_KIND, **places, "left": left, "made": done_to_json(made)}


def undo_move(workspace: Workspace, note: Mapping[str, Any]) -> str:
    """Moves it back, if it is unchanged and its old path is free."""
    source, target = parse_changeable(str(note.get("from"))), parse_changeable(str(note.get("to")))
    made = done_from_json(note.get("made"))
    if content_mark(workspace, target) != note.get("left"):
        raise Refused(f"{target} is not what was moved there, or was changed since; nothing was changed.")
    check_steps(workspace, undo_steps(made), gone=(target,))
    rename_path(workspace, target, source)
    apply_steps(workspace, undo_steps(made))
    return str(source)


def content_mark(workspace: Workspace, path: WorkspacePath) -> str:
    """Identifies moved content: a file by its bytes, a large one by its size and times, a folder as a folder."""
    found = workspace.look(path)
    if found is None:
        return digest_of(None)
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    if found.st_size > MOST_FILE_BYTES:
        return f"large {identity(found)[2:]}"
    return digest_of(workspace.state(path))


def rename_path(workspace: Workspace, source: WorkspacePath, target: WorkspacePath) -> None:
    """Renames a file or folder; fails where the new path exists."""
    with workspace.folder(source.parent) as here, workspace.folder(target.parent) as there:
        here.move(source.name, there, target.name)
        there.sync()
        here.sync()


# The effect of touching a file that is there already: its time becomes now.


RETIMING_KIND = "times"
_Times = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Retime:
    """Sets a file's times to now → Effect."""

    path: WorkspacePath
    modified_ns: int

    @property
    def fingerprint(self) -> str:
        """Covers the file and its current time."""
        return fingerprint_of((str(self.path), str(self.modified_ns)))

    def apply(self, workspace: Workspace) -> Note:
        before, after = _set_times(workspace, self.path, self.modified_ns, None)
        return {"kind": RETIMING_KIND, "path": str(self.path), "before_ns": list(before), "left_ns": after[1]}


def undo_times(workspace: Workspace, note: Mapping[str, Any]) -> str:
    """Restores a file's old times, if it was not written since."""
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
    """Sets times through the open file, so that it cannot be exchanged meanwhile; None means now."""
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
