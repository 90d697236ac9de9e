"""Chooses the toolbox of a chat: by its workspace, or by the folder that is set now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.domain.tool import ToolOutcome
from workbench.domain.workspace import Workspace
from workbench.ports.tools import Tool, Toolbox, ToolServers
from workbench.tools.toolbox import JoinedTools


class WorkspaceToolboxes:
    """The tools of each workspace, bound to its folder, with those of its servers → ToolRooms.

    A workspace without a folder has the tools of `here`. The code for servers is loaded when a workspace has one.
    """

    def __init__(
        self, make: Callable[[str], Toolbox], here: Toolbox, serve: Callable[[str], ToolServers]
    ) -> None:
        self._make, self._here, self._serve = make, here, serve
        self._made: dict[str, Toolbox] = {}
        self._servers: dict[tuple[str, str], ToolServers] = {}

    def tools(self, workspace: Workspace) -> Toolbox:
        """Returns everything that the chats of a workspace may use."""
        own = self._own(workspace.folder)
        return JoinedTools(own, self.servers(workspace)) if workspace.servers else own

    def servers(self, workspace: Workspace) -> ToolServers:
        """Returns the servers of a workspace, separate for each folder it is bound to."""
        key = (workspace.id, workspace.folder)
        if key not in self._servers:
            self._servers[key] = self._serve(workspace.folder)
        return self._servers[key]

    async def close(self) -> None:
        for servers in self._servers.values():
            await servers.close()

    def _own(self, folder: str) -> Toolbox:
        if not folder:
            return self._here
        if folder not in self._made:
            self._made[folder] = self._make(folder)
        return self._made[folder]


class MovableTools:
    """The tools of the folder that is set now → Toolbox."""

    def __init__(self, make: Callable[[str], Toolbox], workspace: str) -> None:
        self._make, self._workspace = make, workspace
        self._here = make(workspace)

    def move(self, workspace: str) -> None:
        """Switches to another folder; a call that runs goes on in the old one."""
        if workspace != self._workspace:
            self._here, self._workspace = self._make(workspace), workspace

    @property
    def workspace(self) -> str:
        """The folder that was chosen; empty for the one in which the program was started."""
        return self._workspace

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools."""
        return self._here.tools

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Undoes an effect, unless the file was changed since."""
        return await self._here.undo(note)
