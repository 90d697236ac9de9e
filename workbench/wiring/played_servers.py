"""Servers of tools on the stage of the pictures: what each says is written down, and nothing is started."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.domain.approval import ApprovalRule
from workbench.domain.mcp import McpContent, McpListing, McpServer, McpTool, approve, called
from workbench.domain.secret import Secret
from workbench.domain.workspace import Fact, SavedPrompt, Workspace
from workbench.ports.tool_servers import ToolServerFailed
from workbench.ports.tools import Tool
from workbench.sources.resources import resource_path

Told = Callable[[McpListing], None]


class PlayedServers:
    """They list what the file says, at once, and are never called → ToolServers."""

    def __init__(self) -> None:
        self._told = tomllib.loads(resource_path("sample", "servers.toml").read_text(encoding="utf-8"))
        self._names: tuple[str, ...] = ()
        self._listings: dict[str, McpListing] = {}
        self._hearers: list[Told] = []

    def before(self) -> tuple[McpServer, ...]:
        """The servers as somebody looked at them."""
        return tuple(self._server(name) for name in self._told)

    def configure(self, servers: Sequence[McpServer], secrets: Mapping[str, Secret]) -> None:
        """These are the servers from now on."""
        self._names = tuple(server.name for server in servers)

    @property
    def names(self) -> tuple[str, ...]:
        """The servers there are."""
        return self._names

    def listing(self, server: str) -> McpListing:
        """How a server is."""
        return self._listings.get(server) or McpListing(server)

    async def start(self, server: str) -> McpListing:
        """It is there at once, or fails as the file says."""
        said = self._told[server]
        tools = tuple(_tool(server, one, one.get("changed", "")) for one in said.get("tools", ()))
        problem = said.get("problem", "")
        found = McpListing(server, "failed" if problem else "connected", problem, tools)
        self._listings[server] = found
        for told in list(self._hearers):
            told(found)
        return found

    def tools(self, server: str) -> tuple[Tool, ...]:
        """None is called on a picture."""
        return ()

    async def read(self, server: str, uri: str) -> tuple[McpContent, ...]:
        """Nothing is read on a picture."""
        raise ToolServerFailed(f"{server} has no {uri}.")

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> str:
        """Nothing is written on a picture."""
        raise ToolServerFailed(f"{server} has no prompt {name}.")

    def subscribe(self, told: Told) -> Callable[[], None]:
        """Tell of every change."""
        self._hearers.append(told)
        return lambda: self._hearers.remove(told)

    async def stop(self, server: str) -> None:
        """It is off."""
        self._listings[server] = replace(self.listing(server), state="off")

    async def close(self) -> None:
        """Nobody listens any more."""
        self._hearers.clear()

    def _server(self, name: str) -> McpServer:
        said = self._told[name]
        server = McpServer(
            name,
            said.get("command", ""),
            tuple(said.get("args", ())),
            url=said.get("url", ""),
            enabled=said.get("used", True),
            tools_off=frozenset(one["name"] for one in said.get("tools", ()) if one.get("off")),
        )
        return approve(server, (_tool(name, one) for one in said.get("tools", ())))


def _tool(server: str, said: Mapping[str, Any], words: str = "") -> McpTool:
    schema = json.dumps(said["schema"], separators=(",", ":"))
    return McpTool(said["name"], called(server, said["name"]), words or said["description"], schema)


# The workspace that scenes are held in: what it says, remembers and allows, and the prompts that are kept there.

RULES = (
    ApprovalRule(("read", "ls", "grep"), decision="allow"),
    ApprovalRule(("edit", "write", "mv"), "src/**", "ask"),
    ApprovalRule(("rm", "github__merge"), decision="never"),
)
WORKSPACE = Workspace(
    "tokens",
    "Token service",
    instructions="Times are in seconds, as integers. Name the file and the line for every claim.\n"
    "Show changes as a unified diff.",
    facts=(
        Fact("fact-1", "The token service is owned by the platform team; ask before its interface changes."),
        Fact("fact-2", "Releases go out on Thursdays."),
    ),
)
PROMPTS = (
    SavedPrompt(
        "Review a change", "Review {{file}} as of {{date}}: what can break, and which test is missing?"
    ),
    SavedPrompt("Release notes", "Release notes for {{version}}, for {{readers}}: three lines.", "tokens"),
    SavedPrompt("Explain to a newcomer", "Explain {{files}} to somebody who started this {{weekday}}."),
)
