"""Changes of single places: checked all together first, then made one after the other, or not at all."""

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
    """One place, the digest of what must be there, and what shall be there."""

    path: WorkspacePath
    expected: str
    result: State


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was made: what was there before, and the digest of what is there now."""

    path: WorkspacePath
    before: State
    left: str


def apply_steps(workspace: Workspace, steps: Sequence[Step]) -> tuple[Done, ...]:
    """Make all changes in order; where one fails, those before it are taken back."""
    before = check_steps(workspace, steps)
    done: list[Done] = []
    try:
        for step, state in zip(steps, before, strict=True):
            done.append(Done(step.path, state, digest_of(_make(workspace, step, state))))
        _settle_folder_modes(workspace, steps)
    except (OSError, Refused) as error:
        _take_back(workspace, done)
        raise (refusal_of(error) if isinstance(error, OSError) else error) from None
    return tuple(done)


def check_steps(
    workspace: Workspace, steps: Sequence[Step], gone: Iterable[WorkspacePath] = ()
) -> tuple[State, ...]:
    """What is there now at each place, if that is what is expected; `gone` is what will have left by then."""
    leaving = {step.path for step in steps if step.result is None} | set(gone)
    return tuple(_checked(workspace, step, leaving) for step in steps)


def undoing(done: Sequence[Done]) -> tuple[Step, ...]:
    """The steps that bring back what was."""
    return tuple(Step(one.path, one.left, one.before) for one in reversed(done))


def missing_parents(workspace: Workspace, path: WorkspacePath) -> tuple[Step, ...]:
    """The folders that must be made before something can be put there."""
    absent = [folder for folder in path.parents if workspace.look(folder) is None]
    return tuple(Step(folder, digest_of(None), FolderState()) for folder in absent)


def _checked(workspace: Workspace, step: Step, leaving: set[WorkspacePath]) -> State:
    state = workspace.state(step.path)
    if digest_of(state) != step.expected:
        raise Refused(f"{step.path} is not as it was when this was decided; nothing was changed.")
    if isinstance(state, FolderState) and step.result is None:
        others = [name for name in workspace.names(step.path) if step.path.within(name) not in leaving]
        if others:
            raise Refused(f"{step.path} holds other things by now; nothing was changed.")
    return state


def _make(workspace: Workspace, step: Step, before: State) -> State:
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


def _settle_folder_modes(workspace: Workspace, steps: Iterable[Step]) -> None:
    for step in steps:
        if isinstance(step.result, FolderState) and step.result.mode is not None:
            with workspace.folder(step.path) as folder:
                folder.set_mode(step.result.mode)


def _take_back(workspace: Workspace, done: Sequence[Done]) -> None:
    """As far as it goes: the reason of the failure is what is told."""
    for step in undoing(done):
        with suppress(OSError, Refused):
            _make(workspace, step, _checked(workspace, step, {each.path for each in done}))
