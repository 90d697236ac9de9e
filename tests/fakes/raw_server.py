"""A server and a client that know nothing of HTTP: what they send and get are bytes, to be compared."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter
Act = Callable[[Reader, Writer], Awaitable[None]]
PATIENCE_S = 60.0


@dataclass
class RawServer:
    """Does what it is told with every connection.

    Attributes:
        ended: how many connections are over.
    """

    act: Act
    port: int = 0
    ended: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> RawServer:
        self._open: set[Writer] = set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**22)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        for writer in tuple(self._open):
            writer.transport.abort()

    async def _serve(self, reader: Reader, writer: Writer) -> None:
        self._open.add(writer)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self.act(reader, writer)
        finally:
            self._open.discard(writer)
            self.ended.release()
            writer.close()


def answering(*pieces: bytes, after: int) -> tuple[Act, list[bytes]]:
    """An act that takes so many bytes and then sends these pieces and closes; and what it took."""
    taken: list[bytes] = []

    async def act(reader: Reader, writer: Writer) -> None:
        taken.append(await reader.readexactly(after))
        await send(writer, pieces)

    return act, taken


def serving(answer: bytes) -> tuple[Act, list[tuple[bytes, bytes]]]:
    """An act that gives every request of a connection this answer; and the heads and bodies that came."""
    seen: list[tuple[bytes, bytes]] = []

    async def act(reader: Reader, writer: Writer) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            seen.append((head, await reader.readexactly(length_of(head))))
            writer.write(answer)
            await writer.drain()

    return act, seen


def length_of(head: bytes) -> int:
    """How long a head says that its body is."""
    lines = [
        line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
    ]
    return int(lines[0]) if lines else 0


async def send(writer: Writer, pieces: Sequence[bytes]) -> None:
    """Each piece by itself, so that it can arrive by itself."""
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)


async def talk(port: int, *pieces: bytes) -> bytes:
    """Send these pieces and take everything until the other end closes."""
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with suppress(OSError):
            await send(writer, pieces)
        got = await reader.read()
        writer.close()
        return got


def reset(writer: Writer) -> None:
    """End a connection as a crashed machine does."""
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
