"""Anthropic's path for requests, and the headers it requires."""

from __future__ import annotations

from workbench.providers.wire.body import JSON_HEADERS
from workbench.providers.wire.endpoint import Endpoint, origin
from workbench.providers.wire.transport import Caps, Guard

MESSAGES_PATH = "/v1/messages"
# Which form of the interface is spoken; without it everything is refused. Ours, and not whichever the installed library
# would name: bodies are written and answers are read here.
VERSION = ("anthropic-version", "2026-10-21")
HEADERS = (*JSON_HEADERS, VERSION)


def guard_of(endpoint: Endpoint, caps: Caps) -> Guard:
    """Returns the guard for its address: the key goes into another header, and the version is sent too."""
    return Guard(
        origin(endpoint.base_url),
        endpoint.key,
        key_header="x-api-key",
        also_sent=frozenset({VERSION[0].encode()}),
        caps=caps,
    )
