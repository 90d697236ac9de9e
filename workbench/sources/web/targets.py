"""Decides which addresses pages may be fetched from: public ones, on the two usual ports, parsed strictly."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass

from workbench.domain.translation import tr

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
LONGEST_URL = 2_000
PORTS = {"http": 80, "https": 443}
# One reading for all: whatever another program might read otherwise (\\, @, spaces, letters beyond ASCII) is refused.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[!$&'()*+,;=:@%a-zA-Z0-9._~/-]*)?(?P<query>\?[!$&'()*+,;=:@%a-zA-Z0-9._~/?\[\]|-]*)?",
    re.ASCII,
)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_LAST_LABEL = re.compile(r"[a-z][a-z0-9-]*[a-z0-9]", re.ASCII)
_HERE = frozenset({
    "localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "private", "test", "invalid",
    "onion", "arpa",
})  # fmt: skip


class NotFetched(Exception):
    """A page that is not fetched: why, and what the user can do."""

    def __init__(
        self, reason: str, advice: str = tr("Open it in a browser, save it, and attach the file.")
    ) -> None:
        super().__init__(reason)
        self.reason, self.advice = reason, advice


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed address; its parts are used from here on, never the text again."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The address, as it was parsed."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{shown}{port}{self.path}"


def is_address(text: str) -> bool:
    """Tells whether a text is an address of a page, not a file."""
    return re.match(r"[a-z][a-z0-9+.-]*://", text, re.IGNORECASE | re.ASCII) is not None


def parse_target(url: str) -> Target:
    """Parses an address; `NotFetched` where it is unusual, or on another port."""
    if len(url) > LONGEST_URL:
        raise NotFetched(tr("its address has more than {longest_url:,} characters", longest_url=LONGEST_URL))
    text = url.partition("#")[0]
    scheme, mark, rest = text.partition("://")
    if not mark or scheme.lower() not in PORTS:
        raise NotFetched(tr("only http and https addresses are fetched"))
    host, slash, path = re.match(r"([^/?]*)([/?]?)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    if "@" in host:
        raise NotFetched(tr("its address holds a name or a password"), tr("Leave them out."))
    found = _URL.fullmatch(f"{scheme.lower()}://{_ascii(host).lower()}{slash}{path}")
    if found is None:
        raise NotFetched(
            tr("its address is not written plainly"), tr("Copy it from a browser's address line.")
        )
    port = int(found["port"] or PORTS[found["scheme"]])
    if port not in PORTS.values():
        raise NotFetched(tr("port {port} is not one that pages are on (80 and 443)", port=port))
    name = found["host"].strip("[]").rstrip(".")
    _check_name(name)
    return Target(found["scheme"], name, port, (found["path"] or "/") + (found["query"] or ""))


def public_target(url: str) -> Target:
    """Parses an address as `parse_target`, and refuses a number that is not public, too; no name is looked up."""
    target = parse_target(url)
    if ":" in target.host or target.host.replace(".", "").isdigit():
        _check_public([ipaddress.ip_address(target.host)], is_public)
    return target


def _check_public(addresses: list[IPAddress], may_ask: Callable[[IPAddress], bool]) -> None:
    if not addresses or not all(may_ask(address) for address in addresses):
        raise NotFetched(tr("it lies on this computer or its own network"))


def _ascii(host: str) -> str:
    """Encodes an international host name as ASCII."""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        raise NotFetched(tr("its address names no place on the network")) from None


def _check_name(name: str) -> None:
    """Refuses host names that are not public: of this computer or its network, or IP addresses in an odd form."""
    if ":" in name or re.fullmatch(r"[0-9.]+", name):
        try:
            ipaddress.ip_address(name)
        except ValueError:
            raise NotFetched(tr("its address is a number in an unusual form")) from None
        return
    labels = name.split(".")
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise NotFetched(tr("its address names no place on the network"))
    # What ends in a number would be read as an address by some (0x7f.1).
    if not _LAST_LABEL.fullmatch(labels[-1]):
        raise NotFetched(tr("its address is a number in an unusual form"))
    if len(labels) == 1 or labels[-1] in _HERE:
        raise NotFetched(tr("it lies on this computer or its own network"))


def is_public(address: IPAddress) -> bool:
    """Tells whether an address is public, also inside an IPv6 wrapper."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or _embedded(address)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address.is_site_local:
            return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
    )


_TRANSLATED = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE = ipaddress.IPv6Network("::/96")


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Returns the IPv4 address inside a translated or compatible IPv6 address."""
    if any(address in network for network in (*_TRANSLATED, _COMPATIBLE)):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def resolve(target: Target, may_ask: Callable[[IPAddress], bool]) -> IPAddress:
    """Resolves a host name and returns the address to connect to.

    `NotFetched` where any of its addresses is not allowed.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotFetched(
            tr("there is no {host} on the network", host=target.host), tr("Check the address.")
        ) from None
    addresses = [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
    _check_public(addresses, may_ask)
    return addresses[0]
