"""Connections as streams of bytes: by the rules, through the proxy if there is one, and noted."""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
import struct
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.domain.connection import Purpose
from workbench.net.connections import Connections, Open, proxy_login
from workbench.net.rules import Target, target_of

PIECE = 256 * 1024
LOOPBACK = "127.0.0.1"
BACKLOG = 512
KEEPALIVE_S = 30
AHEAD = 1024 * 1024


class _Reader(asyncio.StreamReader):
    """Says at once that the other end is gone, also while nobody reads."""

    gone = broke = False
    on_gone: Callable[[], None] | None = None

    def feed_eof(self) -> None:
        super().feed_eof()
        self._tell()

    def set_exception(self, exc: BaseException) -> None:
        super().set_exception(exc)  # type: ignore[arg-type]
        self.broke = True
        self._tell()

    def _tell(self) -> None:
        self.gone = True
        if self.on_gone is not None:
            self.on_gone()


class Stream:
    """One end of a connection; writing waits while the other end does not read."""

    def __init__(self, reader: _Reader, writer: asyncio.StreamWriter, begun: Open | None = None) -> None:
        self._reader, self._writer, self._begun = reader, writer, begun
        # The next piece is read while this one is written, and not only afterwards.
        writer.transport.set_write_buffer_limits(high=AHEAD)

    @property
    def gone(self) -> bool:
        """Whether the other end has closed, or was closed from here."""
        return self._reader.gone or self._writer.is_closing()

    @property
    def broke(self) -> bool:
        """Whether the connection has broken; one that is only gone may still read."""
        return self._reader.broke

    def end_sending(self) -> bool:
        """Say that nothing more comes, and go on reading; False where that cannot be said."""
        if self._writer.is_closing() or not self._writer.can_write_eof():
            return False
        self._writer.write_eof()
        return True

    def look_after(self) -> None:
        """Have the system notice, after a minute or two, that a silent other end is not there any more."""
        raw = self._writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name in ("TCP_KEEPIDLE", "TCP_KEEPALIVE", "TCP_KEEPINTVL"):
                if hasattr(socket, name):
                    raw.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), KEEPALIVE_S)

    def when_gone(self, told: Callable[[], None] | None) -> None:
        """Call this, and nothing else, once the other end has closed."""
        self._reader.on_gone = told
        if told is not None and self._reader.gone:
            told()

    async def read(self) -> bytes:
        """The next bytes as soon as there are some; none at the end. `OSError` where the connection broke."""
        piece = await self._reader.read(PIECE)
        if self._begun is not None:
            self._begun.received_bytes += len(piece)
        return piece

    async def write(self, piece: bytes) -> None:
        """Send it; `OSError` where nobody takes it any more."""
        self._writer.write(piece)
        if self._begun is not None:
            self._begun.sent_bytes += len(piece)
        await self._writer.drain()

    def close(self) -> None:
        """What was written goes out, then it ends."""
        self._writer.close()

    async def closed(self) -> None:
        """Wait until it has ended, with all that was written."""
        with suppress(OSError):
            await self._writer.wait_closed()

    def abort(self) -> None:
        """It ends now."""
        self._writer.transport.abort()

    async def break_off(self) -> None:
        """What was written goes out, then it ends as where the other end crashed."""
        self._writer.transport.set_write_buffer_limits(0)
        await self._writer.drain()
        raw = self._writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()


async def listen(serve: Callable[[Stream], Coroutine[Any, Any, None]], port: int) -> asyncio.Server:
    """Serve connections from this computer, and from nowhere else; `OSError` where the port is taken."""
    loop = asyncio.get_running_loop()

    def accepted() -> asyncio.StreamReaderProtocol:
        reader = _Reader(limit=PIECE, loop=loop)
        return asyncio.StreamReaderProtocol(reader, lambda _, writer: serve(Stream(reader, writer)), loop)

    return await loop.create_server(accepted, LOOPBACK, port, backlog=BACKLOG)


async def open_stream(net: Connections, target: Target, why: Purpose) -> Stream:
    """A connection to the target; `NotSent` where the rules forbid it, `OSError` where there is none to be had."""
    begun = net.begin(target, why)
    trust = await asyncio.to_thread(net.trust) if target.scheme == "https" else None
    proxy = net.rules.proxy_for(target)
    if not proxy:
        return (await _connected(await net.addresses(target), target, trust)).stream(begun)
    between = target_of(proxy)
    believed = net.trust() if between.scheme == "https" else None
    wire = await _connected((between.host,), between, believed)
    try:
        await _ask_for_tunnel(wire, target, proxy)
        return (wire if trust is None else await _encrypted(wire, trust, target.host)).stream(begun)
    except BaseException:
        wire.transport.abort()
        raise


@dataclass(frozen=True, slots=True)
class _Wire:
    """A connection before it is a stream: a writer would close it when it is no longer used."""

    transport: asyncio.Transport
    protocol: asyncio.StreamReaderProtocol
    reader: _Reader

    def stream(self, begun: Open) -> Stream:
        loop = asyncio.get_running_loop()
        return Stream(
            self.reader, asyncio.StreamWriter(self.transport, self.protocol, self.reader, loop), begun
        )


def _unread() -> tuple[asyncio.StreamReaderProtocol, _Reader]:
    loop = asyncio.get_running_loop()
    reader = _Reader(limit=PIECE, loop=loop)
    return asyncio.StreamReaderProtocol(reader, loop=loop), reader


async def _connected(places: Sequence[str], target: Target, trust: ssl.SSLContext | None) -> _Wire:
    """The first of these places that answers."""
    loop = asyncio.get_running_loop()
    named: dict[str, Any] = {} if trust is None else {"ssl": trust, "server_hostname": target.host}
    problem = OSError("the name stands for no address")
    for place in places:
        protocol, reader = _unread()
        try:
            transport, _ = await loop.create_connection(partial(_same, protocol), place, target.port, **named)
        except OSError as error:
            problem = error
        else:
            return _Wire(transport, protocol, reader)
    raise problem


def _same(protocol: asyncio.StreamReaderProtocol) -> asyncio.StreamReaderProtocol:
    return protocol


async def _encrypted(wire: _Wire, trust: ssl.SSLContext, host: str) -> _Wire:
    """The same connection, encrypted from here on."""
    protocol, reader = _unread()
    inside = await asyncio.get_running_loop().start_tls(wire.transport, protocol, trust, server_hostname=host)
    if inside is None:
        raise OSError("the connection ended while it was being encrypted")
    protocol.connection_made(inside)
    return _Wire(inside, protocol, reader)


async def _ask_for_tunnel(wire: _Wire, target: Target, proxy: str) -> None:
    """Ask the proxy to pass everything on; `OSError` where it does not."""
    login = proxy_login(proxy)
    secret = "" if login is None else base64.b64encode(":".join(login).encode()).decode()
    credentials = f"Proxy-Authorization: Basic {secret}\r\n" if secret else ""
    to = target.shown
    wire.transport.write(f"CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n{credentials}\r\n".encode())
    try:
        head = await wire.reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise OSError("the proxy did not answer as one does") from None
    if head.split(b" ", 2)[1:2] != [b"200"]:
        raise OSError("the proxy refused")
