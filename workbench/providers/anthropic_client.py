"""The official Anthropic client, with its own ways taken from it: it asks through our transport and knows no key."""

from __future__ import annotations

from anthropic import AsyncAnthropic

from workbench.providers.endpoint import Endpoint, origin
from workbench.providers.log_redaction import quiet_loggers
from workbench.providers.transport import Caps, Guard
from workbench.providers.transport_httpx2 import guarded_client

# Says which form of the interface is spoken; without it everything is refused.
_VERSION_HEADER = b"anthropic-version"


def open_client(endpoint: Endpoint, caps: Caps) -> AsyncAnthropic:
    """A client for one endpoint, on which the environment has no influence."""
    quiet_loggers()  # the import reads ANTHROPIC_LOG, and with "debug" would log what is said in chats
    guard = Guard(
        origin(endpoint.base_url),
        endpoint.key,
        key_header="x-api-key",
        also_sent=frozenset({_VERSION_HEADER}),
        caps=caps,
    )
    client = AsyncAnthropic(
        # Something must be there, or profiles on the disk are looked for; the transport drops it and adds the real key.
        api_key="none",
        webhook_key="",
        base_url=endpoint.base_url,
        max_retries=0,
        # Where tracing is set up on this computer, it would get what is said in chats.
        open_telemetry=False,
        http_client=guarded_client(guard),
    )
    # ANTHROPIC_CUSTOM_HEADERS cannot be turned off in any other way.
    client._custom_headers = {}
    return client
