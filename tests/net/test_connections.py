"""What is opened, which way it goes, and what is noted of it."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.fakes.connect_proxy import ConnectProxy
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.self_signed import SelfSigned
from workbench.domain.connection import ConnectionMade, NetworkSeen
from workbench.net.connections import MOST_KEPT, Connections, trusted_context
from workbench.net.http_transport import CountedStream, NetTransport, client_over
from workbench.net.rules import NotSent, Rules, target_of

NAME = "models.example"
THEN = "2026-01-02T00:00:00Z"


async def fine(connection: Connection) -> None:
    await connection.whole(b"fine", "text/plain")


ACTS = {"ok": fine}


def client(net: Connections, url: str) -> httpx2.AsyncClient:
    return client_over(NetTransport(net, url, "model"))


@in_loop
async def test_a_connection_is_noted_with_what_went_either_way():
    net = Connections(now=lambda: THEN)
    async with FaultServer(ACTS) as server, client(net, server.url("ok")) as asking:
        assert (await asking.post(server.url("ok"), content=b"x" * 1000)).content == b"fine"
        (made,) = net.made
        assert (made.host, made.why, made.at, made.via) == (f"127.0.0.1:{server.port}", "model", THEN, "")
        assert 1000 < made.sent_bytes < 2000
        assert 4 < made.received_bytes < 1000


def test_what_is_shown_of_the_rules_has_no_password():
    net = Connections(
        Rules("http://me:pw@p.example:1", ("n",), "/ca", True, True, frozenset({"http://b:1", "http://a:1"}))
    )
    assert net.seen() == NetworkSeen(True, "p.example:1", True, ("n",), "/ca", ("http://a:1", "http://b:1"))
    assert "pw" not in str(Connections(Rules("me:pw@odd")).seen())
    assert not net.seen().usual
    assert Connections().seen().usual


def test_the_record_is_bounded_and_keeps_the_newest():
    net = Connections()
    for number in range(MOST_KEPT + 5):
        net.begin(target_of(f"https://h{number}.example"), "page")
    assert len(net.made) == MOST_KEPT
    assert net.made[-1] == ConnectionMade(f"h{MOST_KEPT + 4}.example:443", "page")


@in_loop
async def test_a_proxy_carries_what_stays_encrypted_and_one_s_own_certificate_is_believed(tmp_path: Path):
    identity = SelfSigned(tmp_path, NAME)
    url = f"https://{NAME}/ok"
    async with FaultServer(ACTS, tls=identity.server()) as server, ConnectProxy(server.port) as proxy:
        net = Connections(Rules(proxy=proxy.url, ca_file=identity.ca_file))
        async with client(net, url) as asking:
            assert (await asking.get(url)).content == b"fine"
        assert proxy.wanted == [f"{NAME}:443"]
        assert [(one.host, one.via) for one in net.made] == [(f"{NAME}:443", f"127.0.0.1:{proxy.port}")]
        async with client(Connections(Rules(proxy=proxy.url)), url) as asking:
            with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate"):
                await asking.get(url)


@in_loop
async def test_a_proxy_is_told_the_name_and_password_that_the_system_gave():
    async with ConnectProxy(status="407 Not you") as proxy:
        net = Connections(Rules(proxy=proxy.url.replace("//", "//me:p%40ss@"), system=True))
        async with client(net, f"https://{NAME}") as asking:
            with pytest.raises(httpx2.ProxyError, match="407"):
                await asking.get(f"https://{NAME}/ok")
        assert "basic bwu6cebzcw==" in proxy.heads[0].lower()
        assert "me:p" not in str(net.made)


@in_loop
async def test_new_rules_hold_from_the_next_request_on():
    """A model that was opened before Offline was switched on sends nothing after it."""
    async with ConnectProxy(status="403 No") as proxy:
        net = Connections(Rules(proxy=proxy.url))
        async with client(net, f"https://{NAME}") as asking:
            with pytest.raises(httpx2.ProxyError):
                await asking.get(f"https://{NAME}/ok")
            net.rules = Rules(proxy=proxy.url, offline=True)
            with pytest.raises(NotSent, match=r"^Offline is switched on"):
                await asking.get(f"https://{NAME}/ok")
        assert (len(proxy.wanted), len(net.made)) == (1, 1)


@in_loop
async def test_offline_still_asks_this_computer():
    async with FaultServer(ACTS) as server:
        net = Connections(Rules(offline=True))
        async with client(net, server.url("ok")) as asking:
            assert (await asking.get(server.url("ok"))).content == b"fine"


@in_loop
async def test_certificates_that_cannot_be_read_send_nothing(tmp_path: Path):
    for bad in (tmp_path / "missing.pem", tmp_path / "empty.pem"):
        (tmp_path / "empty.pem").write_text("nothing")
        async with client(Connections(Rules(ca_file=str(bad))), f"https://{NAME}") as asking:
            with pytest.raises(NotSent, match=r"cannot be read .*nothing was sent"):
                await asking.get(f"https://{NAME}/ok")


def test_certificates_are_read_where_the_client_is_made_and_not_in_the_loop(tmp_path: Path):
    identity = SelfSigned(tmp_path, NAME)
    before = trusted_context.cache_info().currsize
    NetTransport(Connections(Rules(ca_file=identity.ca_file)), f"https://{NAME}", "model")
    assert trusted_context.cache_info().currsize == before + 1


@in_loop
async def test_reaching_finds_out_whether_somebody_listens():
    async with FaultServer(ACTS) as server:
        net = Connections(Rules(offline=True))
        await net.reach(server.url("ok"), "model", 5)
        with pytest.raises(OSError, match="onnect"):
            await net.reach(f"http://127.0.0.1:{_free_port()}", "model", 5)
        with pytest.raises(NotSent):
            await net.reach("https://models.example", "model", 5)
    assert len(net.made) == 2


@in_loop
async def test_a_socket_goes_through_the_proxy_to_the_address_that_was_checked(tmp_path: Path):
    identity = SelfSigned(tmp_path, NAME)
    async with FaultServer(ACTS, tls=identity.server()) as server, ConnectProxy(server.port) as proxy:
        net = Connections(Rules(proxy=proxy.url, ca_file=identity.ca_file))

        def asked() -> bytes:
            begun = net.begin(target_of(f"https://{NAME}"), "page")
            plain = net.connect(begun, "203.0.113.7", 5)
            with net.trust().wrap_socket(plain, server_hostname=NAME) as opened:
                opened.sendall(b"GET /ok HTTP/1.1\r\n\r\n")
                return _all_of(opened)

        assert (await asyncio.to_thread(asked)).endswith(b"fine")
        assert proxy.wanted == ["203.0.113.7:443"]
        proxy.status = "403 No"
        with pytest.raises(OSError, match="the proxy refused"):
            await asyncio.to_thread(asked)


def _all_of(opened: ssl.SSLSocket) -> bytes:
    came = b""
    while piece := opened.recv(65536):
        came += piece
    return came


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@in_loop
async def test_a_stream_stays_counted_when_it_becomes_encrypted():
    begun = Connections().begin(target_of("https://h.example"), "model")
    stream = await CountedStream(_Plain(), begun).start_tls(None)
    assert (await stream.read(10), begun.received_bytes) == (b"secret", 6)
    assert stream.get_extra_info("x") == "x"


class _Plain:
    async def start_tls(self, context: None) -> _Plain:
        return self

    async def read(self, most: int, timeout: float | None) -> bytes:  # noqa: ASYNC109
        return b"secret"

    def get_extra_info(self, info: str) -> str:
        return info


@pytest.mark.skipif(shutil.which("tinyproxy") is None, reason="no tinyproxy here")
@pytest.mark.slow
@in_loop
async def test_a_real_proxy_takes_what_is_asked_of_it(tmp_path: Path):
    """It cannot reach the name, and says so: that is an answer of the proxy's."""
    port = _free_port()
    settings = tmp_path / "tinyproxy.conf"
    settings.write_text(f"Port {port}\nListen 127.0.0.1\nTimeout 5\nConnectPort 443\n")
    run = await asyncio.create_subprocess_exec(
        "tinyproxy", "-d", "-c", str(settings), stdout=subprocess.DEVNULL
    )
    try:
        await _listening(lambda: Connections().reach(f"http://127.0.0.1:{port}", "model", 1))
        net = Connections(Rules(proxy=f"http://127.0.0.1:{port}"))
        async with client(net, "https://nowhere.invalid") as asking:
            with pytest.raises(httpx2.ProxyError):
                await asking.get("https://nowhere.invalid/")
    finally:
        run.terminate()
        await run.wait()


async def _listening(reach: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                await reach()
                return
            except OSError:
                await asyncio.sleep(0.02)


# Which certificates are believed.


def test_certificates_and_names_are_checked():
    context = trusted_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.cert_store_stats()["x509_ca"] > 50


def test_it_is_made_once():
    assert trusted_context() is trusted_context()


def test_the_environment_can_neither_replace_the_certificates_nor_listen_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """SSLKEYLOGFILE would write the keys of every connection to a file."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    context = trusted_context.__wrapped__()
    assert context.cert_store_stats()["x509_ca"] > 50
    assert context.keylog_filename is None
