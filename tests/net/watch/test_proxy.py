"""What goes wrong at either end is seen at the other as if nothing stood between; and who is not let in."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import tracemalloc
from pathlib import Path

import pytest

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop, until
from tests.fakes.raw_server import PATIENCE_S, Reader, Writer, answering, reset, serving
from tests.fakes.raw_server import RawServer as Server
from tests.fakes.self_signed import SelfSigned
from tests.fakes.watch_stage import Watched
from workbench.domain.watch.routes import Routes
from workbench.net.connections import Connections
from workbench.net.rules import Rules
from workbench.net.watch.proxy import WatchProxy, kept_address, kept_headers, kept_path, refusal

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def said(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), json.loads(body)["error"]["message"]


@pytest.mark.parametrize(
    "cut",
    [b"", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha"],
    ids=["before", "head", "length", "chunk"],
)  # fmt: skip
@in_loop
async def test_an_answer_that_breaks_off_is_the_same_cut(cut: bytes):
    act, _ = answering(cut, after=10)
    async with Server(act) as server, Watched(server.url) as watched:
        assert await watched.talk(watched.post(b"{}")) == cut
        (exchange,) = await watched.exchanges(1)
        assert exchange.ending == "cut"


@in_loop
async def test_a_crash_is_no_end():
    """A body without a length is over when the connection closes: a crash must not look like that."""

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        await writer.drain()
        await seen.wait()
        reset(writer)

    seen = asyncio.Event()
    async with Server(act) as server, Watched(server.url) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.head("GET /v1/models"))
        await reader.readuntil(b"half")
        seen.set()
        with pytest.raises(ConnectionResetError):
            await reader.read()
        (exchange,) = await watched.exchanges(1)
        assert (exchange.ending, exchange.answer) == ("cut", b"half")


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"], ids=["none", "half"]
)
@in_loop
async def test_a_client_that_leaves_takes_the_server_along(answer: bytes):
    """Whoever stops an answer must not pay for the rest of it."""
    asked, gone = asyncio.Event(), asyncio.Event()

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n{}")
        asked.set()
        writer.write(answer)
        assert await reader.read() == b""
        gone.set()

    async with Server(act) as server, Watched(server.url) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.post(b"{}"))
        await asked.wait()
        await reader.readexactly(len(answer))
        writer.close()
        async with asyncio.timeout(PATIENCE_S):
            await gone.wait()
        (exchange,) = await watched.exchanges(1)
        assert exchange.ending == "client_left"


@in_loop
async def test_a_connection_that_the_server_closes_while_nobody_asks():
    """A client that finds out only with its next request takes it for a failure."""

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK)

    async with Server(act) as server, Watched(server.url) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.head("GET /v1/models"))
        assert await reader.read() == OK
        writer.close()


@in_loop
async def test_something_else_than_http_is_passed_on_until_the_end():
    act, _ = answering(b"SSH-2.0-", b"what\r\n", after=10)
    async with Server(act) as server, Watched(server.url) as watched:
        assert await watched.talk(watched.post(b"{}")) == b"SSH-2.0-what\r\n"


@in_loop
async def test_nobody_there():
    async with Server(lambda *_: asyncio.sleep(0)) as server:
        port = server.port
    async with Watched(f"http://127.0.0.1:{port}") as watched:
        status, words = said(await watched.talk(watched.post(b'{"a": 1}')))
        (exchange,) = await watched.exchanges(1)
    assert (status, exchange.ending, exchange.request) == (502, "unreachable", b'{"a": 1}')
    assert f"127.0.0.1:{port}" in words


async def fine(connection: Connection) -> None:
    await connection.whole(b"fine", "text/plain")


@in_loop
async def test_a_server_is_asked_encrypted_where_it_proves_who_it_is(tmp_path: Path):
    signed = SelfSigned(tmp_path)
    async with FaultServer({"v1": fine}, signed.server()) as server:
        url = f"https://127.0.0.1:{server.port}"
        async with Watched(url, Connections(Rules(ca_file=signed.ca_file))) as watched:
            assert (await watched.talk(watched.post(b"{}"))).endswith(b"fine")
            (exchange,) = await watched.exchanges(1)
            assert (exchange.answer, exchange.ending) == (b"fine", "complete")
        async with Watched(url) as watched:
            status, words = said(await watched.talk(watched.post(b"{}")))
            assert (status, "could not prove who it is" in words) == (502, True)
    assert [asked.headers["host"] for asked in server.asked] == [f"127.0.0.1:{server.port}"]


@in_loop
async def test_offline_nothing_leaves_this_computer():
    net = Connections(Rules(offline=True))
    async with Watched(Routes(), net) as watched:
        status, words = said(await watched.talk(watched.post(b"{}")))
    assert (status, net.made) == (503, ())
    assert "Offline is switched on" in words


@in_loop
async def test_a_connection_is_noted_with_what_went_either_way():
    act, _ = serving(OK)
    net = Connections()
    async with Server(act) as server, Watched(server.url, net) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.post(b"{}"))
        await reader.readexactly(len(OK))
        writer.close()
        (made,) = net.made
        assert (made.host, made.why, made.received_bytes) == (
            f"127.0.0.1:{server.port}",
            "watched program",
            len(OK),
        )


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (b"GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
        (b"GET /v1/models HTTP/1.0\r\n\r\n", 403),
        (b"GET http://api.example/v1/models HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (b"CONNECT api.example:443 HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
        (b"GET /v1/models HTTP/1.1\r\nHost: HERE\r\nOrigin: https://evil.example\r\n\r\n", 403),
        (b"GET /v1/models HTTP/1.1\r\nHost: HERE\r\nOrigin: null\r\n\r\n", 403),
        (
            b"GET /v1/responses HTTP/1.1\r\nHost: HERE\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            426,
        ),
        (b"what is this\r\n\r\n", 400),
    ],
)
@in_loop
async def test_what_a_page_in_a_browser_sends_reaches_no_server(request_head: bytes, status: int):
    act, seen = serving(OK)
    async with Server(act) as server, Watched(server.url) as watched:
        here = f"127.0.0.1:{watched.port}".encode()
        assert said(await watched.talk(request_head.replace(b"HERE", here)))[0] == status
        assert watched.passed == []
    assert seen == []


@in_loop
async def test_a_path_of_no_api_goes_nowhere():
    async with Watched(Routes()) as watched:
        assert said(await watched.talk(watched.head("GET /etc/passwd")))[0] == 404


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "127.0.0.2"])
@in_loop
async def test_nothing_goes_round_in_a_circle(name: str):
    """A window that is told to watch itself would open connections until none are left."""
    async with Watched(Routes()) as watched:
        watched.proxy._routes = Routes({}, f"http://{name}:{watched.port}")
        assert said(await watched.talk(watched.post(b"{}")))[0] == 508


@in_loop
async def test_one_connection_may_ask_several_apis():
    (one, first), (two, second) = serving(OK), serving(OK.replace(b"ok", b"no"))
    async with (
        Server(one) as a,
        Server(two) as b,
        Watched(Routes({"anthropic": a.url, "openai": b.url})) as watched,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        for path, said_by in (("anthropic", b"ok"), ("openai", b"no"), ("anthropic", b"ok")):
            writer.write(watched.head(f"GET /{path}/v1/models"))
            assert (await reader.readexactly(len(OK))).endswith(said_by)
        writer.close()
    assert (len(first), len(second)) == (2, 1)


@in_loop
async def test_only_this_computer_is_listened_to():
    proxy = WatchProxy(Connections(), Routes(), lambda _: None, lambda: 0.0)
    address = await proxy.start()
    assert proxy._server is not None
    assert [one.getsockname()[0] for one in proxy._server.sockets] == ["127.0.0.1"]
    assert address.startswith("http://127.0.0.1:")
    with pytest.raises(OSError, match="in use"):
        await WatchProxy(Connections(), Routes(), lambda _: None, lambda: 0.0).start(
            int(address.rpartition(":")[2])
        )
    await proxy.close()


@in_loop
async def test_fifty_at_once():
    arrived, all_there = [], asyncio.Event()

    async def act(reader: Reader, writer: Writer) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        arrived.append(head)
        if len(arrived) == 50:
            all_there.set()
        await all_there.wait()
        number = head.split(b" ")[1].rpartition(b"=")[2]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(number), number))
        await reader.read()

    async def ask(port: int, number: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /v1/models?n={number} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        got = await reader.readuntil(b"\r\n\r\n" + str(number).encode())
        writer.close()
        return got

    async with Server(act) as server, Watched(server.url) as watched:
        async with asyncio.timeout(PATIENCE_S):
            answers = await asyncio.gather(*(ask(watched.port, number) for number in range(50)))
        assert [int(one.rpartition(b"\n")[2]) for one in answers] == list(range(50))
        assert sorted(one.n for one in await watched.exchanges(50)) == list(range(1, 51))


@in_loop
async def test_fifty_megabytes_to_somebody_who_reads_slowly():
    """An answer that nobody reads must wait at the server, not in memory."""
    piece, count = b"x" * 1_000_000, 50

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (count * len(piece)))
        for _ in range(count):
            writer.write(piece)
            await writer.drain()

    async with Server(act) as server, Watched(server.url) as watched:
        tracemalloc.start()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
            writer.write(watched.head("GET /v1/messages"))
            await reader.readuntil(b"\r\n\r\n")
            left = count * len(piece)
            while left:
                left -= len(await reader.read(65536))
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        writer.close()
        (exchange,) = await watched.exchanges(1)
    assert exchange.answer_bytes == 50_000_000
    assert most < 25_000_000


@in_loop
async def test_threads_take_turns_as_before_when_it_is_over():
    """The interval holds for the whole program: a window that had watched once switched ten times as often for ever."""
    usual = sys.getswitchinterval()
    async with Server(answering(OK, after=10)[0]) as server:
        async with Watched(server.url), Watched(server.url):
            assert sys.getswitchinterval() < usual
        assert sys.getswitchinterval() == usual


@in_loop
async def test_nothing_stays_open():
    act, _ = serving(OK)
    async with Server(act) as server:
        async with Watched(server.url) as watched:
            _, writer = await asyncio.open_connection("127.0.0.1", watched.port)
            writer.write(watched.post(b"{}"))
            await watched.exchanges(1)
        async with asyncio.timeout(PATIENCE_S):
            await server.ended.acquire()
        writer.close()


@in_loop
async def test_a_connection_with_bytes_that_nobody_reads_is_ended_with_the_watch():
    """It was left open when the loop ended, and a warning said so."""
    size = 900_000

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n{}")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * size)
        await writer.drain()

    async with Server(act) as server, Watched(server.url) as watched:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", watched.port))
        await until(lambda: bool(watched.proxy._open))
        (client,) = watched.proxy._open
        client._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        raw.sendall(watched.post(b"{}"))
        await watched.exchanges(1)
        async with asyncio.timeout(PATIENCE_S):
            await server.ended.acquire()
        for _ in range(50):  # whoever serves it has time to end
            await asyncio.sleep(0)
        assert watched.proxy._open
        await watched.proxy.close()
        assert not watched.proxy._open
        raw.close()


# Programs of this computer are let in; pages and other names for this computer are not.


HOST = {"host": "127.0.0.1:4040"}


@pytest.mark.parametrize(
    "headers",
    [
        HOST,
        {"host": "LOCALHOST:4040"},
        {"host": "[::1]:4040"},
        {**HOST, "origin": "http://127.0.0.1:4040"},
        {**HOST, "sec-fetch-site": "none", "sec-fetch-mode": "cors"},
        {**HOST, "upgrade": "h2c"},
    ],
)
def test_let_in(headers: dict[str, str]):
    assert refusal("POST", "/v1/messages", headers, 4040) is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"host": "127.0.0.1"}, 403),
        ({"host": "127.0.0.1:4041"}, 403),
        ({"host": "127.0.0.1.evil.example:4040"}, 403),
        ({"host": "evil.example:4040"}, 403),  # a name that stands for this computer today
        ({**HOST, "origin": "http://evil.example"}, 403),
        ({**HOST, "origin": "http://127.0.0.1:9999"}, 403),
        ({**HOST, "origin": "null"}, 403),
        ({**HOST, "origin": ""}, 403),
        ({**HOST, "sec-fetch-site": "cross-site"}, 403),
        ({**HOST, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}, 403),
        ({**HOST, "upgrade": "WebSocket"}, 426),
    ],
)
def test_a_page_in_a_browser_does_not_use_the_watch(headers: dict[str, str], status: int):
    found = refusal("POST", "/v1/messages", headers, 4040)
    assert found is not None
    assert found.status == status


@pytest.mark.parametrize(("method", "target"), [("CONNECT", "/"), ("GET", "http://x/"), ("OPTIONS", "*")])
def test_it_is_no_proxy_for_everything(method: str, target: str):
    found = refusal(method, target, HOST, 4040)
    assert found is not None
    assert found.status == 400


# Keys are in no header that is kept, and in no path.


def test_who_asked_is_kept_and_nothing_that_opens_a_door():
    sent = [
        (b"User-Agent", b"claude-cli/2.1"),
        (b"Authorization", b"Bearer sk-1"),
        (b"x-api-key", b"sk-2"),
        (b"Cookie", b"a=sk-3"),
        (b"x-goog-api-key", b"sk-4"),
        (b"api-key", b"sk-5"),
        (b"X-Whatever-Token", b"sk-6"),
        (b"X-Claude-Code-Session-Id", b"s"),
        (b"anthropic-beta", b"b" * 5000),
    ]
    kept = dict(kept_headers(sent))
    assert list(kept) == ["user-agent", "x-claude-code-session-id", "anthropic-beta"]
    assert "sk-" not in str(kept)
    assert len(kept["anthropic-beta"]) == 1000


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/v1/messages?beta=true", "/v1/messages?beta=true"),
        (
            "/v1beta/models/m:generateContent?key=sk-1&alt=sse",
            "/v1beta/models/m:generateContent?key=…&alt=sse",
        ),
        ("/x?sk-1", "/x?…"),
        ("/x?a=1&&ACCESS_TOKEN=sk-1", "/x?a=…&…&ACCESS_TOKEN=…"),
        ("/x?", "/x?"),
        ("/x", "/x"),
    ],
)
def test_parameters(path: str, kept: str):
    assert kept_path(path) == kept


def test_an_address_is_kept_without_who_may_ask_there():
    assert kept_address("https://me:sk-1@gate.example:8443/v1?key=sk-2") == "https://gate.example:8443/v1"
