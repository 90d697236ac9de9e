"""What a model may do in the world, each with its preview; a tool server's own tools fit the same seam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_question import McpAnswer, McpQuestion
from workbench.domain.mcp_server import McpContent, McpListing, McpServer
from workbench.domain.secrets import Secret
from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview, ToolProgress
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


@runtime_checkable
class TellingTool(Protocol):
    """A tool that says how far a call is while it runs."""

    async def run_telling(
        self, arguments: Mapping[str, Any], told: Callable[[ToolProgress], None]
    ) -> ToolOutcome:
        """Run the call; `told` is called in the loop that this is called in."""


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


class ServerFront(Protocol):
    """Who answers the servers of a workspace in the person's place; called in the loop in which it was given."""

    async def ask(self, question: McpQuestion) -> McpAnswer:
        """Ask the person; cancelled where the answer isn't needed any more."""

    async def sign_in_kept(self, server: str) -> Secret | None:
        """What is kept of a sign-in to a server, as `keep_sign_in` was given it."""

    async def keep_sign_in(self, server: str, kept: Secret | None) -> None:
        """Keep a sign-in encrypted, or with None forget it."""


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

    def attend(self, front: ServerFront) -> None:
        """Answer for the person from now on; without it every question of a server is declined."""

    async def sign_in(self, server: str) -> McpListing:
        """Has the person sign in to a server at an address, and starts it; `ToolServerFailed` says why not."""

    async def sign_out(self, server: str) -> bool:
        """Forgets a sign-in and stops the server; returns whether the server has revoked it, too."""

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
