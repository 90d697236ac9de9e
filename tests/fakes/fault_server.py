"""A model server that does everything wrong on purpose: bytes on a socket, without any framework's good manners."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """One connection, as the server sees it."""

    def __init__(self, asked: Asked, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.asked = asked
        self.number = number
        self._reader = reader
        self._writer = writer

    async def send(self, *pieces: bytes) -> None:
        """Each piece in a packet of its own, as far as the system allows."""
        for piece in pieces:
            self._writer.write(piece)
            await self._writer.drain()

    async def head(
        self, content_type: str = "text/event-stream", status: str = "200 OK", **headers: str
    ) -> None:
        """Status and headers; the body then goes on until the connection ends."""
        lines = [
            f"HTTP/1.1 {status}",
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        ]
        if content_type:
            lines.append(f"content-type: {content_type}")
        await self.send("\r\n".join([*lines, "connection: close", "", ""]).encode("utf-8"))

    async def whole(self, body: bytes, content_type: str, status: str = "200 OK", **headers: str) -> None:
        """A whole response with its length."""
        await self.head(content_type, status, content_length=str(len(body)), **headers)
        await self.send(body)

    async def reset(self) -> None:
        """End the connection as a crashed machine does."""
        await asyncio.sleep(0.05)  # what was sent before must have been read, or the reset takes it along
        raw = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def gone(self) -> None:
        """Wait until the other side has closed."""
        while await self._reader.read(65536):
            pass

    async def close(self) -> None:
        """Close this side, quietly."""
        self._writer.close()
        with suppress(OSError, ssl.SSLError):
            await self._writer.wait_closed()


Act = Callable[[Connection], Awaitable[None]]


@dataclass
class FaultServer:
    """Answers at `/<name>/…` as the act of that name does; remembers what was asked, and when a client had gone."""

    acts: Mapping[str, Act]
    tls: ssl.SSLContext | None = None
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0

    async def __aenter__(self) -> FaultServer:
        self._times: Counter[str] = Counter()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls, limit=2**22)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    def url(self, name: str, path: str = "") -> str:
        """Where the act of that name is played."""
        return f"http://127.0.0.1:{self.port}/{name}{path}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            asked = await _read_request(reader)
            name = asked.path.split("/")[1]
            self.asked.append(asked)
            self._times[name] += 1
            connection = Connection(asked, self._times[name], reader, writer)
            await self.acts[name](connection)
            await connection.close()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            self.closed.set()
            writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)
