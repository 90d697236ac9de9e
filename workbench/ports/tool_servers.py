"""Servers of tools (MCP): started when they are needed, asked for what they have, ended when nobody needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from workbench.domain.errors import WorkbenchError
from workbench.domain.keys.secret import Secret
from workbench.domain.mcp.server import McpContent, McpListing, McpServer
from workbench.domain.workspace import Workspace
from workbench.ports.tools import Tool, Toolbox


class ToolServerFailed(WorkbenchError):
    """A server did not give what was asked of it; says why, and what to do."""


class ToolServers(Protocol):
    """The servers of one workspace.

    None of them costs more than its own tools: whatever it does, a call ends in time and says what happened.
    """

    def configure(self, servers: Sequence[McpServer], secrets: Mapping[str, Secret]) -> None:
        """These are the servers from now on; one that is started another way, or gone, is ended.

        Nothing is started. A server that was only looked at, or whose tools were switched, goes on.
        """

    @property
    def names(self) -> tuple[str, ...]:
        """The servers there are, in their order."""

    def listing(self, server: str) -> McpListing:
        """How a server is, and what it had when it was last asked; at once."""

    async def start(self, server: str) -> McpListing:
        """Start a server, unless it runs, and ask what it has; a failure is a state of the listing."""

    def tools(self, server: str) -> tuple[Tool, ...]:
        """The tools of it that may be used, for a model; a call starts the server where it does not run."""

    async def read(self, server: str, uri: str) -> tuple[McpContent, ...]:
        """What a resource holds; `ToolServerFailed` where it cannot be had."""

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> str:
        """A prompt as the server writes it; `ToolServerFailed` where it cannot be had."""

    def subscribe(self, told: Callable[[McpListing], None]) -> Callable[[], None]:
        """Tell of every change, in the loop that this is called in; what is given back ends that."""

    async def stop(self, server: str) -> None:
        """End a server; the next call would start it again."""

    async def close(self) -> None:
        """End all of them; nothing that was started is left behind."""


class ToolRooms(Protocol):
    """The tools of each workspace: those of its folder, and those of its servers."""

    def tools(self, workspace: Workspace) -> Toolbox:
        """Everything that its chats may use."""

    def servers(self, workspace: Workspace) -> ToolServers:
        """Its servers, as they were configured last."""

    async def close(self) -> None:
        """End all servers."""
