"""The tool `mv`: moves or renames a file or folder; never overwrites."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.domain.translation import tr
from workbench.tools.arguments import Field, Form
from workbench.tools.changing_tool import ChangingTool
from workbench.tools.effects.effects import Move, Plan, content_mark
from workbench.tools.effects.steps import missing_parents
from workbench.tools.workspace.paths import Refused, WorkspacePath, parse_changeable
from workbench.tools.workspace.workspace import check_regular


@dataclass(frozen=True, slots=True)
class MvArguments:
    """What to move, and where to."""

    source: WorkspacePath
    target: WorkspacePath


class Mv(ChangingTool[MvArguments]):
    """Moves or renames."""

    form = Form(
        "mv",
        "Move or rename a file or folder. Folders on the way are made; an existing file is never overwritten.",
        (
            Field("source", "text", "What to move, relative to the workspace.", required=True),
            Field(
                "target", "text", "Its new path with its new name, relative to the workspace.", required=True
            ),
        ),
    )

    def accept(self, given: Mapping[str, Any]) -> MvArguments:
        """Checks both paths."""
        source, target = parse_changeable(given["source"]), parse_changeable(given["target"])
        if target.parts[: len(source.parts)] == source.parts:
            raise Refused(f"{target} is {source} itself or lies in it.")
        return MvArguments(source, target)

    def plan(self, asked: MvArguments) -> Plan:
        """Plans the move, if the source exists and the target is free."""
        source, target = asked.source, asked.target
        found = self.workspace.look(source)
        if found is None or not stat.S_ISDIR(found.st_mode):
            check_regular(found, source)
        if self.workspace.look(target) is not None:
            raise Refused(f"{target} is there already; give the whole new path, with a name that is free.")
        folders = missing_parents(self.workspace, target)
        effect = Move(source, target, folders, content_mark(self.workspace, source))
        return Plan(
            tr("Move {source} to {target}", source=source, target=target),
            _renaming(asked),
            f"Moved {source} to {target}.",
            effect,
        )


def _renaming(asked: MvArguments) -> str:
    return f"rename from {asked.source}\nrename to {asked.target}"
