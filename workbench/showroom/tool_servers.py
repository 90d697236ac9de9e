"""Scripted tool servers: they list the tools of `resources/sample/servers.toml`, and no process is started."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.domain.mcp_server import McpContent, McpListing, McpServer, McpTool, approve, called
from workbench.domain.secrets import Secret
from workbench.ports.tools import ServerFront, Tool, ToolServerFailed
from workbench.sources.resources import resource_path

Told = Callable[[McpListing], None]


class ScriptedToolServers:
    """List their tools at once, and are never called → ToolServers."""

    def __init__(self) -> None:
        self._script = tomllib.loads(resource_path("sample", "servers.toml").read_text(encoding="utf-8"))
        self._names: tuple[str, ...] = ()
        self._listings: dict[str, McpListing] = {}
        self._subscribers: list[Told] = []

    def before(self) -> tuple[McpServer, ...]:
        """The servers as somebody looked at them."""
        return tuple(self._server(name) for name in self._script)

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
        said = self._script[server]
        tools = tuple(_tool(server, one, one.get("changed", "")) for one in said.get("tools", ()))
        problem = said.get("problem", "")
        found = McpListing(server, "failed" if problem else "connected", problem, tools)
        self._listings[server] = found
        for told in list(self._subscribers):
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
        self._subscribers.append(told)
        return lambda: self._subscribers.remove(told)

    def attend(self, front: ServerFront) -> None:
        """Nothing is asked on a picture."""

    async def sign_in(self, server: str) -> McpListing:
        """Nobody signs in on a picture."""
        return self.listing(server)

    async def sign_out(self, server: str) -> bool:
        """Nobody is signed in on a picture."""
        return False

    async def stop(self, server: str) -> None:
        self._listings[server] = replace(self.listing(server), state="off")

    async def close(self) -> None:
        """Nobody listens any more."""
        self._subscribers.clear()

    def _server(self, name: str) -> McpServer:
        said = self._script[name]
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
