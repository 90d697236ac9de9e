"""Byte streams over connections that follow the rules, through the proxy if there is one, and are recorded."""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
import struct
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, SupportsIndex, cast

from workbench.domain.connection import Purpose
from workbench.net.connections import Connections, Open, proxy_login
from workbench.net.rules import Target, target_of

PIECE = 256 * 1024
LOOPBACK = "127.0.0.1"
BACKLOG = 512
KEEPALIVE_S = 30
AHEAD = 1024 * 1024


class PieceReader(asyncio.StreamReader):
    """A stream reader that hands on pieces as they came, without copying them.

    It reports at once when the other end has closed, even while nothing is read.
    """

    gone = broke = False
    on_gone: Callable[[], None] | None = None

    def __init__(self) -> None:
        super().__init__(loop=asyncio.get_running_loop())
        self._pieces: list[bytes] = []
        self._came = asyncio.Event()
        self._wire: asyncio.ReadTransport | None = None

    def set_transport(self, transport: asyncio.BaseTransport) -> None:
        super().set_transport(transport)
        self._wire = cast(asyncio.ReadTransport, transport)

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        self._pieces.append(cast(bytes, data))
        self._came.set()
        if self._wire is not None and sum(map(len, self._pieces)) > 2 * PIECE:
            self._wire.pause_reading()

    def feed_eof(self) -> None:
        super().feed_eof()
        self._tell()

    def set_exception(self, exc: BaseException) -> None:
        super().set_exception(exc)  # type: ignore[arg-type]
        self.broke = True
        self._tell()

    async def next(self) -> bytes:
        """Everything that came since the last call, at least a byte; none at the end. `OSError` where it broke."""
        while not (self._pieces or self.gone):
            self._came.clear()
            await self._came.wait()
        if (problem := self.exception()) is not None:
            raise problem
        pieces, self._pieces = self._pieces, []
        if self._wire is not None and not self.gone:
            self._wire.resume_reading()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def put_back(self, piece: bytes) -> None:
        """Return bytes that are read again by the next call."""
        self._pieces[:0] = [piece] if piece else []

    def _tell(self) -> None:
        self.gone = True
        self._came.set()
        if self.on_gone is not None:
            self.on_gone()


class Stream:
    """One end of a connection; writing waits while the other end does not read."""

    def __init__(self, reader: PieceReader, writer: asyncio.StreamWriter, begun: Open | None = None) -> None:
        self._reader, self._writer, self._begun = reader, writer, begun
        # The next piece is read while this one is written, and not only afterwards.
        writer.transport.set_write_buffer_limits(high=AHEAD)

    @property
    def gone(self) -> bool:
        """Whether the other end has closed, or this one was closed."""
        return self._reader.gone or self._writer.is_closing()

    @property
    def broke(self) -> bool:
        """Whether the connection broke; one whose other end only closed may still deliver data."""
        return self._reader.broke

    def end_sending(self) -> bool:
        """Tells the other end that nothing more will be sent, and goes on reading; False where that is not possible."""
        if self._writer.is_closing() or not self._writer.can_write_eof():
            return False
        self._writer.write_eof()
        return True

    def keep_alive(self) -> None:
        """Enables TCP keep-alive, so that a silent peer that is gone is noticed within a minute or two."""
        raw = self._writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name in ("TCP_KEEPIDLE", "TCP_KEEPALIVE", "TCP_KEEPINTVL"):
                if hasattr(socket, name):
                    raw.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), KEEPALIVE_S)

    def when_gone(self, told: Callable[[], None] | None) -> None:
        """Sets the only callback for when the other end has closed; None removes it."""
        self._reader.on_gone = told
        if told is not None and self._reader.gone:
            told()

    async def read(self) -> bytes:
        """Returns the next bytes as soon as there are some; none at the end. `OSError` where the connection broke."""
        piece = await self._reader.next()
        if self._begun is not None:
            self._begun.received_bytes += len(piece)
        return piece

    async def write(self, piece: bytes) -> None:
        """Sends bytes; `OSError` where the connection is gone."""
        self._writer.write(piece)
        if self._begun is not None:
            self._begun.sent_bytes += len(piece)
        await self._writer.drain()

    def close(self) -> None:
        """Closes the stream after what was written is sent."""
        self._writer.close()

    async def closed(self) -> None:
        """Waits until it is closed, with everything that was written."""
        with suppress(OSError):
            await self._writer.wait_closed()

    def abort(self) -> None:
        """Closes it at once."""
        self._writer.transport.abort()

    async def break_off(self) -> None:
        """Sends what was written, then resets the connection as if this end had crashed."""
        self._writer.transport.set_write_buffer_limits(0)
        await self._writer.drain()
        raw = self._writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()


async def listen(serve: Callable[[Stream], Coroutine[Any, Any, None]], port: int) -> asyncio.Server:
    """Accepts connections from this computer only; `OSError` where the port is taken."""
    loop = asyncio.get_running_loop()

    def accepted() -> asyncio.StreamReaderProtocol:
        reader = PieceReader()
        return asyncio.StreamReaderProtocol(reader, lambda _, writer: serve(Stream(reader, writer)), loop)

    return await loop.create_server(accepted, LOOPBACK, port, backlog=BACKLOG)


async def open_stream(net: Connections, target: Target, why: Purpose) -> Stream:
    """Opens a connection to the target; `NotSent` where the rules forbid it, `OSError` where it fails."""
    begun = net.begin(target, why)
    trust = await asyncio.to_thread(net.trust) if target.scheme == "https" else None
    proxy = net.rules.proxy_for(target)
    if not proxy:
        return (await _connect(await net.addresses(target), target, trust)).stream(begun)
    between = target_of(proxy)
    believed = net.trust() if between.scheme == "https" else None
    wire = await _connect((between.host,), between, believed)
    try:
        await _ask_for_tunnel(wire, target, proxy)
        return (wire if trust is None else await _start_tls(wire, trust, target.host)).stream(begun)
    except BaseException:
        wire.transport.abort()
        raise


@dataclass(frozen=True, slots=True)
class _Wire:
    """A connection before it becomes a `Stream`: a `StreamWriter` that is dropped would close it."""

    transport: asyncio.Transport
    protocol: asyncio.StreamReaderProtocol
    reader: PieceReader

    def stream(self, begun: Open) -> Stream:
        loop = asyncio.get_running_loop()
        return Stream(
            self.reader, asyncio.StreamWriter(self.transport, self.protocol, self.reader, loop), begun
        )


def _new_protocol() -> tuple[asyncio.StreamReaderProtocol, PieceReader]:
    reader = PieceReader()
    return asyncio.StreamReaderProtocol(reader, loop=asyncio.get_running_loop()), reader


async def _connect(places: Sequence[str], target: Target, trust: ssl.SSLContext | None) -> _Wire:
    """Connects to the first of these hosts that answers."""
    loop = asyncio.get_running_loop()
    named: dict[str, Any] = {} if trust is None else {"ssl": trust, "server_hostname": target.host}
    problem = OSError("the name stands for no address")
    for place in places:
        protocol, reader = _new_protocol()
        try:
            transport, _ = await loop.create_connection(partial(_same, protocol), place, target.port, **named)
        except OSError as error:
            problem = error
        else:
            return _Wire(transport, protocol, reader)
    raise problem


def _same(protocol: asyncio.StreamReaderProtocol) -> asyncio.StreamReaderProtocol:
    return protocol


async def _start_tls(wire: _Wire, trust: ssl.SSLContext, host: str) -> _Wire:
    """Returns the same connection, encrypted from here on."""
    protocol, reader = _new_protocol()
    inside = await asyncio.get_running_loop().start_tls(wire.transport, protocol, trust, server_hostname=host)
    if inside is None:
        raise OSError("the connection ended while it was being encrypted")
    protocol.connection_made(inside)
    return _Wire(inside, protocol, reader)


async def _ask_for_tunnel(wire: _Wire, target: Target, proxy: str) -> None:
    """Asks the proxy for a tunnel; `OSError` where it refuses."""
    login = proxy_login(proxy)
    secret = "" if login is None else base64.b64encode(":".join(login).encode()).decode()
    credentials = f"Proxy-Authorization: Basic {secret}\r\n" if secret else ""
    to = target.shown
    wire.transport.write(f"CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n{credentials}\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        piece = await wire.reader.next()
        head += piece
        if not piece or len(head) > PIECE:
            raise OSError("the proxy did not answer as one does")
    head, _, behind = head.partition(b"\r\n\r\n")
    wire.reader.put_back(behind)
    if head.split(b" ", 2)[1:2] != [b"200"]:
        raise OSError("the proxy refused")
