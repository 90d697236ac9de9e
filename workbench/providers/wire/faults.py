"""Faults of a response on the wire, as found by our own transport and parsers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.domain.translation import tr


class WireFault(Exception):
    """An unusable response; `failures.py` words it for a person."""


class Refused(WireFault):
    """A status that is not 200, with the beginning of what came with it."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.headers = headers
        self.body = body


class Redirected(WireFault):
    """The server redirected; nothing was sent there."""

    def __init__(self, target: str) -> None:
        super().__init__("redirected")
        self.target = target


class Encoded(WireFault):
    """A compressed body that was not asked for; it was not unpacked."""


class TooBig(WireFault):
    """A response over the size limit; `what` says of what."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Garbled(WireFault):
    """Malformed bytes; `what` says in which way."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class NotAStream(WireFault):
    """A 200 that is not a stream: a web page, or one whole document."""

    def __init__(self, content_type: str, body: bytes) -> None:
        super().__init__(content_type)
        self.content_type = content_type
        self.body = body

    @property
    def is_page(self) -> bool:
        """Whether it is a web page, as networks that want a sign-in first send them."""
        return "html" in self.content_type.lower() or self.body.lstrip()[:1] == b"<"


class SaidError(WireFault):
    """An error inside the stream."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        super().__init__(tr("error in the stream"))
        self.said = said


class CutOff(WireFault):
    """The stream ended before the answer did."""


class Slow(WireFault):
    """No content in time; `begun` says whether some had come before."""

    def __init__(self, waited_s: float, *, begun: bool) -> None:
        super().__init__("slow")
        self.waited_s = waited_s
        self.begun = begun


class Empty(WireFault):
    """A complete answer without content."""

    def __init__(self, reason: str | None) -> None:
        super().__init__("empty")
        self.reason = reason


class KeyUnusable(WireFault):
    """The key has characters that are invalid in a header."""


class Overflowed(WireFault):
    """The server silently dropped part of the request, as its counts show."""

    def __init__(self, limit_tokens: int, asked_tokens: int | None = None) -> None:
        super().__init__("overflow")
        self.limit_tokens = limit_tokens
        self.asked_tokens = asked_tokens
