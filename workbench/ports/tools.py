"""What a model may do in the world, each with its preview; a tool server's own tools fit the same seam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_server import McpContent, McpListing, McpServer
from workbench.domain.secrets import Secret
from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview
from workbench.domain.workspace import Workspace


class Tool(Protocol):
    """One thing a model may ask for. Arguments are whatever the model wrote; a tool refuses what it cannot use.

    What goes wrong is an outcome with `failed`, in words the model can act on; only a bug raises.
    """

    @property
    def definition(self) -> ToolDefinition:
        """How the model is told of it."""

    @property
    def has_side_effects(self) -> bool:
        """Whether a person must allow each call."""

    @property
    def searches(self) -> bool:
        """Whether its results are found text, after which the question is repeated."""

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """What the call would do; nothing is changed."""

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Runs the call."""


class Toolbox(Protocol):
    """The tools of a workspace."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools in the order in which the model is told of them."""

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Undoes an effect, unless the file was changed since; the outcome then says so and nothing is changed."""


# Servers of tools (MCP): started when they are needed, asked for what they have, ended when nobody needs them.


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
        """Returns a server's state and what it listed last, without asking it."""

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
        """Stops a server; the next call starts it again."""

    async def close(self) -> None:
        """Stops all servers; no process is left."""


class ToolRooms(Protocol):
    """The tools of each workspace: those of its folder, and those of its servers."""

    def tools(self, workspace: Workspace) -> Toolbox:
        """Returns everything that the chats of a workspace may use."""

    def servers(self, workspace: Workspace) -> ToolServers:
        """Returns the servers of a workspace, as last configured."""

    async def close(self) -> None:
        """End all servers."""
