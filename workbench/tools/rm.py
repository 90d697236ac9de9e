"""The tool `rm`: removes a file or a small folder, which can be undone."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.domain.translation import tr
from workbench.files.writing import FileState
from workbench.tools.arguments import Field, Form
from workbench.tools.changing_tool import ChangingTool
from workbench.tools.effects.diffs import short_diff
from workbench.tools.effects.effects import Plan, Rewrite
from workbench.tools.effects.steps import Step
from workbench.tools.workspace.paths import Refused, WorkspacePath, parse_changeable
from workbench.tools.workspace.states import State, digest_of, text_of
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, check_regular

_MOST_ENTRIES = 200
_LISTED = 20


@dataclass(frozen=True, slots=True)
class RmArguments:
    """What to remove, and whether with everything in it."""

    path: WorkspacePath
    recursive: bool = False


class Rm(ChangingTool[RmArguments]):
    """Removes a file or a folder."""

    form = Form(
        "rm",
        "Remove a file or an empty folder; with recursive also a small folder and everything in it.",
        (
            Field("path", "text", "File or folder, relative to the workspace.", required=True),
            Field("recursive", "flag", "Remove a folder with everything in it."),
        ),
    )

    def accept(self, given: Mapping[str, Any]) -> RmArguments:
        """Returns the path, and whether its content is removed too."""
        return RmArguments(parse_changeable(given["path"]), given.get("recursive", False))

    def plan(self, asked: RmArguments) -> Plan:
        """Plans everything that would be removed, innermost first."""
        going = self._to_remove(asked)
        steps = tuple(Step(path, digest_of(state), None) for path, state in reversed(going))
        told = f"Removed {asked.path}" + (f" and {len(going) - 1} things in it." if len(going) > 1 else ".")
        return Plan(_summary(going), _removal_diff(going), told, Rewrite(steps))

    def _to_remove(self, asked: RmArguments) -> list[tuple[WorkspacePath, State]]:
        found = []
        size = 0
        for path in self._walk(asked.path):
            state = self.workspace.state(path)
            size += len(state.content) if isinstance(state, FileState) else 0
            found.append((path, state))
            if not asked.recursive and len(found) > 1:
                raise Refused(
                    f"{asked.path} is a folder that is not empty; set recursive to remove all of it."
                )
            if len(found) > _MOST_ENTRIES or size > MOST_FILE_BYTES:
                raise Refused(
                    f"{asked.path} holds more than could be brought back ({_MOST_ENTRIES} files "
                    f"and folders, {MOST_FILE_BYTES:,} bytes), so it is not removed."
                )
        return found

    def _walk(self, path: WorkspacePath) -> Iterator[WorkspacePath]:
        found = self.workspace.look(path)
        if found is None or not stat.S_ISDIR(found.st_mode):
            check_regular(found, path)
            yield path
            return
        yield path
        for name in self.workspace.names(path):
            yield from self._walk(parse_changeable(str(path.child(name))))


def _summary(going: Sequence[tuple[WorkspacePath, State]]) -> str:
    (path, state), *inside = going
    if isinstance(state, FileState):
        return tr("Remove {path} ({n:,} bytes)", path=path, n=len(state.content))
    return (
        tr("Remove the folder {path} and {n} things in it", path=path, n=len(inside))
        if inside
        else tr("Remove the empty folder {path}", path=path)
    )


def _removal_diff(going: Sequence[tuple[WorkspacePath, State]]) -> str:
    path, state = going[0]
    if isinstance(state, FileState):
        return short_diff(str(path), text_of(state.content) or "", "")
    lines = [f"- {each}" for each, _ in going[:_LISTED]]
    return "\n".join([*lines, f"… {len(going) - _LISTED} more"] if len(going) > _LISTED else lines)
