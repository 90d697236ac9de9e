"""Servers of tools in memory: what they have and give is said by the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_question import McpQuestion, read_page
from workbench.domain.mcp_server import (
    McpArgument,
    McpContent,
    McpListing,
    McpPrompt,
    McpResource,
    McpServer,
    McpTool,
    check_server,
    usable_tools,
)
from workbench.domain.secrets import Secret
from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview, ToolProgress
from workbench.ports.tools import ServerFront, Tool, ToolServerFailed

Give = Callable[[Mapping[str, Any]], ToolOutcome]


@dataclass
class FakeToolServers:
    """Servers that answer at once → ToolServers.

    Attributes:
        has: what each server lists once it is started.
        gives: what each tool gives, by the model's name for it.
        contents, prompts: what resources hold, by address, and prompts say, by name.
        waits: what a prompt is not written before.
        called: the calls there were, in order.
        asks: what a tool asks the person when it is half done; it gives back what they said.
    """

    has: dict[str, McpListing] = field(default_factory=dict)
    gives: dict[str, Give] = field(default_factory=dict)
    contents: dict[str, McpContent] = field(default_factory=dict)
    prompts: dict[str, Callable[[Mapping[str, str]], str]] = field(default_factory=dict)
    waits: asyncio.Event | None = None
    called: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    secrets: dict[str, Secret] = field(default_factory=dict)
    asks: dict[str, McpQuestion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._servers: dict[str, McpServer] = {}
        self._listings: dict[str, McpListing] = {}
        self._hearers: list[Callable[[McpListing], None]] = []
        self.front: ServerFront | None = None

    def configure(self, servers: Sequence[McpServer], secrets: Mapping[str, Secret]) -> None:
        """These are the servers from now on."""
        for server in servers:
            check_server(server)
        self._servers = {server.name: server for server in servers}
        self.secrets = dict(secrets)

    @property
    def names(self) -> tuple[str, ...]:
        """The servers there are."""
        return tuple(self._servers)

    def listing(self, server: str) -> McpListing:
        """How a server is."""
        return self._listings.get(server) or McpListing(server)

    async def start(self, server: str) -> McpListing:
        """It is there at once, or fails as the test says."""
        if self.listing(server).state != "connected":
            self._tell(McpListing(server, "starting"))
            self._tell(self.has.get(server) or McpListing(server, "failed", "It is not there."))
        return self.listing(server)

    def tools(self, server: str) -> tuple[Tool, ...]:
        """The tools of it that may be used."""
        known = self._servers.get(server)
        found = () if known is None else usable_tools(known, self.listing(server))
        return tuple(FakeServerTool(server, tool, self) for tool in found)

    async def read(self, server: str, uri: str) -> tuple[McpContent, ...]:
        """What a resource holds."""
        if uri not in self.contents:
            raise ToolServerFailed(f"{server} refused: there is no {uri}")
        return (self.contents[uri],)

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> str:
        """A prompt as the server writes it, in its time."""
        if self.waits is not None:
            await self.waits.wait()
        return self.prompts[name](arguments)

    def subscribe(self, told: Callable[[McpListing], None]) -> Callable[[], None]:
        """Tell of every change."""
        self._hearers.append(told)
        return lambda: self._hearers.remove(told)

    def attend(self, front: ServerFront) -> None:
        """This one answers for the person."""
        self.front = front

    async def sign_in(self, server: str) -> McpListing:
        """The person visits a page; who does not is not signed in."""
        assert self.front is not None
        page = read_page(server, "Sign in.", "https://login.example.com/", sign_in=True)
        if (await self.front.ask(page)).action != "accept":
            raise ToolServerFailed(f"The sign-in to {server} was cancelled.")
        await self.front.keep_sign_in(server, Secret.of_text("kept"))
        return await self.start(server)

    async def sign_out(self, server: str) -> bool:
        """Forgotten, and revoked."""
        assert self.front is not None
        await self.front.keep_sign_in(server, None)
        await self.stop(server)
        return True

    async def stop(self, server: str) -> None:
        """End a server."""
        if self.listing(server).state == "connected":
            self._tell(replace(self.listing(server), state="off"))

    async def close(self) -> None:
        """End all of them."""
        self._hearers.clear()

    def _tell(self, listing: McpListing) -> None:
        self._listings[listing.server] = listing
        for told in list(self._hearers):
            told(listing)


@dataclass(frozen=True)
class FakeServerTool:
    """A tool of such a server → Tool."""

    server: str
    tool: McpTool
    servers: FakeToolServers
    has_side_effects: bool = True
    searches: bool = False

    @property
    def definition(self) -> ToolDefinition:
        """How the model is told of it."""
        return self.tool.definition

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """Who is asked for what."""
        summary = f"Use {self.tool.name} (server {self.server}), with:\n{dict(arguments)}"
        return ToolPreview(summary, reads=self.tool.says_read_only)

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """What the test says it gives."""
        await self.servers.start(self.server)
        self.servers.called.append((self.tool.called, dict(arguments)))
        question = self.servers.asks.get(self.tool.called)
        if question is not None and self.servers.front is not None:
            try:
                answer = await self.servers.front.ask(question)
            except WorkbenchError as problem:
                return ToolOutcome(str(problem), failed=True)
            return ToolOutcome(f"{answer.action}: {dict(answer.content)}")
        return self.servers.gives[self.tool.called](arguments)

    async def run_telling(
        self, arguments: Mapping[str, Any], told: Callable[[ToolProgress], None]
    ) -> ToolOutcome:
        """The same, half done first."""
        told(ToolProgress("half", 0.5))
        return await self.run(arguments)


def sample_servers() -> FakeToolServers:
    """What the sample server has, without a process."""
    schema = '{"type":"object"}'
    tools = tuple(
        McpTool(name, f"sample__{name}", f"{name}.", schema, name == "add")
        for name in ("add", "fail", "surroundings")
    )
    listing = _sample_listing(tools)

    def add(given: Mapping[str, Any]) -> ToolOutcome:
        whole = isinstance(given.get("a"), int) and isinstance(given.get("b"), int)
        return (
            ToolOutcome(str(given["a"] + given["b"])) if whole else ToolOutcome("Two numbers.", failed=True)
        )

    return FakeToolServers(
        {"sample": listing},
        {"sample__add": add, "sample__fail": lambda given: ToolOutcome("This does not work.", failed=True)},
        {
            "sample://notes": McpContent("sample://notes", "text/markdown", "# Notes\nkäse"),
            "sample://picture": McpContent("sample://picture", "image/png", data=b"\x89PNG\x00"),
        },
        {"review": lambda given: f"Review {given['subject']}, please."},
    )


def _sample_listing(tools: tuple[McpTool, ...]) -> McpListing:
    return McpListing(
        "sample",
        "connected",
        tools=tools,
        resources=(
            McpResource("sample://notes", "notes", mime="text/markdown"),
            McpResource("sample://picture", "picture", mime="image/png"),
        ),
        prompts=(McpPrompt("review", "Asks for a review.", (McpArgument("subject", "", True),)),),
    )
