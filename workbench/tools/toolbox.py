"""The tools of a workspace, together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.domain.tool import ToolOutcome
from workbench.ports.tools import Tool
from workbench.tools.edit import Edit
from workbench.tools.grep import Grep
from workbench.tools.ls import Ls
from workbench.tools.mv import Mv
from workbench.tools.read import Read
from workbench.tools.rm import Rm
from workbench.tools.touch import Touch
from workbench.tools.undoing import undo_effect
from workbench.tools.workspace.expressions import ExpressionSearch, own_interpreter
from workbench.tools.workspace.workspace import Workspace
from workbench.tools.write import Write


class WorkspaceTools:
    """The eight tools of seed 000, bound to one folder → Toolbox."""

    def __init__(self, root: Path, expressions: ExpressionSearch | None = None) -> None:
        self._workspace = Workspace(root)
        search = expressions or ExpressionSearch(own_interpreter())
        of = self._workspace
        self._tools: tuple[Tool, ...] = (
            *(Ls(of), Read(of), Grep(of, search)),
            *(Edit(of), Write(of), Touch(of), Mv(of), Rm(of)),
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All of them: first those that look, then those that change."""
        return self._tools

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Take an effect back, unless somebody changed the file since."""
        return await asyncio.to_thread(undo_effect, self._workspace, note)
