"""The official Ollama client, asking through our transport, and giving its answers as the bytes that came.

Its own reader breaks lines at characters that are no line ends, takes a cut answer for a whole one, and forgets what
it has no field for: ids of calls, parts of tools' schemas, headers of refusals. So only its requests are used.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
import ollama

from workbench.providers.ollama.messages import CHAT_PATH
from workbench.providers.wire.endpoint import Endpoint, origin
from workbench.providers.wire.redaction import quiet_loggers
from workbench.providers.wire.transport import Caps, Guard
from workbench.providers.wire.transport_httpx import GuardedTransport


class RawOllama(ollama.AsyncClient):
    """The client, with requests as we write them and responses as they come."""

    def ask(self, content: bytes, connect_s: float) -> AbstractAsyncContextManager[httpx.Response]:
        """Begin an answer to these very bytes; only connecting is limited here, content has the harness's deadlines."""
        return self._http.stream("POST", CHAT_PATH, content=content, timeout=_timeout(connect_s))

    async def facts(self, model: str) -> dict[str, Any]:
        """What the server knows about a model."""
        return (await self.show(model)).model_dump()

    async def tags(self) -> dict[str, Any]:
        """Which models the server has."""
        return (await self.list()).model_dump()

    async def aclose(self) -> None:
        await self._http.aclose()

    @property
    def _http(self) -> httpx.AsyncClient:
        client: httpx.AsyncClient = self._client
        return client


def open_client(endpoint: Endpoint, caps: Caps) -> RawOllama:
    """A client for one endpoint, on which the environment has no influence."""
    quiet_loggers()
    guard = Guard(origin(endpoint.base_url), endpoint.key, caps=caps)
    # OLLAMA_API_KEY is dropped by the transport, which adds the real key, if there is one.
    transport = GuardedTransport(guard, net=endpoint.net)
    return RawOllama(endpoint.base_url, transport=transport, trust_env=False, follow_redirects=False)


def _timeout(connect_s: float) -> httpx.Timeout:
    return httpx.Timeout(None, connect=connect_s, pool=connect_s)
