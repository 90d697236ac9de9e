"""The official Ollama client, sending through our transport and returning raw bytes.

Its own reader breaks lines at characters that are no line ends, takes a cut answer for a complete one, and drops what
it has no field for: ids of calls, parts of tools' schemas, headers of refusals. So only its requests are used.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
import httpx2
import ollama

from workbench.providers.ollama.messages import CHAT_PATH
from workbench.providers.wire.endpoint import Endpoint, origin
from workbench.providers.wire.guarded_transport import GuardedTransport
from workbench.providers.wire.redaction import quiet_loggers
from workbench.providers.wire.transport import Caps, Guard


class RawOllama(ollama.AsyncClient):
    """The client with requests as we write them and responses as they come."""

    def ask(self, content: bytes, connect_s: float) -> AbstractAsyncContextManager[httpx.Response]:
        """Posts exactly these bytes; only connecting is limited here, content has the harness's deadlines."""
        return self._http.stream("POST", CHAT_PATH, content=content, timeout=_timeout(connect_s))

    async def facts(self, model: str) -> dict[str, Any]:
        """Returns what the server knows about a model."""
        return (await self.show(model)).model_dump()

    async def tags(self) -> dict[str, Any]:
        """Returns the models that the server has."""
        return (await self.list()).model_dump()

    async def aclose(self) -> None:
        await self._http.aclose()

    @property
    def _http(self) -> httpx.AsyncClient:
        client: httpx.AsyncClient = self._client
        return client


def open_client(endpoint: Endpoint, caps: Caps) -> RawOllama:
    """Makes a client for one endpoint, on which the environment has no influence."""
    quiet_loggers()
    guard = Guard(origin(endpoint.base_url), endpoint.key, caps=caps)
    # OLLAMA_API_KEY is dropped by the transport, which adds the real key, if there is one.
    transport = _OverHttpx2(GuardedTransport(guard, net=endpoint.net))
    return RawOllama(endpoint.base_url, transport=transport, trust_env=False, follow_redirects=False)


class _OverHttpx2(httpx.AsyncBaseTransport):
    """Sends the requests of an httpx client through our only transport, which is built on httpx2."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        sent = httpx2.Request(
            request.method,
            str(request.url),
            headers=request.headers.raw,
            content=await request.aread(),
            extensions=request.extensions,
        )
        answer = await self._inner.handle_async_request(sent)
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        return httpx.Response(
            answer.status_code,
            headers=answer.headers.raw,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Body(httpx.AsyncByteStream):
    """The bytes of an answer as they arrive."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def _timeout(connect_s: float) -> httpx.Timeout:
    return httpx.Timeout(None, connect=connect_s, pool=connect_s)
