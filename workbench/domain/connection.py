"""A connection that this run made: to whom, what for, and how much went either way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Purpose = Literal["model", "page", "tool server"]


@dataclass(frozen=True, slots=True)
class ConnectionMade:
    """One connection as it is shown; what was said over it is not kept.

    Attributes:
        host: with its port.
        why: what it was for.
        at: when it began, in UTC; empty where nobody told the time.
        via: the proxy it went through; empty for none.
        sent_bytes, received_bytes: inside the encryption, with headers.
    """

    host: str
    why: Purpose
    at: str = ""
    via: str = ""
    sent_bytes: int = 0
    received_bytes: int = 0
