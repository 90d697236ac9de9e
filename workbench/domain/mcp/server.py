"""Servers of tools (MCP): what a person set about one, what it says it has, and which of that was looked at.

Whatever a server says is foreign text. A tool is used only in the words that somebody looked at: approval is for one
text, and another one under the same name is another tool until it was looked at too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Literal

from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import Artifact
from workbench.domain.mcp.names import LONGEST_SERVER, SERVER_NAME, called
from workbench.domain.text import digest_text
from workbench.domain.tool import ToolDefinition

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?P<port>:[0-9]{1,5})?(?P<path>/[!-~]*)?",
    re.IGNORECASE | re.ASCII,
)


def check_url(url: str) -> None:
    """Refuse an address that could be read on the way, that holds a password, or that readers differ about."""
    found = _URL.fullmatch(url)
    host = "" if found is None else found["host"].strip("[]").lower()
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise InvalidInput("url", "it must not hold a name or password; headers may hold secrets")
    if "?" in url or "#" in url:
        raise InvalidInput("url", "it must end with its path, without ? or #; headers may hold secrets")
    if found is None or "\\" in url or not host.strip("."):
        raise InvalidInput("url", "it must be a plain address that begins with https://")
    if found["scheme"].lower() == "http" and not _is_here(host):
        raise InvalidInput("url", "http:// can be read on the way; use https://, or a tunnel to 127.0.0.1")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


ServerState = Literal["off", "starting", "connected", "failed"]
ToolState = Literal["new", "approved", "changed"]


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool as its server describes it, made harmless.

    Attributes:
        name: the server's own name for it.
        called: the model's name for it, which no other tool has.
        says_read_only: what the server says about it; nothing follows from that.
    """

    name: str
    called: str
    description: str = ""
    schema_json: str = "{}"
    says_read_only: bool = False

    @property
    def definition(self) -> ToolDefinition:
        """How a model is told of it."""
        return ToolDefinition(self.called, self.description, self.schema_json)

    @property
    def text(self) -> str:
        """Everything that a model is told of it, to be looked at and compared."""
        schema = json.dumps(json.loads(self.schema_json), ensure_ascii=False, indent=2)
        return f"{self.description}\n\n{schema}"

    @property
    def digest(self) -> str:
        """Of what it is looked at for: approval is for this."""
        return digest_text(self.text)


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server as it is kept: a program of this computer by its `command`, or another one by its `url`.

    Attributes:
        name: known by it everywhere, and in the names of its tools; letters, digits, - and single _.
        env, headers: by name; a value, and an argument, may hold `${secret:NAME}`, which is kept elsewhere.
        cwd: the folder it is started in; `${workspaceFolder}` is the workspace's, as it is when none is given.
        tools_off: its own names of tools that are not used.
        approved: its tools as they were looked at; no other is used, and they are known before it is started.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    enabled: bool = True
    tools_off: frozenset[str] = frozenset()
    approved: tuple[McpTool, ...] = ()

    @property
    def shown(self) -> str:
        """What is started or asked, in one line, without what is secret."""
        return self.url or " ".join((self.command, *self.args))


@dataclass(frozen=True, slots=True)
class McpResource:
    """Something a server would give to read; `size` is in bytes, where it says so."""

    uri: str
    name: str = ""
    description: str = ""
    mime: str = ""
    size: int | None = None


@dataclass(frozen=True, slots=True)
class McpArgument:
    """One thing that a prompt of a server asks for."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class McpPrompt:
    """A prompt that a server would write."""

    name: str
    description: str = ""
    arguments: tuple[McpArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class McpListing:
    """How a server is, and everything it says it has.

    Attributes:
        problem: why it failed and what to do, in a sentence or two.
        left_out: what it has besides and is not used, each with why.
    """

    server: str
    state: ServerState = "off"
    problem: str = ""
    tools: tuple[McpTool, ...] = ()
    resources: tuple[McpResource, ...] = ()
    prompts: tuple[McpPrompt, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class McpContent:
    """What a resource gave: text, or else bytes; `cut` where there was more."""

    uri: str
    mime: str = ""
    text: str = ""
    data: bytes = b""
    cut: bool = False


def resource_artifact(server: str, content: McpContent, title: str = "") -> Artifact:
    """What a resource holds as something attached; no tool of ours could read it again, so it is sent as it is."""
    return Artifact(f"{server}:{content.uri}", "note", content.text, title=title, recoverable=False)


# Looking at tools.


def tool_state(server: McpServer, tool: McpTool) -> ToolState:
    """Whether a tool was looked at as it is now."""
    before = approved_tool(server, tool.name)
    if before is None:
        return "new"
    return "approved" if before.digest == tool.digest else "changed"


def approved_tool(server: McpServer, name: str) -> McpTool | None:
    """The tool of this name as it was looked at, to be compared with what it is now."""
    return next((one for one in server.approved if one.name == name), None)


def approve(server: McpServer, tools: Iterable[McpTool]) -> McpServer:
    """The server with these tools as somebody has just looked at them."""
    seen = {one.name: one for one in (*server.approved, *tools)}
    return replace(server, approved=tuple(seen[name] for name in sorted(seen)))


def usable_tools(server: McpServer, listing: McpListing) -> tuple[McpTool, ...]:
    """The tools a model may be told of: switched on, and looked at as they are; as they were, until it has started."""
    known = listing.tools if listing.state == "connected" else server.approved
    return tuple(
        tool
        for tool in known
        if server.enabled and tool.name not in server.tools_off and tool_state(server, tool) == "approved"
    )


def with_own_names(server: McpServer) -> McpServer:
    """The server with its tools called as they are of a server of its name: nobody else's word counts for that."""
    tools = tuple(replace(tool, called=called(server.name, tool.name)) for tool in server.approved)
    return replace(server, approved=tools)


def check_server(server: McpServer) -> None:
    """Refuse what could not be started or asked, by the field that is wrong."""
    if not SERVER_NAME.fullmatch(server.name) or len(server.name) > LONGEST_SERVER:
        raise InvalidInput("name", "letters, digits, - and single _ only, at most 32 of them")
    if bool(server.command) == bool(server.url):
        raise InvalidInput(server.name, "give either a command or a url")
    if server.url:
        check_url(server.url)
    if any("\0" in text for text in (server.command, *server.args, server.cwd, *server.env.values())):
        raise InvalidInput(server.name, "a command cannot hold the character 0")
