"""What both HTTP libraries open their sockets with: the rules are asked at each connection, and bytes are counted."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from workbench.domain.connection import Purpose
from workbench.net.connections import Connections, Open
from workbench.net.rules import Target


class CheckedBackend:
    """Stands in for a library's own backend, and has it open what may be opened."""

    def __init__(self, inner: Any, net: Connections, target: Target, why: Purpose) -> None:
        self._inner, self._net, self._target, self._why = inner, net, target, why

    async def connect_tcp(self, host: str, port: int, **more: Any) -> CountedStream:
        """To the target, or to the proxy that stands before it."""
        begun = self._net.begin(self._target, self._why)
        places = [host] if begun.via else await self._net.addresses(self._target)
        for place in places[:-1]:
            with suppress(Exception):  # the next one may answer
                return CountedStream(await self._inner.connect_tcp(place, port, **more), begun)
        return CountedStream(await self._inner.connect_tcp(places[-1], port, **more), begun)

    async def connect_unix_socket(self, path: str, **more: Any) -> Any:
        """Nobody asks for one."""
        raise NotImplementedError(path)

    async def sleep(self, seconds: float) -> None:
        """Between attempts, of which there is only one."""
        await self._inner.sleep(seconds)


class CountedStream:
    """A connection whose bytes are counted, inside the encryption once that has begun."""

    def __init__(self, inner: Any, begun: Open) -> None:
        self._inner, self._begun = inner, begun

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (the library's)
        """What came."""
        came: bytes = await self._inner.read(max_bytes, timeout)
        self._begun.received_bytes += len(came)
        return came

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Send it."""
        await self._inner.write(buffer, timeout)
        self._begun.sent_bytes += len(buffer)

    async def aclose(self) -> None:
        """Let go of it."""
        await self._inner.aclose()

    async def start_tls(self, *arguments: Any, **named: Any) -> CountedStream:
        """The same connection, encrypted from here on."""
        return CountedStream(await self._inner.start_tls(*arguments, **named), self._begun)

    def get_extra_info(self, info: str) -> Any:
        """Whatever the library wants to know."""
        return self._inner.get_extra_info(info)
