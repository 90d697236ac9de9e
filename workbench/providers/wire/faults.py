"""What can be wrong with an answer on the wire, as our own transport and readers find it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class WireFault(Exception):
    """Something came that cannot be used; `failures.py` says it to a person."""


class Refused(WireFault):
    """A status that is not 200, with the beginning of what came with it."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.headers = headers
        self.body = body


class Redirected(WireFault):
    """The server pointed elsewhere; nothing was sent there."""

    def __init__(self, target: str) -> None:
        super().__init__("redirected")
        self.target = target


class Encoded(WireFault):
    """A compressed body, though none was asked for; it was not unpacked."""


class TooBig(WireFault):
    """More than is taken from any server; `what` says of what."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Garbled(WireFault):
    """Bytes that are not what they should be; `what` says in which way."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class NotAStream(WireFault):
    """A 200 that is no answer: a web page, or one whole document."""

    def __init__(self, content_type: str, body: bytes) -> None:
        super().__init__(content_type)
        self.content_type = content_type
        self.body = body

    @property
    def is_page(self) -> bool:
        """Whether it is a web page, as networks that want a sign-in first send them."""
        return "html" in self.content_type.lower() or self.body.lstrip()[:1] == b"<"


class SaidError(WireFault):
    """An error that the server put into the stream."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        super().__init__("error in the stream")
        self.said = said


class CutOff(WireFault):
    """The stream ended before the answer did."""


class Slow(WireFault):
    """No content came in time; `begun` says whether some had come before."""

    def __init__(self, waited_s: float, *, begun: bool) -> None:
        super().__init__("slow")
        self.waited_s = waited_s
        self.begun = begun


class Empty(WireFault):
    """The answer ended as it should, and there was nothing in it."""

    def __init__(self, reason: str | None) -> None:
        super().__init__("empty")
        self.reason = reason


class KeyUnusable(WireFault):
    """The key has characters that no header can carry."""


class Overflowed(WireFault):
    """The server dropped a part of the request without a word; the counts it gave show it."""

    def __init__(self, limit_tokens: int, asked_tokens: int | None = None) -> None:
        super().__init__("overflow")
        self.limit_tokens = limit_tokens
        self.asked_tokens = asked_tokens
