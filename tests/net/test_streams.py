"""Connections for passing bytes on go by the same rules as all others."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest

from tests.fakes.connect_proxy import ConnectProxy
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.self_signed import SelfSigned
from workbench.net.connections import Connections
from workbench.net.rules import NotSent, Rules, target_of
from workbench.net.streams import PIECE, PieceReader, open_stream

NAME = "models.example"
ASKED = b"GET /ok HTTP/1.1\r\nHost: x\r\n\r\n"


async def fine(connection: Connection) -> None:
    await connection.whole(b"fine", "text/plain")


async def asked(net: Connections, url: str) -> bytes:
    stream = await open_stream(net, target_of(url), "watched program")
    await stream.write(ASKED)
    got = b""
    while piece := await stream.read():
        got += piece
    stream.close()
    return got


@in_loop
async def test_a_server_that_can_prove_who_it_is(tmp_path: Path):
    signed = SelfSigned(tmp_path)
    net = Connections(Rules(ca_file=signed.ca_file))
    async with FaultServer({"ok": fine}, signed.server()) as server:
        assert (await asked(net, f"https://127.0.0.1:{server.port}")).endswith(b"fine")
        (made,) = net.made
        assert made.sent_bytes == len(ASKED)
        with pytest.raises(ssl.SSLCertVerificationError):
            await asked(Connections(), f"https://127.0.0.1:{server.port}")


@in_loop
async def test_through_the_proxy_of_the_settings(tmp_path: Path):
    """The name is asked for there, and proven to us: the proxy sees nothing."""
    signed = SelfSigned(tmp_path, NAME)
    async with FaultServer({"ok": fine}, signed.server()) as server, ConnectProxy(server.port) as between:
        rules = Rules(between.url.replace("//", "//me:pw@"), ca_file=signed.ca_file, system=True)
        net = Connections(rules)
        assert (await asked(net, f"https://{NAME}")).endswith(b"fine")
        assert between.wanted == [f"{NAME}:443"]
        assert "Proxy-Authorization: Basic bWU6cHc=" in between.heads[0]
        assert net.made[0].via == f"127.0.0.1:{between.port}"


@pytest.mark.parametrize("status", ["403 Forbidden", "nonsense"])
@in_loop
async def test_a_proxy_that_refuses(status: str):
    async with ConnectProxy(1, status) as between:
        with pytest.raises(OSError, match="proxy"):
            await asked(Connections(Rules(between.url)), f"https://{NAME}")


@in_loop
async def test_what_the_rules_forbid_is_not_opened():
    with pytest.raises(NotSent):
        await asked(Connections(Rules(offline=True)), "https://models.example")
    with pytest.raises(NotSent):
        await asked(Connections(), "http://models.example")


@in_loop
async def test_a_name_with_two_addresses_is_asked_at_the_one_that_answers():
    async def found(_host: str, _port: int) -> list[str]:
        return ["127.0.0.2", "127.0.0.1"]

    async with FaultServer({"ok": fine}) as server:
        origin = f"http://box.lan:{server.port}"
        net = Connections(Rules(plain_http=frozenset({origin})), look_up=found)
        assert (await asked(net, origin)).endswith(b"fine")


@in_loop
async def test_a_piece_is_handed_on_as_it_came():
    """A stream reader of asyncio copies each of them twice."""
    reader, piece = PieceReader(), bytes(1000)
    reader.feed_data(piece)
    assert await reader.next() is piece
    reader.feed_data(b"a")
    reader.feed_data(b"b")
    assert await reader.next() == b"ab"
    reader.put_back(b"again")
    reader.feed_eof()
    assert [await reader.next(), await reader.next()] == [b"again", b""]


@in_loop
async def test_reading_stops_while_nobody_takes_what_came_and_goes_on_afterwards():
    reader, wire = PieceReader(), Wire()
    reader.set_transport(wire)
    for _ in range(3):
        reader.feed_data(bytes(PIECE))
    assert wire.paused
    assert len(await reader.next()) == 3 * PIECE
    assert not wire.paused


class Wire(asyncio.Transport):
    """A connection that only knows whether it is read."""

    paused = False

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False
