"""Servers of tools as tests run them: the well-behaved one over both ways, and those that are not."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from workbench.domain.mcp_server import McpListing, McpServer, approve
from workbench.domain.tool import ToolOutcome
from workbench.net.connections import Connections
from workbench.ports.tools import ToolServers
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.mcp.servers import McpServers

HERE = Path(__file__).parent
SAMPLE = McpServer("sample", sys.executable, (str(HERE / "mcp_server.py"),))


def tool_servers(folder: str) -> McpServers:
    """Servers in the surroundings of the tests."""
    return McpServers(os.environ, folder)


def hostile(mode: str) -> McpServer:
    """A server that misbehaves in this way."""
    return McpServer(mode, sys.executable, (str(HERE / "hostile_mcp.py"), mode))


@asynccontextmanager
async def sample_over_http() -> AsyncIterator[McpServer]:
    """The well-behaved server on a port of this computer."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "mcp_server.py"), "http", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        port = int(await process.stdout.readline())
        yield McpServer("sample", url=f"http://127.0.0.1:{port}/mcp")
    finally:
        process.kill()
        await process.communicate()


class Bench:
    """Servers that are looked at once, all tools of which are then used."""

    def __init__(
        self,
        *servers: McpServer,
        limits: McpLimits | None = None,
        folder: str = "",
        of: ToolServers | None = None,
        net: Connections | None = None,
    ) -> None:
        # As a whole program has it: with secrets of its own, which are nobody's business.
        environment = {**os.environ, "OPENAI_API_KEY": "sk-ours"}
        self.servers = of or McpServers(environment, folder, limits or McpLimits(), net=net)
        self.known = {server.name: server for server in servers}
        self.told: list[McpListing] = []
        self.servers.configure(servers, {})

    async def __aenter__(self) -> Bench:
        self.servers.subscribe(self.told.append)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.servers.close()

    async def approved(self, name: str) -> McpListing:
        """Start a server and look at everything it has."""
        listing = await self.servers.start(name)
        self.known[name] = approve(self.known[name], listing.tools)
        self.servers.configure(list(self.known.values()), {})
        return listing

    async def call(self, name: str, arguments: dict[str, object] | None = None) -> ToolOutcome:
        """Call a tool by the name that a model has for it."""
        found = {tool.definition.name: tool for one in self.known for tool in self.servers.tools(one)}
        return await found[name].run(arguments or {})
