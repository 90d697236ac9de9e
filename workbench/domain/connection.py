"""The network connections of this run: to whom, what for, and how many bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Purpose = Literal["model", "page", "tool server", "watched program", "web search"]


@dataclass(frozen=True, slots=True)
class ConnectionMade:
    """One connection for display; its contents are not stored.

    Attributes:
        host: with its port.
        why: what it was for.
        at: when it began, in UTC; empty where that is unknown.
        via: the proxy it went through; empty for none.
        sent_bytes, received_bytes: inside the encryption, with headers.
    """

    host: str
    why: Purpose
    at: str = ""
    via: str = ""
    sent_bytes: int = 0
    received_bytes: int = 0


@dataclass(frozen=True, slots=True)
class NetworkSeen:
    """The network settings of this run, and its connections.

    Attributes:
        proxy: host and port of the proxy; empty for none. system: whether the environment names it.
        no_proxy: hosts that are asked without it.
        ca_file: certificates that are believed beside the usual ones; empty for none.
        plain_http: servers in one's own network that are asked without encryption.
        made: the newest connections, the oldest of them first.
    """

    offline: bool = False
    proxy: str = ""
    system: bool = False
    no_proxy: tuple[str, ...] = ()
    ca_file: str = ""
    plain_http: tuple[str, ...] = ()
    made: tuple[ConnectionMade, ...] = ()

    @property
    def usual(self) -> bool:
        """Whether everything connects directly, with default settings."""
        return not (self.offline or self.proxy or self.system or self.ca_file or self.plain_http)
