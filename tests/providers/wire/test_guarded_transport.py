"""The guarded transport on httpx2; what the guard itself does is told in test_transport.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.self_signed import SelfSigned
from workbench.domain.secrets import Secret
from workbench.providers.wire.faults import Encoded, Redirected, Refused, TooBig
from workbench.providers.wire.guarded_transport import guarded_client
from workbench.providers.wire.transport import Caps, Guard

KEY = Secret.of_text("canary-0123456789")


async def ok(connection: Connection) -> None:
    await connection.whole(b"fine", "text/plain")


async def away(connection: Connection) -> None:
    await connection.whole(b"", "text/plain", "307 Temporary Redirect", location="/ok")


async def packed(connection: Connection) -> None:
    await connection.whole(b"xx", "text/plain", content_encoding="gzip")


async def refused(connection: Connection) -> None:
    await connection.whole(b"no", "text/plain", "403 Forbidden", retry_after="7")


async def much(connection: Connection) -> None:
    await connection.whole(b"x" * 2000, "text/plain")


async def lingering(connection: Connection) -> None:
    await connection.head("text/plain", "302 Found", content_length="500", location="/ok")
    await connection.gone()


ACTS = {"lingering": lingering, "ok": ok, "away": away, "packed": packed, "refused": refused, "much": much}


async def get(server: FaultServer, name: str) -> httpx2.Response:
    guard = Guard(f"http://127.0.0.1:{server.port}", KEY, caps=Caps(stream_bytes=1000))
    async with guarded_client(guard) as client:
        return await client.get(server.url(name))


@in_loop
async def test_a_request_goes_out_with_the_key_and_without_the_librarys_headers():
    async with FaultServer(ACTS) as server:
        response = await get(server, "ok")
    assert (response.status_code, response.content) == (200, b"fine")
    assert server.asked[0].headers["authorization"] == "Bearer canary-0123456789"
    assert server.asked[0].headers["user-agent"] == "context-workbench"


@in_loop
async def test_the_library_never_holds_the_key():
    """Its request objects end up in errors, logs and crash reports."""
    async with FaultServer(ACTS) as server:
        response = await get(server, "ok")
    assert "authorization" not in response.request.headers


@pytest.mark.parametrize(
    ("name", "fault"), [("away", Redirected), ("packed", Encoded), ("refused", Refused), ("much", TooBig)]
)
@in_loop
async def test_what_the_guard_refuses_is_raised(name: str, fault: type[Exception]):
    async with FaultServer(ACTS) as server:
        with pytest.raises(fault):
            await get(server, name)
        assert [one.path for one in server.asked] == [f"/{name}"]


@in_loop
async def test_what_is_refused_is_not_kept_open():
    async with (
        FaultServer(ACTS) as server,
        guarded_client(Guard(f"http://127.0.0.1:{server.port}")) as client,
    ):
        with pytest.raises(Redirected):
            await client.get(server.url("lingering"))
        await asyncio.wait_for(server.closed.wait(), 20)


@in_loop
async def test_another_origin_is_never_asked():
    async with FaultServer(ACTS) as here, FaultServer(ACTS) as there:
        async with guarded_client(Guard(f"http://127.0.0.1:{here.port}")) as client:
            with pytest.raises(Redirected):
                await client.get(there.url("ok"))
        assert there.connections == 0


@in_loop
async def test_a_certificate_is_checked_and_one_that_is_trusted_is_enough(tmp_path: Path):
    identity = SelfSigned(tmp_path)
    async with FaultServer(ACTS, tls=identity.server()) as server:
        guard = Guard(f"https://127.0.0.1:{server.port}")
        url = f"https://127.0.0.1:{server.port}/ok"
        async with guarded_client(guard, identity.client()) as client:
            assert (await client.get(url)).content == b"fine"
        async with guarded_client(guard) as client:
            with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate"):
                await client.get(url)
