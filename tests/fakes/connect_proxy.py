"""A proxy on this computer that passes everything on to one place, whatever was asked for, and notes what was."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass
class ConnectProxy:
    """Understands CONNECT only, as a proxy for https does.

    Attributes:
        to_port: where on this computer everything goes.
        wanted: what each connection asked for; heads: its whole first request.
        status: what it says instead of passing on.
    """

    to_port: int = 0
    status: str = "200 Connection established"
    wanted: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        """As it stands in the settings."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> ConnectProxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.heads.append(head)
            self.wanted.append(head.split(" ")[1])
            writer.write(f"HTTP/1.1 {self.status}\r\n\r\n".encode())
            if self.status.startswith("200"):
                there, back = await asyncio.open_connection("127.0.0.1", self.to_port)
                await asyncio.gather(_pass_on(reader, back), _pass_on(there, writer))
        writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.CancelledError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()
