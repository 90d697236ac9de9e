"""How connections are made: through which proxy, believing whom, or not at all. Nothing here reaches out."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from workbench.domain.errors import WorkbenchError

Address = IPv4Address | IPv6Address
_PORTS = {"http": 80, "https": 443}
_PRIVATE = tuple(IPv4Network(one) for one in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_PRIVATE_6 = IPv6Network("fc00::/7")
OFFLINE = (
    "Offline is switched on: nothing was sent. "
    "Switch it off in Settings, or with `offline = false` in the settings file."
)
UNSEEN_OFFLINE = (
    "Offline is on, so {server} was not started: what its program does cannot be seen. Turn "
    "offline off in Settings, or with `offline = false` in the settings file."
)


class NotSent(WorkbenchError):
    """A connection that the settings do not allow; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a connection is to, whatever stands between."""

    scheme: str
    host: str
    port: int

    @property
    def shown(self) -> str:
        """The host with its port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """As addresses are written that keys and permissions belong to."""
        return f"{self.scheme}://{self.shown}"

    @property
    def is_here(self) -> bool:
        """Whether it is this computer."""
        return is_here(self.host)


def target_of(url: str) -> Target:
    """The target of an address that was checked before."""
    parts = urlsplit(url)
    return Target(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme])


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for every connection.

    Attributes:
        proxy: the address of an HTTP proxy; empty for none.
        no_proxy: hosts that are asked without it: names with what is below them, addresses, networks, or `*`.
        ca_file: certificates that are believed beside the usual ones; empty for none.
        offline: whether nothing leaves this computer. What runs on it can still be asked.
        plain_http: origins in one's own network that are asked without encryption, always directly;
            plain_http_with_key: those of them that get their key, too.
        system: whether the proxy is the one that the system names; only there its address may hold a password.
    """

    proxy: str = ""
    no_proxy: tuple[str, ...] = ()
    ca_file: str = ""
    offline: bool = False
    system: bool = False
    plain_http: frozenset[str] = frozenset()
    plain_http_with_key: frozenset[str] = frozenset()

    def check(self, target: Target) -> None:
        """`NotSent` where the target may not be asked."""
        if self.offline and not target.is_here:
            raise NotSent(OFFLINE)

    def check_plain(self, target: Target) -> None:
        """`NotSent` where what is sent could be read on the way, and nobody has said that it may."""
        if target.scheme == "http" and not target.is_here and not self.allows_plain(target.origin):
            raise NotSent(f"{target.shown} cannot be asked: {plain_reason(target)}. Nothing was sent.")

    def allows_plain(self, origin: str) -> bool:
        """Whether a server of one's own network may be asked without encryption."""
        return origin in self.plain_http and may_be_private(target_of(origin).host)

    def keeps_key(self, target: Target) -> bool:
        """Whether a key must not go there: it could be read on the way, and nobody has said that it may."""
        return (
            target.scheme == "http" and not target.is_here and target.origin not in self.plain_http_with_key
        )

    def proxy_for(self, target: Target) -> str:
        """The proxy that the target is asked through; this computer is always asked directly."""
        if target.scheme == "http" and self.allows_plain(target.origin):
            return ""
        if not self.proxy or target.is_here or any(_covers(one, target) for one in self.no_proxy):
            return ""
        if not is_proxy(self.proxy) or ("@" in self.proxy and not self.system):
            raise NotSent(
                "The proxy in the settings cannot be used, so nothing was sent. Write it as http://host:port; "
                'one with a password can stand in HTTPS_PROXY, with `proxy = "system"`.'
            )
        return self.proxy


def is_proxy(url: str) -> bool:
    """Whether an address can be that of a proxy."""
    try:
        parts = urlsplit(url)
        return parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0 and url.isascii()
    except ValueError:
        return False


def as_address(host: str) -> Address | None:
    """The numeric address; an IPv4 one written as IPv6 is what it stands for. One of a single link is none here."""
    if "%" in host:
        return None
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_here(host: str) -> bool:
    """Whether a host is this computer: 127.0.0.0/8, ::1 or the name localhost."""
    address = as_address(host)
    return host == "localhost" if address is None else address.is_loopback


def is_private(address: Address) -> bool:
    """Whether an address is one of a home's or an office's own network."""
    if isinstance(address, IPv6Address):
        return address in _PRIVATE_6
    return any(address in network for network in _PRIVATE)


def may_be_private(host: str) -> bool:
    """Whether a host can lie in one's own network, as far as its name says; its addresses are looked at as well."""
    address = as_address(host)
    if address is not None:
        return is_private(address)
    return (host.isascii() and not set(host) & set(".:%")) or host.endswith((".local", ".lan"))


def plain_reason(target: Target) -> str:
    """Why a server is not asked over plain http, and what allows it where that can be allowed."""
    if not may_be_private(target.host):
        return "http:// can be read on the way; use https://, or a tunnel to 127.0.0.1"
    return (
        "http:// can be read by others in your network. To use it all the same, tick it for this server in Settings, "
        f'or add "{target.origin}" to `plain_http` in the settings file'
    )


def _covers(entry: str, target: Target) -> bool:
    """Whether an entry of NO_PROXY means the target."""
    entry = entry.strip().lower()
    name, colon, port = entry.rpartition(":")
    if colon and port.isdigit() and ":" not in name:
        if int(port) != target.port:
            return False
        entry = name
    address = as_address(target.host)
    if address is not None and "/" in entry:
        try:
            return address in ip_network(entry, strict=False)
        except ValueError:
            return False
    entry = entry.removeprefix("*").removeprefix(".")
    return not entry or target.host == entry or target.host.endswith(f".{entry}")
