"""The tool `touch`: creates an empty file, or updates the time of an existing one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.domain.translation import tr
from workbench.files.writing import FileState
from workbench.tools.arguments import Field, Form
from workbench.tools.changing_tool import ChangingTool
from workbench.tools.effects.effects import Plan, Retime, Rewrite
from workbench.tools.effects.steps import Step, missing_parents
from workbench.tools.workspace.paths import WorkspacePath, parse_changeable
from workbench.tools.workspace.states import digest_of
from workbench.tools.workspace.workspace import check_regular


@dataclass(frozen=True, slots=True)
class TouchArguments:
    """The file."""

    path: WorkspacePath


class Touch(ChangingTool[TouchArguments]):
    """Creates an empty file, or sets an existing one's time to now."""

    form = Form(
        "touch",
        "Make an empty file, or set the time of an existing one to now.",
        (Field("path", "text", "File, relative to the workspace.", required=True),),
    )

    def accept(self, given: Mapping[str, Any]) -> TouchArguments:
        """Returns the file."""
        return TouchArguments(parse_changeable(given["path"]))

    def plan(self, asked: TouchArguments) -> Plan:
        """Plans a new empty file where there is none, else a new time."""
        path, found = asked.path, self.workspace.look(asked.path)
        if found is None:
            steps = (*missing_parents(self.workspace, path), Step(path, digest_of(None), FileState(b"")))
            return Plan(
                tr("Create {path}, empty", path=path),
                "",
                f"Made {path}, empty.",
                Rewrite(steps),
            )
        check_regular(found, path)
        effect = Retime(path, found.st_mtime_ns)
        return Plan(tr("Set the time of {path} to now", path=path), "", f"Touched {path}.", effect)
