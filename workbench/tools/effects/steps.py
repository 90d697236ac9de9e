"""Changes of single paths: all are checked first, then made in order, or not at all."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from workbench.files.writing import FileState, write_in
from workbench.tools.workspace.paths import Refused, WorkspacePath, refusal_of
from workbench.tools.workspace.states import FolderState, State, digest_of
from workbench.tools.workspace.workspace import Workspace

_NEW_FOLDER_MODE = 0o777


@dataclass(frozen=True, slots=True)
class Step:
    """A path, the digest of what must be there, and what shall be there."""

    path: WorkspacePath
    expected: str
    result: State


@dataclass(frozen=True, slots=True)
class Done:
    """A completed step: what was there before, and the digest of what is there now."""

    path: WorkspacePath
    before: State
    left: str


def apply_steps(workspace: Workspace, steps: Sequence[Step]) -> tuple[Done, ...]:
    """Makes all changes in order; where one fails, those before it are undone."""
    before = check_steps(workspace, steps)
    done: list[Done] = []
    try:
        for step, state in zip(steps, before, strict=True):
            done.append(Done(step.path, state, digest_of(_apply_step(workspace, step, state))))
        _set_folder_modes(workspace, steps)
    except (OSError, Refused) as error:
        _undo_done(workspace, done)
        raise (refusal_of(error) if isinstance(error, OSError) else error) from None
    return tuple(done)


def check_steps(
    workspace: Workspace, steps: Sequence[Step], gone: Iterable[WorkspacePath] = ()
) -> tuple[State, ...]:
    """Returns the current state of each path if it is as expected; `gone` are paths that will be removed by then."""
    leaving = {step.path for step in steps if step.result is None} | set(gone)
    return tuple(_check_step(workspace, step, leaving) for step in steps)


def undo_steps(done: Sequence[Done]) -> tuple[Step, ...]:
    """Returns the steps that restore what was before."""
    return tuple(Step(one.path, one.left, one.before) for one in reversed(done))


def missing_parents(workspace: Workspace, path: WorkspacePath) -> tuple[Step, ...]:
    """Returns the steps that create the missing folders of a path."""
    absent = [folder for folder in path.parents if workspace.look(folder) is None]
    return tuple(Step(folder, digest_of(None), FolderState()) for folder in absent)


def _check_step(workspace: Workspace, step: Step, leaving: set[WorkspacePath]) -> State:
    state = workspace.state(step.path)
    if digest_of(state) != step.expected:
        raise Refused(f"{step.path} is not as it was when this was decided; nothing was changed.")
    if isinstance(state, FolderState) and step.result is None:
        others = [name for name in workspace.names(step.path) if step.path.child(name) not in leaving]
        if others:
            raise Refused(f"{step.path} holds other things by now; nothing was changed.")
    return state


def _apply_step(workspace: Workspace, step: Step, before: State) -> State:
    with workspace.folder(step.path.parent) as folder:
        name = step.path.name
        if isinstance(step.result, FileState):
            return write_in(folder, name, step.result, None if before is None else folder.look(name))
        if step.result is None:
            if isinstance(before, FolderState):
                folder.remove_folder(name)
            elif before is not None:
                folder.remove_file(name)
            folder.sync()
            return None
        mode = step.result.mode
        # Its owner must be able to fill it; the wanted mode comes when everything is inside.
        folder.make_folder(name, _NEW_FOLDER_MODE if mode is None else mode | stat.S_IRWXU)
        folder.sync()
        made = folder.look(name)
        return FolderState(mode if mode is not None or made is None else stat.S_IMODE(made.st_mode))


def _set_folder_modes(workspace: Workspace, steps: Iterable[Step]) -> None:
    for step in steps:
        if isinstance(step.result, FolderState) and step.result.mode is not None:
            with workspace.folder(step.path) as folder:
                folder.set_mode(step.result.mode)


def _undo_done(workspace: Workspace, done: Sequence[Done]) -> None:
    """Undoes steps as far as possible; the failure that caused it is what is reported."""
    for step in undo_steps(done):
        with suppress(OSError, Refused):
            _apply_step(workspace, step, _check_step(workspace, step, {each.path for each in done}))
