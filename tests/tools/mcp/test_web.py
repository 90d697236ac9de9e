"""Servers at an address: nothing goes to another origin, nothing is unpacked, no answer is endless."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.mcp_runs import Bench
from workbench.domain.mcp_server import McpServer, secret_place
from workbench.domain.secrets import Secret
from workbench.net.connections import Connections
from workbench.tools.mcp import web
from workbench.tools.mcp.limits import McpLimits

SECRET = Secret.of_text("hunter2hunter2")


@dataclass
class Site:
    """A web server that answers everything in one way, and keeps what it was asked."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    asked: list[dict[str, str]] = field(default_factory=list)
    port: int = 0


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            site.asked.append({name.lower(): value for name, value in self.headers.items()})
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(site.status)
            for name, value in {"content-type": "application/json", **site.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(site.body)))
            self.end_headers()
            self.wfile.write(site.body)

        do_GET = do_DELETE = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def problem_of(site: Site, limits: McpLimits) -> str:
    """What is said of this server, which is asked with a secret in its headers."""
    headers = {"Authorization": f"Bearer {secret_place('web.key')}"}
    server = McpServer("web", url=f"http://127.0.0.1:{site.port}/mcp", headers=headers)
    async with Bench(limits=limits) as bench:
        bench.servers.configure([server], {"web.key": SECRET})
        listing = await bench.servers.start("web")
        assert listing.state == "failed"
        assert SECRET.reveal_text() not in listing.problem
        return listing.problem


QUICK = McpLimits(start_s=5, message_bytes=100_000)
HUGE = b'{"jsonrpc": "2.0", "id": 1, "result": "' + b"x" * 5_000_000 + b'"}'


@in_loop
async def test_a_redirect_to_another_origin_is_not_followed():
    """Else the secret in the headers would go there."""
    with serving(Site()) as other, serving(Site(307)) as site:
        site.headers["location"] = f"http://127.0.0.1:{other.port}/mcp"
        assert await problem_of(site, QUICK)
        assert site.asked[0]["authorization"] == f"Bearer {SECRET.reveal_text()}"
        assert other.asked == []


@pytest.mark.parametrize(
    "site",
    [
        Site(body=gzip.compress(HUGE), headers={"content-encoding": "gzip"}),
        Site(body=HUGE),
        Site(body=b"<html>Please log in.</html>", headers={"content-type": "text/html"}),
        Site(401, body=b"{}"),
        Site(500, body=b"no"),
    ],
    ids=["packed", "huge", "portal", "refused", "broken"],
)
def test_what_is_no_answer_is_a_failure_in_words(site: Site):
    @in_loop
    async def run() -> None:
        with serving(site):
            problem = await problem_of(site, QUICK)
            said = "It could not be reached: " if site.status == 200 else f"status {site.status}"
            assert re.search(said, problem)
            assert site.asked[0]["accept-encoding"] == "identity"

    run()


@in_loop
async def test_a_secret_that_is_no_header_is_not_shown():
    with serving(Site()) as site:
        server = McpServer(
            "web", url=f"http://127.0.0.1:{site.port}/mcp", headers={"X-Key": secret_place("k")}
        )
        async with Bench() as bench:
            bench.servers.configure([server], {"k": Secret.of_text("hunter2\nevil: 1")})
            problem = (await bench.servers.start("web")).problem
            assert problem == "X-Key: this header cannot be sent: only plain letters, in one line."
        assert site.asked == []


@in_loop
async def test_proxies_of_the_surroundings_are_not_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with serving(Site(401)) as site:
        async with web.web_streams(f"http://127.0.0.1:{site.port}/mcp", {}, QUICK, print, Connections()):
            pass
        await problem_of(site, QUICK)
        assert site.asked
