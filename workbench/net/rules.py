"""Rules for connections: which proxy, which certificates, or none at all. This module opens nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr

Address = IPv4Address | IPv6Address
_PORTS = {"http": 80, "https": 443}
_PRIVATE = tuple(IPv4Network(one) for one in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_PRIVATE_6 = IPv6Network("fc00::/7")
OFFLINE = tr(
    "Offline is switched on: nothing was sent. Switch it off in Settings, "
    "or with `offline = false` in the settings file."
)
UNSEEN_OFFLINE = tr(
    "Offline is on, so {server} was not started: what its program does "
    "cannot be seen. Turn offline off in Settings, or with `offline = "
    "false` in the settings file."
)


class NotSent(WorkbenchError):
    """The settings do not allow a connection; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Target:
    """The server that a connection is for, whatever proxy is in between."""

    scheme: str
    host: str
    port: int

    @property
    def shown(self) -> str:
        """The host with its port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port, as keys and permissions are stored for."""
        return f"{self.scheme}://{self.shown}"

    @property
    def is_here(self) -> bool:
        """Whether it is this computer."""
        return is_here(self.host)


def target_of(url: str) -> Target:
    """Returns the target of an address that was checked before."""
    parts = urlsplit(url)
    return Target(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme])


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings that apply to every connection.

    Attributes:
        proxy: the address of an HTTP proxy; empty for none.
        no_proxy: hosts reached without it: names with their subdomains, addresses, networks, or `*`.
        ca_file: certificates trusted besides the usual ones; empty for none.
        offline: whether nothing leaves this computer. Servers on it can still be used.
        plain_http: origins in the private network that may be used without encryption, always directly;
            plain_http_with_key: those of them that also get their key.
        system: whether the proxy is the system's; only then its address may contain a password.
    """

    proxy: str = ""
    no_proxy: tuple[str, ...] = ()
    ca_file: str = ""
    offline: bool = False
    system: bool = False
    plain_http: frozenset[str] = frozenset()
    plain_http_with_key: frozenset[str] = frozenset()

    def check(self, target: Target) -> None:
        """Raises `NotSent` where the target may not be contacted."""
        if self.offline and not target.is_here:
            raise NotSent(OFFLINE)

    def check_plain(self, target: Target) -> None:
        """Raises `NotSent` for an unencrypted connection that was not explicitly allowed."""
        if target.scheme == "http" and not target.is_here and not self.allows_plain(target.origin):
            raise NotSent(
                tr(
                    "{shown} cannot be asked: {plain_reason}. Nothing was sent.",
                    shown=target.shown,
                    plain_reason=plain_reason(target),
                )
            )

    def allows_plain(self, origin: str) -> bool:
        """Tells whether a server in the private network may be used without encryption."""
        return origin in self.plain_http and may_be_private(target_of(origin).host)

    def withholds_key(self, target: Target) -> bool:
        """Tells whether a key must not be sent to the target: it would be unencrypted, which is not allowed."""
        return (
            target.scheme == "http" and not target.is_here and target.origin not in self.plain_http_with_key
        )

    def proxy_for(self, target: Target) -> str:
        """Returns the proxy for a target; empty where it is reached directly, as this computer always is."""
        if target.scheme == "http" and self.allows_plain(target.origin):
            return ""
        if not self.proxy or target.is_here or any(_covers(one, target) for one in self.no_proxy):
            return ""
        if not is_proxy(self.proxy) or ("@" in self.proxy and not self.system):
            raise NotSent(
                tr(
                    "The proxy in the settings cannot be used, so nothing was sent. Write it as http://host:port; "
                    'one with a password can stand in HTTPS_PROXY, with `proxy = "system"`.'
                )
            )
        return self.proxy


def is_proxy(url: str) -> bool:
    """Tells whether an address can be that of a proxy."""
    try:
        parts = urlsplit(url)
        return parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0 and url.isascii()
    except ValueError:
        return False


def as_address(host: str) -> Address | None:
    """Parses a numeric address; an IPv4 address written as IPv6 becomes IPv4. None for names and link-local zones."""
    if "%" in host:
        return None
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_here(host: str) -> bool:
    """Tells whether a host is this computer: 127.0.0.0/8, ::1 or localhost."""
    address = as_address(host)
    return host == "localhost" if address is None else address.is_loopback


def is_private(address: Address) -> bool:
    """Tells whether an address belongs to a private network."""
    if isinstance(address, IPv6Address):
        return address in _PRIVATE_6
    return any(address in network for network in _PRIVATE)


def may_be_private(host: str) -> bool:
    """Tells whether a host can be in the private network, judged by its name; its addresses are checked separately."""
    address = as_address(host)
    if address is not None:
        return is_private(address)
    return (host.isascii() and not set(host) & set(".:%")) or host.endswith((".local", ".lan"))


def plain_reason(target: Target) -> str:
    """Explains why a server is not used over plain HTTP, and how to allow it where that is possible."""
    if not may_be_private(target.host):
        return tr("http:// can be read on the way; use https://, or a tunnel to 127.0.0.1")
    return tr(
        "http:// can be read by others in your network. To use it all the same, tick it for this server in Settings, "
        'or add "{origin}" to `plain_http` in the settings file',
        origin=target.origin,
    )


def _covers(entry: str, target: Target) -> bool:
    """Tells whether an entry of NO_PROXY covers the target."""
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
