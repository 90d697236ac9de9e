"""A proxy between a raw client and a raw server, and what it heard."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType

from tests.fakes.raw_server import PATIENCE_S, talk
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.routes import Routes
from workbench.net.connections import Connections
from workbench.net.watch.copies import Passing
from workbench.net.watch.proxy import WatchProxy


class Watched:
    """A proxy to one address while a test runs."""

    def __init__(self, to: str | Routes, net: Connections | None = None) -> None:
        self.passed: list[Passing] = []
        self._more = asyncio.Condition()
        routes = Routes({}, to) if isinstance(to, str) else to
        self.proxy = WatchProxy(net or Connections(), routes, self._heard, lambda: 1_800_000_000.0)
        self.port = 0

    async def __aenter__(self) -> Watched:
        address = await self.proxy.start()
        self.port = int(address.rpartition(":")[2])
        self._changed = asyncio.Event()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.proxy.close()

    def _heard(self, passing: Passing) -> None:
        self.passed.append(passing)
        self._changed.set()

    async def exchanges(self, count: int) -> list[Exchange]:
        """The first so many requests that are over, once they are."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.passed) < count:
                self._changed.clear()
                await self._changed.wait()
        return [one.exchange() for one in self.passed[:count]]

    def head(self, line: str = "POST /v1/messages", *headers: str) -> bytes:
        """A request's head for the proxy's address."""
        return "\r\n".join([f"{line} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *headers, "", ""]).encode(
            "latin-1"
        )

    def post(self, body: bytes, *headers: str) -> bytes:
        """A whole request with a body."""
        return self.head("POST /v1/messages", *headers, f"Content-Length: {len(body)}") + body

    async def talk(self, *pieces: bytes) -> bytes:
        """Everything that comes back for these bytes until the end."""
        return await talk(self.port, *pieces)


def as_chunks(pieces: Sequence[bytes], trailers: bytes = b"") -> bytes:
    """A body in chunks."""
    return (
        b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in pieces if one) + b"0\r\n" + trailers + b"\r\n"
    )
