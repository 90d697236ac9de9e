"""The transport that applies a guard's rules, for clients built on httpx2; and the plainest of them."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx2

from workbench.net.connections import Connections
from workbench.net.http_transport import NetTransport, client_over
from workbench.net.rules import target_of
from workbench.providers.wire.endpoint import Endpoint, origin
from workbench.providers.wire.redaction import quiet_loggers
from workbench.providers.wire.transport import Caps, Guard, OpenBody, guard_of


def guarded_client(
    guard: Guard, trust: ssl.SSLContext | None = None, net: Connections | None = None
) -> httpx2.AsyncClient:
    """Makes a client that follows no redirects, reads no environment, and sends only through the guard."""
    return client_over(GuardedTransport(guard, trust, net))


def connecting_within(connect_s: float) -> httpx2.Timeout:
    """Limits only connecting; content has the harness's deadlines."""
    return httpx2.Timeout(None, connect=connect_s, pool=connect_s)


class PlainClient:
    """Sends to a server that speaks like OpenAI what the official client would, byte for byte, without its library."""

    def __init__(self, endpoint: Endpoint, caps: Caps) -> None:
        quiet_loggers()  # the HTTP libraries would log headers, in which a server may repeat a key
        self._url = endpoint.base_url
        self._http = guarded_client(guard_of(endpoint, caps), net=endpoint.net)

    @asynccontextmanager
    async def post_bytes(
        self, path: str, content: bytes, connect_s: float, headers: Mapping[str, str]
    ) -> AsyncIterator[httpx2.Response]:
        """Posts exactly these bytes and yields the unread response; leaving the context closes the connection."""
        sent = {"content-type": "application/json", **headers}
        response = await self._send("POST", path, connect_s, sent, content)
        try:
            yield response
        finally:
            await response.aclose()

    async def models(self, connect_s: float) -> bytes:
        """Returns the server's listing of its models."""
        return await (await self._send("GET", "/models", connect_s)).aread()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _send(
        self, method: str, path: str, connect_s: float, headers: Mapping[str, str] = {}, content: bytes = b""
    ) -> httpx2.Response:
        request = httpx2.Request(
            method,
            self._url + path,
            headers={"Connection": "keep-alive", "accept": "application/json", **headers},
            content=content,
            extensions={"timeout": connecting_within(connect_s).as_dict()},
        )
        return await self._http.send(request, stream=True)


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Applies the guard to every request and every body."""

    def __init__(
        self, guard: Guard, trust: ssl.SSLContext | None = None, net: Connections | None = None
    ) -> None:
        self._guard, self._net = guard, net or Connections()
        self._inner = NetTransport(self._net, guard.origin, "model", trust)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request; returns a response that passed the guard's checks."""
        self._guard.check_target(origin(str(request.url.copy_with(raw_path=b"/"))))
        response = await self._inner.handle_async_request(self._clean(request))
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        opened = OpenBody(response.stream)
        try:
            await self._guard.admit(response.status_code, response.headers, opened.pieces)
        except BaseException:
            await opened.aclose()
            raise
        body = _Body(self._guard, response.headers, opened)
        return httpx2.Response(200, headers=response.headers, stream=body, extensions=response.extensions)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _clean(self, request: httpx2.Request) -> httpx2.Request:
        kept = self._net.rules.withholds_key(target_of(self._guard.origin))
        guard = replace(self._guard, key=None) if kept else self._guard
        headers = guard.outgoing(request.headers.raw)
        return httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )


class _Body(httpx2.AsyncByteStream):
    """A body that raises an error where it grows too large."""

    def __init__(self, guard: Guard, headers: httpx2.Headers, opened: OpenBody) -> None:
        self._pieces = guard.capped(headers, opened.pieces)
        self._opened = opened

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        await self._opened.aclose()
        await self._pieces.aclose()
