"""Rules for a connection to a provider: destination, headers and response size, for both HTTP libraries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from workbench.domain.model import SESSION_FIELDS
from workbench.domain.request import HIDDEN
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.providers.wire.endpoint import Endpoint, origin
from workbench.providers.wire.faults import Encoded, KeyUnusable, NotAStream, Redirected, Refused, TooBig

Header = tuple[bytes, bytes]

USER_AGENT = b"context-workbench"
# Everything else is dropped: the clients add the machine's details, and what the environment tells them to.
_SENT = frozenset(
    {b"host", b"content-type", b"content-length", b"transfer-encoding", b"accept", b"connection"}
)
_STREAMED_TYPES = ("text/event-stream", "application/x-ndjson", "text/plain", "application/octet-stream")
_REFUSAL_WAIT_S = 2.0
_BEARER = "authorization"


@dataclass(frozen=True, slots=True)
class Caps:
    """Size limits for a server's responses.

    Attributes:
        stream_bytes: of an answer; document_bytes: of anything that is not one.
        refusal_bytes: of the body that comes with an error.
        line_bytes: of one line, and of one event.
    """

    stream_bytes: int = 64 * 1024 * 1024
    document_bytes: int = 4 * 1024 * 1024
    refusal_bytes: int = 64 * 1024
    line_bytes: int = 4 * 1024 * 1024


class ByteStream(Protocol):
    """A body as both HTTP libraries give it."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Its pieces as they arrive."""

    async def aclose(self) -> None:
        """Close the connection."""


class OpenBody:
    """A response body while it is read.

    The libraries read it in generators inside one another, which wait for the connection to be closed when they end.
    One that is left in the middle ends when it is collected, outside of any task, where nothing can be waited for.

    Attributes:
        pieces: what arrives; it can be read only once.
    """

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.pieces = aiter(stream)

    async def aclose(self) -> None:
        """Stop reading: close the connection first, so that the generators have nothing to wait for."""
        try:
            await self._stream.aclose()
        finally:
            if isinstance(self.pieces, AsyncGenerator):
                await self.pieces.aclose()


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules for one address.

    The key is added here, on the way out: no client's library ever holds it.

    Attributes:
        origin: the only place anything is sent to, as `endpoint.origin` writes it.
        key_header: the header that carries the key; in "authorization" it is a bearer token.
        also_sent: further headers, in lower case, that the provider needs.
    """

    origin: str
    key: Secret | None = None
    key_header: str = _BEARER
    also_sent: frozenset[bytes] = frozenset()
    caps: Caps = field(default_factory=Caps)

    def outgoing(self, headers: Iterable[Header]) -> list[Header]:
        """The headers to send: those of the request, ours, and the key."""
        kept = [(name, value) for name, value in headers if name.lower() in _SENT | self.also_sent]
        ours = [(b"accept-encoding", b"identity"), (b"user-agent", USER_AGENT)]
        return [*kept, *ours, *self._credentials()]

    def shown(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """The same headers for display, with the key masked."""
        sent = replace(self, key=None).outgoing((name.encode(), value.encode()) for name, value in headers)
        key = f"Bearer {HIDDEN}" if self.key_header == _BEARER else HIDDEN
        hidden = [(self.key_header, key)] if self.key else []
        return (*((name.decode(), value.decode()) for name, value in sent), *hidden)

    def check_target(self, target: str) -> None:
        """Refuse any other destination."""
        if target != self.origin:
            raise Redirected(target)

    async def admit(self, status: int, headers: Mapping[str, str], pieces: AsyncIterable[bytes]) -> None:
        """Raise for everything but a plain 200, before the body is used."""
        if 300 <= status < 400:
            raise Redirected(headers.get("location", ""))
        encoded = headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")
        if status >= 400:
            raise Refused(status, dict(headers), b"" if encoded else await self._beginning(pieces))
        if status != 200:
            raise NotAStream("", b"")
        if encoded:
            raise Encoded

    async def capped(
        self, headers: Mapping[str, str], pieces: AsyncIterable[bytes]
    ) -> AsyncGenerator[bytes, None]:
        """The body, up to the size limit."""
        content_type = headers.get("content-type", "")
        streamed = not content_type or content_type.lower().startswith(_STREAMED_TYPES)
        left = self.caps.stream_bytes if streamed else self.caps.document_bytes
        async for piece in pieces:
            left -= len(piece)
            if left < 0:
                raise TooBig(tr("more bytes than any answer has"))
            yield piece

    async def _beginning(self, pieces: AsyncIterable[bytes]) -> bytes:
        """The first part of an error's body; a broken one does not hide its status."""
        body = bytearray()
        with suppress(Exception):  # whatever breaks here, the status says more
            async with asyncio.timeout(_REFUSAL_WAIT_S):
                async for piece in pieces:
                    body += piece[: self.caps.refusal_bytes - len(body)]
                    if len(body) >= self.caps.refusal_bytes:
                        break
        return bytes(body)

    def _credentials(self) -> list[Header]:
        key = self.key.reveal_text().strip() if self.key else ""
        if not key:
            return []
        if not (key.isascii() and key.isprintable()):
            raise KeyUnusable
        value = f"Bearer {key}" if self.key_header == _BEARER else key
        return [(self.key_header.encode(), value.encode())]


def guard_of(endpoint: Endpoint, caps: Caps | None = None) -> Guard:
    """The rules for an endpoint that gets its key as a bearer token, and the header that names its session."""
    told = frozenset(
        {endpoint.session.lower().encode()} if endpoint.session not in ("", *SESSION_FIELDS) else ()
    )
    return Guard(origin(endpoint.base_url), endpoint.key, also_sent=told, caps=caps or Caps())
