"""Every connection is opened in `net`: nobody else makes a client that could, and nobody else opens a socket."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.source_tree import PACKAGE, modules, parse, relative

ROOM = PACKAGE / "net"
# What connects, or makes something that does, by the last part of its name.
OPENS = frozenset({
    "AsyncClient", "Client", "AsyncHTTPTransport", "HTTPTransport", "AsyncConnectionPool", "AnyIOBackend",
    "open_connection", "open_unix_connection", "create_connection", "connect_tcp", "sock_connect", "urlopen",
    "socket.socket", "HTTPSConnection", "QTcpSocket", "QSslSocket", "QUdpSocket", "QNetworkAccessManager", "QWebSocket",
    "QLocalSocket", "QLocalServer", "start_server", "create_server", "start_unix_server", "httpx.get", "httpx.post",
    "httpx2.get", "httpx2.post", "httpx.stream", "httpx2.stream",
})  # fmt: skip
ALLOWED = {
    (
        "workbench/ui/program/system.py",
        "QLocalServer",
    ): "a second window is told on this computer only",
    ("workbench/ui/program/system.py", "QLocalSocket"): "a second window asks on this computer only",
    ("workbench/tools/mcp/sign_in.py", "start_server"): "a sign-in comes back to this computer only",
    ("workbench/tools/mcp/session.py", "Client"): "the library's protocol, over streams that `web` gives it",
}
# Vendors' clients open connections of their own, unless they are given ours.
VENDORS = {"AsyncOpenAI": "http_client", "AsyncAnthropic": "http_client", "RawOllama": "transport"}


NAMED = re.compile("|".join(sorted({one.split(".")[-1] for one in (*OPENS, *VENDORS)})))


@cache
def calls(path: Path) -> list[ast.Call]:
    """The calls in a file, where it names anything that matters: two thousand syntax trees take long."""
    if not NAMED.search(path.read_text(encoding="utf-8")):
        return []
    return [node for node in ast.walk(parse(path)) if isinstance(node, ast.Call)]


def opened_by(call: ast.Call) -> str:
    """What of the list a call is; empty for none of it."""
    name = ast.unparse(call.func)
    last_two = ".".join(name.split(".")[-2:])
    return next((one for one in (last_two, name.split(".")[-1]) if one in OPENS), "")


def test_nobody_else_opens_a_connection():
    found = {
        (relative(path), opened_by(call))
        for path in modules()
        if ROOM not in path.parents
        for call in calls(path)
        if opened_by(call)
    }
    assert found == set(ALLOWED)


def test_the_clients_of_vendors_are_given_our_connections():
    made = {
        (name, given)
        for path in modules()
        for call in calls(path)
        for name, given in VENDORS.items()
        if ast.unparse(call.func).split(".")[-1] == name
        and given in {keyword.arg for keyword in call.keywords}
    }
    bare = [
        relative(path)
        for path in modules()
        for call in calls(path)
        if (name := ast.unparse(call.func).split(".")[-1]) in VENDORS
        and VENDORS[name] not in {keyword.arg for keyword in call.keywords}
    ]
    assert (made, bare) == (set(VENDORS.items()), [])


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("httpx2.AsyncClient()", "AsyncClient"),
        ("asyncio.open_connection('h', 1)", "open_connection"),
        ("socket.create_connection(('h', 1))", "create_connection"),
        ("socket.socket()", "socket.socket"),
        ("socket.socketpair()", ""),
        ("urllib.request.urlopen('http://h')", "urlopen"),
    ],
)
def test_the_search_finds_them(code: str, what: str):
    (call,) = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    assert opened_by(call) == what
