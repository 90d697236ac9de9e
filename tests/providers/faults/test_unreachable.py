"""Servers that cannot be reached, or not safely: unknown names, closed ports, and certificates nobody vouches for."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from tests.fakes.answers import Kept, keep, question
from tests.fakes.fault_server import Asked, Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.self_signed import SelfSigned
from tests.fakes.wires import WIRES, OllamaWire, OpenAiWire, Wire
from workbench.domain.request import Timeouts
from workbench.domain.secrets import Secret

every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


async def asked(wire: Wire, url: str) -> Kept:
    model = wire.model(url, Secret.of_text("sk-canary-0123456789"))
    kept = await keep(model.stream(question(timeouts=Timeouts(connect_s=20, first_token_s=20))))
    await model.close()
    return kept


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@every_wire
@in_loop
async def test_a_closed_port_is_a_network_failure_after_two_retries(wire: Wire):
    kept = await asked(wire, f"http://127.0.0.1:{closed_port()}")
    assert (kept.state, kept.kind, len(kept.retries)) == ("failed", "network", 2)
    assert kept.failure is not None
    assert "No response from 127.0.0.1" in kept.failure.message


@every_wire
@in_loop
async def test_an_unknown_name_is_a_network_failure(wire: Wire):
    kept = await asked(wire, "https://no-such-server.invalid")
    assert (kept.state, kept.kind) == ("failed", "network")


@every_wire
@in_loop
async def test_a_certificate_nobody_vouches_for_ends_before_anything_is_sent(wire: Wire, tmp_path: Path):
    async with FaultServer({}, tls=SelfSigned(tmp_path).server()) as server:
        kept = await asked(wire, f"https://127.0.0.1:{server.port}")
        assert (kept.state, kept.kind, kept.retries) == ("failed", "tls", [])
        assert server.asked == []


@every_wire
@in_loop
async def test_a_server_that_does_not_speak_tls_is_told_as_such(wire: Wire):
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        kept = await asked(wire, f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert (kept.state, kept.kind) == ("failed", "tls")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse where this one holds back")
@every_wire
@in_loop
async def test_a_server_that_takes_no_connection_times_out_and_is_tried_again(wire: Wire):
    """A full queue: the system holds the connection back, and no error ever comes."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        model = wire.model(f"http://127.0.0.1:{full.getsockname()[1]}")
        hasty = Timeouts(connect_s=0.2, first_token_s=30)
        kept = await keep(model.stream(question(timeouts=hasty)))
        await model.close()
        for one in waiting:
            one.close()
    assert (kept.state, kept.kind, len(kept.retries)) == ("failed", "timeout", 2)


PLANTED = {
    **dict.fromkeys(("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OLLAMA_API_KEY"), "sk-planted-0123456789"),
    **dict.fromkeys(("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET"), "planted"),
    **dict.fromkeys(("OPENAI_BASE_URL", "OLLAMA_HOST"), "http://127.0.0.1:9"),
    **dict.fromkeys(
        ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"), "http://127.0.0.1:9"
    ),
    **dict.fromkeys(("SSL_CERT_FILE", "SSL_CERT_DIR"), "/nowhere"),
    "OPENAI_CUSTOM_HEADERS": "Accept: text/planted\nX-Planted: ü\nAuthorization: Bearer planted",
    "OPENAI_LOG": "debug",
}


@pytest.mark.parametrize("key", [None, "sk-canary-0123456789"])
@every_wire
def test_the_environment_changes_nothing_that_is_sent(
    wire: Wire, key: str | None, monkeypatch: pytest.MonkeyPatch
):
    """The clients read addresses, keys, headers and proxies from it, silently."""
    before = asyncio.run(request_of(wire, key))
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    assert asyncio.run(request_of(wire, key)) == before


@every_wire
def test_only_what_is_needed_is_sent_and_a_key_only_where_one_is_set(wire: Wire):
    needed = {
        "host", "connection", "accept", "content-type", "content-length", "accept-encoding", "user-agent",
    }  # fmt: skip
    without, with_key = (asyncio.run(request_of(wire, key)) for key in (None, "sk-canary-0123456789"))
    assert without.headers.keys() == needed
    assert with_key.headers == {**without.headers, "authorization": "Bearer sk-canary-0123456789"}
    assert (without.headers["user-agent"], without.headers["accept-encoding"]) == (
        "context-workbench",
        "identity",
    )


async def request_of(wire: Wire, key: str | None) -> Asked:
    """What arrives at a server, its port left out."""

    async def answer(connection: Connection) -> None:
        await connection.head(wire.content_type)
        await connection.send(wire.text("x"), wire.finish())

    async with FaultServer({"play": answer}) as server:
        model = wire.model(server.url("play"), Secret.of_text(key) if key else None)
        kept = await keep(model.stream(question()))
        await model.close()
    assert kept.state == "complete"
    (one,) = server.asked
    return Asked(one.method, one.path, {**one.headers, "host": "here"}, one.body)


PATHS = [(OpenAiWire(), "/play/v1/chat/completions"), (OllamaWire(), "/play/api/chat")]


@pytest.mark.parametrize(("wire", "path"), PATHS, ids=["openai", "ollama"])
def test_the_path_is_below_the_address_that_was_given(wire: Wire, path: str):
    assert asyncio.run(request_of(wire, None)).path == path
