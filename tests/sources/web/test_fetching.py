"""Pages from a real server on this computer: what is fetched, what is refused on the way, and that nothing hangs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

import pytest

from tests.fakes.loop import in_loop
from workbench.domain.files.attached import CannotAttach, FetchedPage
from workbench.sources.web.fetching import FetchLimits, WebPages
from workbench.sources.web.targets import IPAddress, NotFetched, Target, is_public, parse_target

PAGE = b"<html><body><h1>Hello</h1></body></html>"


class Server(ThreadingHTTPServer):
    """Answers by path, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, dict[str, str]]] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class Handler(BaseHTTPRequestHandler):
    """What each path answers."""

    server: Server

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        name = self.path.partition("?")[0]
        moved = {"/moved": "/page", "/there": "page", "/loop": "/loop", "/to-file": "file:///etc/passwd",
                 "/to-here": "http://localhost/", "/to-port": "http://example.org:22/", "/bare": "//example.org:25/x",
                 "/to-private": "http://192.168.0.1/", "/asking": "?x=2"}  # fmt: skip
        if self.path in moved:
            self.send_response(302)
            self.send_header("Location", moved[self.path])
            self.end_headers()
        elif name in ("/page", "/asking"):
            self._answer(PAGE, {"Content-Type": "text/html; charset=utf-8"})
        elif name == "/gone":
            self.send_error(404)
        elif name == "/packed":
            self._answer(b"\x1f\x8b", {"Content-Encoding": "gzip"})
        elif name == "/large":
            self._answer(b"x" * 3_000_000, {})
        elif name == "/endless":
            self._drip(b"x" * 1000, 0)
        elif name == "/drip":
            self._drip(b"x", 0.05)
        elif name == "/slow-headers":
            self._send_slowly(b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 400)

    def _answer(self, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(200)
        for header, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(content)

    def _send_slowly(self, content: bytes) -> None:
        try:
            for letter in content:
                self.wfile.write(bytes([letter]))
                threading.Event().wait(0.05)
        except OSError:
            pass

    def _drip(self, piece: bytes, seconds: float) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(piece)
                if seconds:
                    threading.Event().wait(seconds)
        except OSError:
            pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def pages(server: Server, limits: FetchLimits | None = None) -> WebPages:
    """The real thing, which only here may ask this one server by the name of example.org."""

    def parse(url: str) -> Target:
        found = parse_target(url.replace(f"127.0.0.1:{server.port}", "example.org"))
        return Target("http", "127.0.0.1", server.port, found.path) if found.host == "example.org" else found

    def may_ask(address: IPAddress) -> bool:
        return str(address) == "127.0.0.1" or is_public(address)

    return WebPages(limits, may_ask, parse)


@in_loop
async def fetched(server: Server, path: str, limits: FetchLimits | None = None) -> None:
    await pages(server, limits).fetch(f"http://example.org{path}")


def test_a_page_comes_with_what_it_is_and_nothing_of_ours_goes_along(server: Server, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    found = asyncio.run(pages(server).fetch("http://example.org/page?a=b#Hello"))
    assert (found.content, found.media_type) == (PAGE, "text/html; charset=utf-8")
    path, headers = server.asked[-1]
    assert path == "/page?a=b"
    assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("path", ["/moved", "/there"])
def test_a_redirect_within_what_is_allowed_is_followed(server: Server, path: str):
    found = asyncio.run(pages(server).fetch(f"http://example.org{path}"))
    assert isinstance(found, FetchedPage)
    assert found.content == PAGE
    assert found.url.endswith("/page")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/to-file", "only http and https"), ("/to-here", "own network"), ("/to-port", "port 22"),
        ("/bare", "port 25"), ("/to-private", "own network"), ("/loop", "leads on more than"),
        ("/gone", "answered 404"), ("/packed", "packed"),
    ],
)  # fmt: skip
def test_what_it_leads_to_is_looked_at_as_if_somebody_had_written_it(server: Server, path: str, reason: str):
    with pytest.raises(CannotAttach, match=reason):
        fetched(server, path)


def test_no_more_is_read_than_is_allowed(server: Server):
    with pytest.raises(CannotAttach, match="more than 1,000,000 bytes"):
        fetched(server, "/large", FetchLimits(1_000_000))
    with pytest.raises(CannotAttach, match="more than 100,000 bytes"):
        fetched(server, "/endless", FetchLimits(100_000))


def test_a_drip_has_no_more_time_than_a_page(server: Server):
    begun = monotonic()
    with pytest.raises(CannotAttach, match="took too long"):
        fetched(server, "/drip", FetchLimits(seconds=0.5))
    assert monotonic() - begun < 10


def test_who_stops_waiting_ends_it(server: Server):
    async def stop() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await pages(server, FetchLimits(seconds=60)).fetch("http://example.org/drip")

    begun = monotonic()
    asyncio.run(stop())
    assert monotonic() - begun < 10


def test_without_a_way_out_every_address_of_this_computer_is_refused(server: Server):
    """The guard as it is shipped, against a server that really runs here."""
    before = len(server.asked)
    hosts = ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]")
    for host in hosts:
        with pytest.raises(CannotAttach):
            asyncio.run(WebPages().fetch(f"http://{host}:{server.port}/page"))
        with pytest.raises(CannotAttach):
            asyncio.run(
                WebPages(
                    parse=lambda url: _on(parse_target(url.replace(f":{server.port}", "")), server)
                ).fetch(f"http://{host}/page")
            )
    assert len(server.asked) == before


def _on(target: Target, server: Server) -> Target:
    return Target(target.scheme, target.host, server.port, target.path)


def test_the_reason_is_said_in_words():
    assert NotFetched("x").advice


def test_headers_have_no_more_time_than_a_page(server: Server):
    begun = monotonic()
    with pytest.raises(CannotAttach, match="too long"):
        fetched(server, "/slow-headers", FetchLimits(seconds=0.5))
    assert monotonic() - begun < 10


def test_nobody_waits_for_the_time_limit_of_a_page_that_came(server: Server):
    before = set(threading.enumerate())
    fetched(server, "/page", FetchLimits(seconds=600))
    timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer) and one not in before]
    for timer in timers:
        timer.join(timeout=250)
    assert not [timer for timer in timers if timer.is_alive()]


def test_a_redirect_to_another_question_stays_on_its_page(server: Server):
    found = asyncio.run(pages(server).fetch("http://example.org/asking"))
    assert found.url.endswith("/asking?x=2")
