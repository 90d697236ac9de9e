"""The official OpenAI client, without its own retries, logging and keys: it sends through our transport."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx2
from openai import AsyncOpenAI, AsyncStream, _httpx2

from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.guarded_transport import connecting_within, guarded_client
from workbench.providers.wire.redaction import quiet_loggers
from workbench.providers.wire.transport import Caps, guard_of


def open_client(endpoint: Endpoint, caps: Caps) -> AsyncOpenAI:
    """Makes a client for one endpoint, on which the environment has no influence."""
    quiet_loggers()  # the import reads OPENAI_LOG, and with "debug" would log what is said in chats
    _skip_httpx_lookup()
    client = AsyncOpenAI(
        # Something must be there; the transport drops it and adds the real key, if there is one.
        api_key="none",
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=guarded_client(guard_of(endpoint, caps), net=endpoint.net),
    )
    # OPENAI_CUSTOM_HEADERS cannot be turned off in any other way.
    client._custom_headers = {}
    return client


def _skip_httpx_lookup() -> None:
    """WORKAROUND(openai 3.49): it looks into whatever httpx is loaded, also one that another thread still imports.

    Nothing of httpx is ever given to it here.
    """
    if hasattr(_httpx2, "_loaded_legacy_httpx"):
        _httpx2._loaded_legacy_httpx = lambda: None


class OfficialClient:
    """Posts bytes to OpenAI by its official client, whose library takes a third of a second to import."""

    def __init__(self, endpoint: Endpoint, caps: Caps) -> None:
        self._client = open_client(endpoint, caps)
        _ = self._client.models  # loaded at its first use, which would stop the loop for a while

    @asynccontextmanager
    async def post_bytes(
        self, path: str, content: bytes, connect_s: float, headers: Mapping[str, str]
    ) -> AsyncIterator[httpx2.Response]:
        """Posts exactly these bytes and yields the unread response; leaving the context closes the connection."""
        stream = await self._client.post(
            path,
            cast_to=object,
            content=content,
            options={"timeout": connecting_within(connect_s), "headers": dict(headers)},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        try:
            yield stream.response
        finally:
            await stream.close()

    async def models(self, connect_s: float) -> bytes:
        """Returns the server's listing of its models."""
        waits = connecting_within(connect_s)
        async with self._client.models.with_streaming_response.list(timeout=waits) as response:
            return await response.read()

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()
