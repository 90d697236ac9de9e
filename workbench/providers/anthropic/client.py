"""The official Anthropic client, without its own retries, logging and keys: it sends through our transport."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from anthropic import AsyncAnthropic, AsyncStream

from workbench.providers.anthropic.guard import VERSION, guard_of
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.guarded_transport import guarded_client
from workbench.providers.wire.redaction import quiet_loggers
from workbench.providers.wire.transport import Caps


def open_client(endpoint: Endpoint, caps: Caps) -> AsyncAnthropic:
    """Makes a client for one endpoint, on which the environment has no influence."""
    quiet_loggers()  # the import reads ANTHROPIC_LOG, and with "debug" would log what is said in chats
    client = AsyncAnthropic(
        # Something must be there, or profiles on the disk are looked for; the transport drops it and adds the real key.
        api_key="none",
        webhook_key="",
        base_url=endpoint.base_url,
        max_retries=0,
        # Where tracing is set up on this computer, it would get what is said in chats.
        open_telemetry=False,
        http_client=guarded_client(guard_of(endpoint, caps), net=endpoint.net),
    )
    # ANTHROPIC_CUSTOM_HEADERS cannot be turned off in any other way.
    client._custom_headers = dict([VERSION])
    return client


@asynccontextmanager
async def post_bytes(
    client: AsyncAnthropic, path: str, content: bytes, connect_s: float
) -> AsyncIterator[httpx2.Response]:
    """Posts exactly these bytes and yields the unread response; leaving the context closes the connection.

    Only connecting is limited here; content has the harness's deadlines.
    """
    stream = await client.post(
        path,
        cast_to=object,
        content=content,
        options={"timeout": httpx2.Timeout(None, connect=connect_s, pool=connect_s)},
        stream=True,
        stream_cls=AsyncStream[object],
    )
    try:
        yield stream.response
    finally:
        await stream.close()
