"""A tool server at an address, over streamable HTTP: one origin, no compression, bounded answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx2

from workbench.domain.translation import tr
from workbench.net.connections import Connections
from workbench.net.http_transport import NetTransport, client_over
from workbench.tools.mcp.limits import McpLimits

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_CONNECT_S = 10.0
_KEPT = 20


@asynccontextmanager
async def web_streams(
    url: str,
    headers: Mapping[str, str],
    limits: McpLimits,
    answered: Callable[[int], None],
    net: Connections,
    tokens: httpx2.Auth | None = None,
) -> AsyncIterator[TransportStreams]:
    """Opens the streams to a server and reports the status of each answer; `tokens` are those of a sign-in.

    Redirects are followed within its origin only.
    """
    from mcp.client.streamable_http import streamable_http_client

    bounded = _BoundedTransport(
        NetTransport(net, url, "tool server", kept=_KEPT), limits.message_bytes, answered
    )
    transport: httpx2.AsyncBaseTransport = bounded
    if tokens is not None:
        from workbench.tools.mcp.sign_in import SignInTransport

        transport = SignInTransport(net, url, limits.sign_in_s, bounded)
    client = client_over(
        transport,
        auth=tokens,
        headers={**headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(_CONNECT_S, read=limits.call_s + limits.start_s),
    )
    async with (
        client,
        streamable_http_client(url, http_client=client, max_sse_event_size=limits.message_bytes) as streams,
    ):
        yield streams


class _BoundedTransport(httpx2.AsyncBaseTransport):
    """Passes answers on up to a size, and refuses compressed ones."""

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, most_bytes: int, answered: Callable[[int], None]
    ) -> None:
        self._inner, self._most, self._answered = inner, most_bytes, answered

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request; its answer is checked and bounded."""
        response = await self._inner.handle_async_request(request)
        self._answered(response.status_code)
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):
            await response.aclose()
            raise httpx2.DecodingError(tr("the answer is packed, which was not asked for"))
        if isinstance(response.stream, httpx2.AsyncByteStream):
            endless = response.headers.get("content-type", "").lower().startswith("text/event-stream")
            # Of a stream of events each is bounded by itself, by the library.
            response.stream = response.stream if endless else _BoundedStream(response.stream, self._most)
        return response

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most_bytes: int) -> None:
        self._inner, self._left = inner, most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            self._left -= len(piece)
            if self._left < 0:
                raise httpx2.ReadError(tr("the answer is too long"))
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
