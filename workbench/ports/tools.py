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
        """Do it."""


class Toolbox(Protocol):
    """The tools of a workspace."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All of them, in the order the model is told of them."""

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Take an effect back, unless the world has moved on since; then say so and change nothing."""


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
