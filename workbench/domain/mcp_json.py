"""Reads and writes MCP servers in the JSON of other programs: `mcpServers` (Claude, Cursor), `servers` (VS Code).

Values that look like secrets are replaced by placeholders and returned apart, to be stored encrypted. Nothing is
written with a secret in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_server import McpServer, check_server, secret_place, secrets_in, server_name
from workbench.domain.reading.json_text import parse_json
from workbench.domain.reading.node import Fields, Node, show
from workbench.domain.secrets import KEY_VALUE, Secret
from workbench.domain.text import harmless
from workbench.domain.translation import tr

MOST_SERVERS = 64
MOST_CHARS = 1024 * 1024

_HERE = ("command", "args", "env", "cwd")
_THERE = ("url", "headers")
_FIELDS = (*_HERE, *_THERE, "type", "transport", "disabled", "enabled", "tools_off", "client_id", "comment")
# What lets calls pass without a question is never taken from a file.
_APPROVALS = {"autoapprove", "alwaysallow", "trust", "approved", "auto_approve", "always_allow", "roots"} | {
    "sampling"
}
_STREAMED = {"http", "streamable-http", "streamable_http", "streamablehttp"}
_PLAIN_HEADERS = {"accept", "accept-language", "content-type", "user-agent"}
_SECRET_NAME = re.compile(
    r"key|token|secret|passw|passphrase|pwd|credential|auth|bearer|cookie|dsn", re.IGNORECASE
)
_RANDOM = re.compile(r"(?=(?:[^\d]*\d){4})(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_+=-]{24,}", re.ASCII)
_ASKED = re.compile(
    r"\$\{(?:(?P<kind>input|env):(?P<id>[\w.-]{1,100})|(?P<name>[A-Za-z_]\w{0,99})(?P<default>:-[^}]*)?)\}",
    re.ASCII,
)
_OURS = "workspaceFolder"


@dataclass(frozen=True, slots=True)
class McpImport:
    """The servers read from a file.

    Attributes:
        secrets: values that stood in the file, by the names the servers now have for them; to be kept encrypted.
        asked: secrets that the servers need and the file does not have, with what it says about them.
        notes: what was not taken, each in a sentence.
    """

    servers: tuple[McpServer, ...] = ()
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_servers(text: str, taken: Iterable[str] = ()) -> McpImport:
    """Parse servers; `InvalidInput` gives the path of what is wrong. `taken` are names of other servers."""
    if len(text) > MOST_CHARS:
        raise InvalidInput("", tr("far too large for a list of servers"))
    return servers_of(Node(parse_json(_without_comments(text))), taken)


def servers_of(document: Node, taken: Iterable[str] = ()) -> McpImport:
    """The servers in a parsed document."""
    table = document.table()
    if "mcp" in table and "mcpServers" not in table and "servers" not in table:
        return servers_of(document.at("mcp", table["mcp"]), taken)
    found = [name for name in ("mcpServers", "servers") if name in table]
    if not found and table and all(_is_server(value) for value in table.values()):
        reading = _Reading(
            {}, list(taken)
        )  # only what stands within mcpServers, as pages show it to be pasted
        reading.take(document)
        return reading.done()
    if not found:
        raise document.error(tr("no servers here; expected an object mcpServers, or servers"))
    reading = _Reading(_inputs(Fields(document)), list(taken))
    for name in table:
        if name not in (*found, "inputs"):
            reading.notes.append(
                tr("{show} is about something else and was not taken.", show=show(str(name)))
            )
    for name in found:
        reading.take(document.at(name, table[name]))
    return reading.done()


def write_servers(servers: Iterable[McpServer]) -> str:
    """The servers as other programs read them, with placeholders for secrets."""
    written = {server.name: _server_json(protected(server)[0]) for server in servers}
    return json.dumps({"mcpServers": written}, ensure_ascii=False, indent=2) + "\n"


def protected(server: McpServer) -> tuple[McpServer, dict[str, Secret]]:
    """The server with placeholders for values that look like secrets, and those secrets by name."""
    found: dict[str, Secret] = {}

    def kept(name: str, value: str) -> str:
        plain = f"{server.name}.{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:64]}"
        place, number = plain, 1
        while place in found:
            number += 1
            place = f"{plain}-{number}"
        found[place] = Secret.of_text(value)
        return secret_place(place)

    env = {
        name: kept(name, value) if _is_secret(name, value) else value for name, value in server.env.items()
    }
    headers = {name: _header(name, value, kept) for name, value in server.headers.items()}
    return replace(server, args=tuple(_arguments(server.args, kept)), env=env, headers=headers), found


def _is_server(value: object) -> bool:
    return isinstance(value, dict) and ("command" in value or "url" in value)


class _Reading:
    """Collects the servers of a file while it is read."""

    def __init__(self, inputs: Mapping[str, str], taken: list[str]) -> None:
        self._inputs, self._taken = inputs, taken
        self._servers: list[McpServer] = []
        self._secrets: dict[str, Secret] = {}
        self._asked: dict[str, str] = {}
        self.notes: list[str] = []

    def take(self, document: Node) -> None:
        """Read all servers of a table."""
        for name, value in document.table().items():
            self._read_entry(str(name), document.at(str(name), value))
            if len(self._servers) > MOST_SERVERS:
                raise document.error(tr("more than {most_servers} servers", most_servers=MOST_SERVERS))

    def done(self) -> McpImport:
        """The result; a secret whose value was not in the file is to be asked for."""
        needed = dict.fromkeys(name for server in self._servers for name in secrets_in(server))
        asked = {name: self._asked.get(name, "") for name in needed if name not in self._secrets}
        return McpImport(tuple(self._servers), self._secrets, asked, tuple(self.notes))

    def _read_entry(self, name: str, node: Node) -> None:
        given = Fields(node)
        self._note_ignored_fields(name, node)
        kind = next(
            (given.require(one).text().lower() for one in ("type", "transport") if given.get(one)), ""
        )
        if kind == "sse":
            self.notes.append(
                tr(
                    "{show} speaks the older SSE, which is not supported; ask for its newer address.",
                    show=show(name),
                )
            )
            return
        if kind and kind != "stdio" and kind not in _STREAMED:
            raise given.node.at("type", kind).expected(tr("stdio or http"))
        called = server_name(name, self._taken)
        if called != name:
            self.notes.append(tr("{show} is called {show_2} here.", show=show(name), show_2=show(called)))
        server = self._read(called, given)
        try:
            check_server(server)
        except InvalidInput as problem:
            raise node.error(problem.reason) from None
        server, secrets = protected(server)
        self._taken.append(called)
        self._servers.append(server)
        self._secrets |= secrets

    def _read(self, name: str, given: Fields) -> McpServer:
        def text(node: Node) -> str:
            return self._with_placeholders(name, node.text())

        def texts(node: Node) -> dict[str, str]:
            return {str(key): text(node.at(str(key), _as_text(value))) for key, value in node.table().items()}

        off = given.read("disabled", Node.flag, False) or not given.read("enabled", Node.flag, True)
        return McpServer(
            name=name,
            command=given.read("command", text, ""),
            args=given.read_all("args", text),
            env=given.read("env", texts, {}),
            cwd=given.read("cwd", text, ""),
            url=given.read("url", Node.text, ""),
            headers=given.read("headers", texts, {}),
            enabled=not off,
            tools_off=frozenset(given.read_all("tools_off", Node.text)),
            client_id=given.read("client_id", Node.text, ""),
        )

    def _note_ignored_fields(self, name: str, node: Node) -> None:
        for key in node.table():
            if str(key).lower() in _APPROVALS:
                self.notes.append(
                    tr(
                        "{show}: {show_2} was not taken; what may be done is for you to say.",
                        show=show(name),
                        show_2=show(str(key)),
                    )
                )
            elif key not in _FIELDS:
                self.notes.append(
                    tr(
                        "{show}: {show_2} is not known here and was not taken.",
                        show=show(name),
                        show_2=show(str(key)),
                    )
                )

    def _with_placeholders(self, server: str, text: str) -> str:
        """The text with our placeholders in place of the file's own input variables."""

        def one(found: re.Match[str]) -> str:
            name, default = found["id"] or found["name"], found["default"]
            if default is not None:
                return default[2:]
            if name == _OURS:
                return found[0]
            place = f"{server}.{name}"
            self._asked[place] = self._inputs.get(name, "") if found["kind"] == "input" else ""
            return secret_place(place)

        return _ASKED.sub(one, text)


def _inputs(given: Fields) -> dict[str, str]:
    """The inputs that VS Code would ask for, by id."""
    found: dict[str, str] = {}
    listed = given.get("inputs")
    for node in () if listed is None else listed.items():
        one = Fields(node)
        node.table()
        found[one.require("id").name()] = harmless(one.read("description", Node.text, ""))[:200]
    return found


def _as_text(value: object) -> object:
    """A value of an environment as text; numbers and booleans are often unquoted."""
    return json.dumps(value) if isinstance(value, bool | int | float) else value


Kept = Callable[[str, str], str]


def _header(name: str, value: str, kept: Kept) -> str:
    if name.lower() in _PLAIN_HEADERS or not value or "${secret:" in value:
        return value
    # "Bearer" and the like are no secret, and say what is to be entered.
    scheme, blank, rest = value.partition(" ")
    return (
        f"{scheme} {kept(name, rest)}" if blank and scheme.isalpha() and rest.strip() else kept(name, value)
    )


def _arguments(args: tuple[str, ...], kept: Kept) -> Iterator[str]:
    """The arguments with secrets replaced: after a secret's flag, after its =, or recognised as a key."""
    before = ""
    for arg in args:
        flag, mark, value = arg.partition("=")
        if "${secret:" in arg:
            yield arg
        elif mark and flag.startswith("-") and _is_secret(flag, value):
            yield f"{flag}={kept(flag.strip('-'), value)}"
        elif not arg.startswith("-") and _is_secret_after(before, arg):
            yield kept(before.strip("-") if before.startswith("-") else "argument", arg)
        else:
            yield arg
        before = "" if mark else arg


def _is_secret_after(flag: str, arg: str) -> bool:
    """Whether the argument after a flag is a secret; one that stands alone is kept visible unless surely a key."""
    return _is_secret(flag, arg) if flag.startswith("-") else KEY_VALUE.search(arg) is not None


def _is_secret(name: str, value: str) -> bool:
    if not value or "${" in value or value.lower() in ("true", "false", "0", "1"):
        return False
    return _SECRET_NAME.search(name) is not None or _is_key(value)


def _is_key(value: str) -> bool:
    return KEY_VALUE.search(value) is not None or _RANDOM.fullmatch(value) is not None


def _server_json(server: McpServer) -> dict[str, Any]:
    values: dict[str, Any] = {
        "type": "http" if server.url else "stdio",
        "command": server.command,
        "args": list(server.args),
        "env": dict(server.env),
        "cwd": server.cwd,
        "url": server.url,
        "headers": dict(server.headers),
        "disabled": not server.enabled,
        "tools_off": sorted(server.tools_off),
        "client_id": server.client_id,
    }
    return {name: value for name, value in values.items() if value}


# Comments, which VS Code writes into such files itself.

# What is not closed reaches to the end, so that nothing is looked through twice.
_COMMENT = r"//[^\n]*|/\*(?:.*?\*/|.*\Z)"
_PIECES = re.compile(rf'"(?:\\.|[^"\\])*+(?:"|\Z)|{_COMMENT}|,(?=(?:\s|{_COMMENT})*[}}\]])', re.DOTALL)


def _without_comments(text: str) -> str:
    """JSON with comments and trailing commas blanked out, so that every character keeps its position."""
    return _PIECES.sub(lambda found: found[0] if found[0][0] == '"' else _blank(found[0]), text)


def _blank(text: str) -> str:
    return "".join(one if one == "\n" else " " for one in text)
