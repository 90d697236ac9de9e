"""MCP servers: their configuration, the tools and resources they offer, and which tools the user approved.

Whatever a server sends is foreign text. Approval is for one exact definition of a tool: a changed definition under the
same name is another tool until the user approves it too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Any, Literal

from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import Artifact
from workbench.domain.secrets import Secret
from workbench.domain.text import digest_text
from workbench.domain.tool import PATH_NAMES, TEXT_NAMES, ToolDefinition, texts_in
from workbench.domain.translation import tr

# Names of tool servers and of their tools, unique and fit for every provider.


BETWEEN = "__"
_LONGEST_CALLED, LONGEST_SERVER, _SUFFIX = 64, 32, 8
SERVER_NAME = re.compile(r"[A-Za-z0-9](?:_?[A-Za-z0-9-])*", re.ASCII)


def server_name(wanted: str, taken: Collection[str] = ()) -> str:
    """A valid server name, usable as a prefix of tool names; numbered where it is taken."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", wanted)
    plain = re.sub(r"_[_-]*|-+", lambda found: found[0][0], plain).strip("-_")[:LONGEST_SERVER].strip("-_")
    plain = plain or "server"
    folded, number, name = {one.lower() for one in taken}, 1, plain
    while name.lower() in folded:
        number += 1
        name = f"{plain[: LONGEST_SERVER - 5]}-{number}"
    return name


def called(server: str, tool: str) -> str:
    """The unique, stable name under which the model calls a server's tool.

    Providers take letters, digits, _ and -, at most 64. A name that had to be changed for that carries a piece of its
    digest; no server's name holds two _ or ends in one, so that the border between the two is certain.
    """
    plain = f"{server}{BETWEEN}{re.sub(r'[^A-Za-z0-9_-]', '_', tool)}"
    if plain == f"{server}{BETWEEN}{tool}" and len(plain) <= _LONGEST_CALLED:
        return plain
    digest = digest_text(f"{server}\n{tool}")[:_SUFFIX]
    return f"{plain[: _LONGEST_CALLED - _SUFFIX - 1]}_{digest}"


_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?P<port>:[0-9]{1,5})?(?P<path>/[!-~]*)?",
    re.IGNORECASE | re.ASCII,
)


def check_url(url: str) -> None:
    """Refuse an address that is unencrypted, contains a password, or is ambiguous to parsers."""
    found = _URL.fullmatch(url)
    host = "" if found is None else found["host"].strip("[]").lower()
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise InvalidInput("url", tr("it must not hold a name or password; headers may hold secrets"))
    if "?" in url or "#" in url:
        raise InvalidInput("url", tr("it must end with its path, without ? or #; headers may hold secrets"))
    if found is None or "\\" in url or not host.strip("."):
        raise InvalidInput("url", tr("it must be a plain address that begins with https://"))
    if found["scheme"].lower() == "http" and not _is_local_host(host):
        raise InvalidInput(
            "url", tr("http:// can be read on the way; use https://, or a tunnel to 127.0.0.1")
        )


def _is_local_host(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_CLIENT_ID = re.compile(r"[!-~]{1,500}", re.ASCII)
ServerState = Literal["off", "starting", "connected", "failed"]
ToolState = Literal["new", "approved", "changed"]
SignIn = Literal["", "needed", "done"]


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool as its server describes it, sanitised.

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
        """The definition that the model gets."""
        return ToolDefinition(self.called, self.description, self.schema_json)

    @property
    def text(self) -> str:
        """Everything that the model is told of the tool, for review and comparison."""
        schema = json.dumps(json.loads(self.schema_json), ensure_ascii=False, indent=2)
        return f"{self.description}\n\n{schema}"

    @property
    def digest(self) -> str:
        """Digest of the reviewed text: approval is for this."""
        return digest_text(self.text)


@dataclass(frozen=True, slots=True)
class McpServer:
    """A stored server configuration: a local program by its `command`, or a remote one by its `url`.

    Attributes:
        name: known by it everywhere, and in the names of its tools; letters, digits, - and single _.
        env, headers: by name; a value, and an argument, may hold `${secret:NAME}`, which is kept elsewhere.
        cwd: the folder it is started in; `${workspaceFolder}` is the workspace's, as it is when none is given.
        tools_off: its own names of tools that are not used.
        approved: its tools as the user approved them; no other is used, and they are known before it is started.
        roots: whether it is told the workspace's folder. sampling: whether it may ask to have the chat's model asked.
        client_id: by which its sign-in knows this program, where programs cannot register there.
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
    roots: bool = False
    sampling: bool = False
    client_id: str = ""

    @property
    def shown(self) -> str:
        """The command line or address in one line, without secrets."""
        return self.url or " ".join((self.command, *self.args))


@dataclass(frozen=True, slots=True)
class McpResource:
    """A resource that a server offers; `size` is in bytes, where it says so."""

    uri: str
    name: str = ""
    description: str = ""
    mime: str = ""
    size: int | None = None


@dataclass(frozen=True, slots=True)
class McpArgument:
    """One argument of a server's prompt."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class McpPrompt:
    """A prompt template that a server offers."""

    name: str
    description: str = ""
    arguments: tuple[McpArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class McpListing:
    """A server's state, and everything it offers.

    Attributes:
        problem: why it failed and what to do, in a sentence or two.
        left_out: what it has besides and is not used, each with why.
        sign_in: whether it wants the person to sign in, or they have.
    """

    server: str
    state: ServerState = "off"
    problem: str = ""
    tools: tuple[McpTool, ...] = ()
    resources: tuple[McpResource, ...] = ()
    prompts: tuple[McpPrompt, ...] = ()
    left_out: tuple[str, ...] = ()
    sign_in: SignIn = ""


@dataclass(frozen=True, slots=True)
class McpContent:
    """The content of a resource: text, or else bytes; `cut` where there was more."""

    uri: str
    mime: str = ""
    text: str = ""
    data: bytes = b""
    cut: bool = False


def resource_artifact(server: str, content: McpContent, title: str = "") -> Artifact:
    """A resource's content as an artifact; not recoverable, since none of our tools could read it again."""
    return Artifact(f"{server}:{content.uri}", "note", content.text, title=title, recoverable=False)


# Looking at tools.


def tool_state(server: McpServer, tool: McpTool) -> ToolState:
    """Whether a tool is approved in its current definition."""
    before = approved_tool(server, tool.name)
    if before is None:
        return "new"
    return "approved" if before.digest == tool.digest else "changed"


def approved_tool(server: McpServer, name: str) -> McpTool | None:
    """The approved definition of a tool, to compare with the current one."""
    return next((one for one in server.approved if one.name == name), None)


def approve(server: McpServer, tools: Iterable[McpTool]) -> McpServer:
    """The server with these tools approved."""
    seen = {one.name: one for one in (*server.approved, *tools)}
    return replace(server, approved=tuple(seen[name] for name in sorted(seen)))


def usable_tools(server: McpServer, listing: McpListing) -> tuple[McpTool, ...]:
    """The tools a model may be told of: switched on, and approved in their current form, if that is known yet."""
    known = listing.tools if listing.state == "connected" else server.approved
    return tuple(
        tool
        for tool in known
        if server.enabled and tool.name not in server.tools_off and tool_state(server, tool) == "approved"
    )


def with_own_names(server: McpServer) -> McpServer:
    """The server with its tools' model names derived from its own name, whatever was stored."""
    tools = tuple(replace(tool, called=called(server.name, tool.name)) for tool in server.approved)
    return replace(server, approved=tools)


def check_server(server: McpServer) -> None:
    """Refuse a configuration that could not be started or reached, naming the wrong field."""
    if not SERVER_NAME.fullmatch(server.name) or len(server.name) > LONGEST_SERVER:
        raise InvalidInput("name", tr("letters, digits, - and single _ only, at most 32 of them"))
    if bool(server.command) == bool(server.url):
        raise InvalidInput(server.name, tr("give either a command or a url"))
    if server.url:
        check_url(server.url)
    if server.client_id and not (server.url and _CLIENT_ID.fullmatch(server.client_id)):
        raise InvalidInput(
            "client_id", tr("it is for an address, and has up to 500 plain characters, no space")
        )
    if any("\0" in text for text in (server.command, *server.args, server.cwd, *server.env.values())):
        raise InvalidInput(server.name, tr("a command cannot hold the character 0"))


# Secrets of tool servers: a server's values name them, and only what starts it knows them.


_PLACE = re.compile(r"\$\{secret:([A-Za-z0-9_.-]{1,128})\}", re.ASCII)


def secret_place(name: str) -> str:
    """The placeholder for a secret."""
    return f"${{secret:{name}}}"


def secrets_in(server: McpServer) -> tuple[str, ...]:
    """The names of the secrets that a server needs, in order of appearance."""
    texts = (*server.args, *server.env.values(), *server.headers.values())
    return tuple(dict.fromkeys(name for text in texts for name in _PLACE.findall(text)))


def owned_secret(server: str, name: str) -> str:
    """The store key of a server's secret, which no other server can name."""
    return f"{server}/{name}"


def with_owned_secrets(server: McpServer) -> McpServer:
    """The server with its secrets' names replaced by store keys of its own, as it is started."""

    def owned(text: str) -> str:
        return _PLACE.sub(lambda found: secret_place(f"{server.name}.{found[1]}"), text)

    return replace(
        server,
        args=tuple(map(owned, server.args)),
        env={name: owned(value) for name, value in server.env.items()},
        headers={name: owned(value) for name, value in server.headers.items()},
    )


def filled(text: str, secrets: Mapping[str, Secret]) -> str:
    """The text with placeholders replaced by secrets; `InvalidInput` names one that is not stored."""

    def one(found: re.Match[str]) -> str:
        secret = secrets.get(found[1])
        if secret is None:
            raise InvalidInput(found[1], tr("this secret is not kept here yet; enter it"))
        return secret.reveal_text()

    return _PLACE.sub(one, text)


# Paths in a call that lie outside the workspace's folder: only the names are read, no disk is asked.


_MOST = 5
_DRIVE = re.compile(r"[A-Za-z]:(?=/|$)")


def paths_outside(arguments: Mapping[str, Any], folder: str) -> tuple[str, ...]:
    """Paths in the arguments that lie outside the folder, in order and once each; empty without a folder."""
    found: dict[str, None] = {}
    if folder:
        for path in _path_candidates(arguments):
            if _is_outside(path, folder):
                found.setdefault(path)
    return tuple(found)[:_MOST]


def _path_candidates(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Every argument that may be a path; under an unfamiliar name, each word of a text."""
    for name, value in texts_in(arguments):
        if not isinstance(value, str) or name in TEXT_NAMES:
            continue
        if name in PATH_NAMES:
            yield value.strip()
        else:
            words = re.split(r"[\s\"'`=;,|&<>()]+", value)
            yield from (word for word in words if word in ("~", "..") or re.search(r"[/\\]", word))


def _is_outside(path: str, folder: str) -> bool:
    if path.startswith("file://"):
        path = path.removeprefix("file://")
    elif "://" in path:
        return False
    if path.startswith(("~", "$", "%")):
        return True
    plain = path.replace("\\", "/")
    rooted = plain.startswith("/") or _DRIVE.match(plain) is not None
    where = _steps(plain if rooted else f"{folder}/{plain}")
    home = _steps(folder)
    return where[: len(home)] != home


def _steps(path: str) -> list[str]:
    """A path's parts with . and .. resolved; case-folded on a Windows drive."""
    plain = path.replace("\\", "/")
    steps: list[str] = []
    for step in (plain.casefold() if _DRIVE.match(plain) else plain).split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in ("", "."):
            steps.append(step)
    return steps
