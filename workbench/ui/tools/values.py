"""The tools that a chat may have, as plain values: the program's own, then those of each server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from workbench.domain.mcp_server import (
    McpListing,
    McpServer,
    McpTool,
    ServerState,
    SignIn,
    ToolState,
    tool_state,
)
from workbench.domain.record import Chat
from workbench.domain.tool import ToolDefinition
from workbench.domain.workspace import Workspace, is_template, workspace_of_template
from workbench.engine.state import ChatState, WorkbenchState

BUILT_IN = ""
"""Key of the group of the program's own tools."""


@dataclass(frozen=True, slots=True)
class ToolValue:
    """A tool as it is shown; `title` is its name at its source, `tokens` is None until counted.

    If `barred`, it is switched off for all chats of its workspace.
    """

    definition: ToolDefinition
    title: str
    on: bool = False
    tokens: int | None = None
    state: ToolState = "approved"
    barred: bool = False

    @property
    def name(self) -> str:
        return self.definition.name


@dataclass(frozen=True, slots=True)
class GroupValue:
    """The tools of one source.

    Attributes:
        server: their MCP server; None for the program's own tools.
        state, problem: the server's state; left_out: its tools that cannot be used, each with the reason.
        waiting: tools that were not reviewed in their current form.
        sign_in: whether the server wants the person to sign in, or they have.
    """

    tools: tuple[ToolValue, ...]
    server: McpServer | None = None
    state: ServerState = "off"
    problem: str = ""
    left_out: tuple[str, ...] = ()
    waiting: tuple[McpTool, ...] = ()
    sign_in: SignIn = ""

    @property
    def key(self) -> str:
        return BUILT_IN if self.server is None else self.server.name

    @property
    def is_used(self) -> bool:
        return self.server is None or self.server.enabled

    @property
    def usable(self) -> tuple[ToolValue, ...]:
        return tuple(tool for tool in self.tools if tool.state == "approved") if self.is_used else ()

    @property
    def on(self) -> tuple[ToolValue, ...]:
        return tuple(tool for tool in self.usable if tool.on)

    @property
    def tokens(self) -> int:
        return sum(tool.tokens or 0 for tool in self.on)

    @property
    def tokens_when_on(self) -> int | None:
        """Tokens of all its tools together; None unless all are counted."""
        known = [tool.tokens for tool in self.tools if tool.tokens is not None]
        return sum(known) if known and len(known) == len(self.tools) else None


def workspace_of(state: WorkbenchState, chat: Chat) -> Workspace | None:
    """The workspace of a chat, or the one whose template it is; None if there is none."""
    inside = workspace_of_template(chat.id) if is_template(chat.id) else chat.filed.workspace
    return state.workspaces.get(inside)


def tool_groups(
    state: WorkbenchState, chat: ChatState, own: Iterable[ToolDefinition]
) -> tuple[GroupValue, ...]:
    """All tools that a chat could have, group by group."""
    has = {tool.name for tool in chat.chat.settings.tools}
    costs = chat.tool_tokens
    built_in = GroupValue(
        tuple(ToolValue(tool, tool.name, tool.name in has, costs.get(tool)) for tool in own)
    )
    place = workspace_of(state, chat.chat)
    served = () if place is None else place.servers
    key = "" if place is None else place.id
    return (
        built_in,
        *(
            _server_group(server, state.servers.get((key, server.name)) or McpListing(server.name), chat, has)
            for server in served
        ),
    )


def _server_group(server: McpServer, listing: McpListing, chat: ChatState, has: set[str]) -> GroupValue:
    known = listing.tools if listing.state == "connected" else server.approved
    tools = tuple(_tool_value(server, tool, chat, has) for tool in known)
    waiting = tuple(tool for tool in known if tool_state(server, tool) != "approved")
    return GroupValue(
        tools, server, listing.state, listing.problem, listing.left_out, waiting, listing.sign_in
    )


def _tool_value(server: McpServer, tool: McpTool, chat: ChatState, has: set[str]) -> ToolValue:
    barred = tool.name in server.tools_off
    on = tool.called in has and server.enabled and not barred
    state = tool_state(server, tool)
    cost = chat.tool_tokens.get(tool.definition)
    return ToolValue(tool.definition, tool.name, on and state == "approved", cost, state, barred)


def definitions(groups: Iterable[GroupValue]) -> tuple[ToolDefinition, ...]:
    """The definitions of all tools, to be counted."""
    return tuple(tool.definition for group in groups for tool in group.tools)


def tools_after(
    groups: Iterable[GroupValue], held: Iterable[ToolDefinition], names: Iterable[str], on: bool
) -> tuple[ToolDefinition, ...]:
    """The tools of a chat after these are switched on or off; tools not in `groups` stay as they are."""
    changed, before = set(names), {tool.name: tool for tool in held}
    known = {tool.name: tool for group in groups for tool in group.tools}

    def wanted() -> Iterator[ToolDefinition]:
        for tool in known.values():
            if tool.name not in changed and tool.name in before and not tool.barred:
                yield before[tool.name]
            elif tool.name in changed and on:
                yield tool.definition
        yield from (tool for name, tool in before.items() if name not in known)

    return tuple(wanted())


def unbarred(place: Workspace, tools: Iterable[ToolDefinition]) -> Workspace | None:
    """The workspace with these tools allowed for all its chats; None if they already are."""
    names = {tool.name for tool in tools}
    servers = tuple(
        replace(
            server,
            tools_off=server.tools_off - {tool.name for tool in server.approved if tool.called in names},
        )
        for server in place.servers
    )
    return None if servers == place.servers else replace(place, servers=servers)
