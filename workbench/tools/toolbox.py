"""The toolbox of a workspace: its file tools, and those of its servers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workbench.domain.tool import ToolOutcome
from workbench.domain.translation import tr
from workbench.ports.tools import Tool, Toolbox, ToolServers
from workbench.tools.edit import Edit
from workbench.tools.effects import effects
from workbench.tools.grep import Grep
from workbench.tools.ls import Ls
from workbench.tools.mv import Mv
from workbench.tools.read import Read
from workbench.tools.rm import Rm
from workbench.tools.touch import Touch
from workbench.tools.workspace.expressions import ExpressionSearch, search_command
from workbench.tools.workspace.paths import Refused, refusal_of
from workbench.tools.workspace.workspace import Workspace
from workbench.tools.write import Write

# Undoes an effect of a tool from the note that it left.


Undo = Callable[[Workspace, Mapping[str, Any]], str]
_KINDS: Mapping[str, Undo] = {
    effects.REWRITING_KIND: effects.undo_rewrite,
    effects.MOVING_KIND: effects.undo_move,
    effects.RETIMING_KIND: effects.undo_times,
}


def undo_effect(workspace: Workspace, note: Mapping[str, Any]) -> ToolOutcome:
    """Undoes an effect; where the file was changed since, nothing is touched and the outcome says so."""
    undo = _KINDS.get(str(note.get("kind")))
    if undo is None:
        return ToolOutcome(tr("This cannot be taken back: the note does not say how."), failed=True)
    try:
        with workspace.changing:
            restored = undo(workspace, note)
    except Refused as refusal:
        return ToolOutcome(tr("Not taken back: {refusal}", refusal=refusal), failed=True)
    except OSError as error:
        return ToolOutcome(tr("Not taken back: {refusal_of}", refusal_of=refusal_of(error)), failed=True)
    return ToolOutcome(tr("Taken back: {restored} is as it was before.", restored=restored))


class WorkspaceTools:
    """The eight file tools, bound to one folder → Toolbox."""

    def __init__(self, root: Path, expressions: ExpressionSearch | None = None) -> None:
        self._workspace = Workspace(root)
        search = expressions or ExpressionSearch(search_command())
        of = self._workspace
        self._tools: tuple[Tool, ...] = (
            *(Ls(of), Read(of), Grep(of, search)),
            *(Edit(of), Write(of), Touch(of), Mv(of), Rm(of)),
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools: first those that read, then those that change."""
        return self._tools

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Undoes an effect, unless the file was changed since."""
        return await asyncio.to_thread(undo_effect, self._workspace, note)


class JoinedTools:
    """The tools of a folder and of servers → Toolbox; what a server did can only be undone there."""

    def __init__(self, own: Toolbox, servers: ToolServers) -> None:
        self._own, self._servers = own, servers

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The folder's tools, then those of each server that may be used now."""
        of_servers = (tool for name in self._servers.names for tool in self._servers.tools(name))
        return (*self._own.tools, *of_servers)

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Undoes an effect of a file tool."""
        return await self._own.undo(note)
