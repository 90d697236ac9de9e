"""Transports for clients that are built on httpx2."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

import httpcore2
import httpx2

from workbench.domain.connection import Purpose
from workbench.domain.translation import tr
from workbench.net.connections import Connections, Open, proxy_login
from workbench.net.rules import NotSent, Rules, Target, target_of

# What both HTTP libraries open their sockets with: the rules are asked at each connection, and bytes are counted.


class CheckedBackend:
    """A network backend for the HTTP library that checks the rules before it opens a connection."""

    def __init__(self, inner: Any, net: Connections, target: Target, why: Purpose) -> None:
        self._inner, self._net, self._target, self._why = inner, net, target, why

    async def connect_tcp(self, host: str, port: int, **more: Any) -> CountedStream:
        """Connects to the target, or to the proxy in front of it."""
        begun = self._net.begin(self._target, self._why)
        places = [host] if begun.via else await self._net.addresses(self._target)
        for place in places[:-1]:
            with suppress(Exception):  # the next one may answer
                return CountedStream(await self._inner.connect_tcp(place, port, **more), begun)
        return CountedStream(await self._inner.connect_tcp(places[-1], port, **more), begun)

    async def sleep(self, seconds: float) -> None:
        """Waits between attempts, of which there is only one."""
        await self._inner.sleep(seconds)


class CountedStream:
    """A connection that counts its bytes, unencrypted ones where it uses TLS."""

    def __init__(self, inner: Any, begun: Open) -> None:
        self._inner, self._begun = inner, begun

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  (the library's)
        """Reads bytes and counts them."""
        came: bytes = await self._inner.read(max_bytes, timeout)
        self._begun.received_bytes += len(came)
        return came

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Sends bytes and counts them."""
        await self._inner.write(buffer, timeout)
        self._begun.sent_bytes += len(buffer)

    async def aclose(self) -> None:
        """Closes the connection."""
        await self._inner.aclose()

    async def start_tls(self, *arguments: Any, **named: Any) -> CountedStream:
        """Returns the same connection, encrypted from here on."""
        return CountedStream(await self._inner.start_tls(*arguments, **named), self._begun)

    def get_extra_info(self, info: str) -> Any:
        """Returns what the library asks about the connection."""
        return self._inner.get_extra_info(info)


class NetTransport(httpx2.AsyncBaseTransport):
    """Sends requests to one origin, by the rules in force when each is sent.

    Connections are not reused unless `kept` says so: one may have died unnoticed, and a new one costs only a handshake.
    """

    def __init__(
        self, net: Connections, url: str, why: Purpose, trust: ssl.SSLContext | None = None, kept: int = 0
    ) -> None:
        self._net, self._target, self._why, self._trust = net, target_of(url), why, trust
        self._kept = kept
        if trust is None and self._target.scheme == "https":
            # Clients are made in a thread; in the loop, reading the certificates would hold everything up.
            with suppress(NotSent):
                net.trust()
        self._rules: Rules | None = None
        self._inner: list[httpx2.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request; a new connection pool is made where the rules have changed."""
        if self._rules is not self._net.rules:
            self._rules = self._net.rules
            self._inner.append(_Pooled(self._pool()))
        return await self._inner[-1].handle_async_request(request)

    async def aclose(self) -> None:
        """Closes all connections, also those made under earlier rules."""
        inner, self._inner, self._rules = self._inner, [], None
        for one in inner:
            await one.aclose()

    def _pool(self) -> httpcore2.AsyncConnectionPool:
        inner = httpcore2.AnyIOBackend()
        backend = CheckedBackend(inner, self._net, self._target, self._why)
        # Plain HTTP has no certificate, and reading the system's takes its time.
        encrypted = self._target.scheme == "https"
        trust = (self._trust or self._net.trust()) if encrypted else None
        shared: dict[str, Any] = {
            "ssl_context": trust,
            "max_connections": 100,
            "max_keepalive_connections": self._kept,
            "keepalive_expiry": 5.0,
            "network_backend": cast("httpcore2.AsyncNetworkBackend", backend),
        }
        proxy = self._net.rules.proxy_for(self._target)
        if not proxy:
            return httpcore2.AsyncConnectionPool(**shared)
        between = target_of(proxy)
        believed = self._net.trust() if between.scheme == "https" else None
        return httpcore2.AsyncHTTPProxy(
            between.origin, proxy_login(proxy), proxy_ssl_context=believed, **shared
        )


class _Pooled(httpx2.AsyncHTTPTransport):
    """The library's transport over our own connection pool."""

    def __init__(self, pool: httpcore2.AsyncConnectionPool) -> None:
        self._pool = pool


def client_over(transport: httpx2.AsyncBaseTransport, **more: Any) -> httpx2.AsyncClient:
    """Returns a client that follows no redirects, reads no environment, and sends only through the transport."""
    return httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, **more)


# One small request, for what needs no client of its own.


_TIMEOUT = httpx2.Timeout(20.0, connect=10.0)


class NoAnswer(Exception):
    """A request that got no whole answer; says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request for JSON: the parameters go into its address, the body is written as JSON."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] | None = None
    body: Any = None


async def ask_once(net: Connections, request: Request, why: Purpose, most_bytes: int) -> tuple[int, bytes]:
    """Returns the status and content of the answer to one request; `NoAnswer` where there is none, or one too long."""
    # In a thread, since it reads the certificates.
    transport = await asyncio.to_thread(NetTransport, net, request.url, why)
    headers = {"accept": "application/json", "accept-encoding": "identity", **request.headers}
    more: dict[str, Any] = {"headers": headers, "params": request.params}
    if request.body is not None:
        more["json"] = request.body
    try:
        async with (
            client_over(transport, timeout=_TIMEOUT) as client,
            client.stream(request.method, request.url, **more) as answer,
        ):
            content = b""
            async for piece in answer.aiter_bytes():
                content += piece
                if len(content) > most_bytes:
                    raise NoAnswer(tr("more than {most_bytes} MB", most_bytes=most_bytes // 2**20))
            return answer.status_code, content
    except httpx2.HTTPError as problem:
        raise NoAnswer(str(problem) or type(problem).__name__) from None
