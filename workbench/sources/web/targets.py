"""Which addresses may be asked for a page: public ones, by one reading of the address, on the two usual ports."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass

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
    """A page that is not fetched: why, and what somebody can do."""

    def __init__(
        self, reason: str, advice: str = "Open it in a browser, save it, and attach the file."
    ) -> None:
        super().__init__(reason)
        self.reason, self.advice = reason, advice


@dataclass(frozen=True, slots=True)
class Target:
    """An address, taken apart once; whoever asks uses these pieces and never the text again."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The address, as it was understood."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{shown}{port}{self.path}"


def is_address(text: str) -> bool:
    """Whether somebody means a page, and not a file."""
    return re.match(r"[a-z][a-z0-9+.-]*://", text, re.IGNORECASE | re.ASCII) is not None


def parse_target(url: str) -> Target:
    """The pieces of an address; `NotFetched` where it is no plain one, or on another port."""
    if len(url) > LONGEST_URL:
        raise NotFetched(f"its address has more than {LONGEST_URL:,} characters")
    text = url.partition("#")[0]
    scheme, mark, rest = text.partition("://")
    if not mark or scheme.lower() not in PORTS:
        raise NotFetched("only http and https addresses are fetched")
    host, slash, path = re.match(r"([^/?]*)([/?]?)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    if "@" in host:
        raise NotFetched("its address holds a name or a password", "Leave them out.")
    found = _URL.fullmatch(f"{scheme.lower()}://{_ascii(host).lower()}{slash}{path}")
    if found is None:
        raise NotFetched("its address is not written plainly", "Copy it from a browser's address line.")
    port = int(found["port"] or PORTS[found["scheme"]])
    if port not in PORTS.values():
        raise NotFetched(f"port {port} is not one that pages are on (80 and 443)")
    name = found["host"].strip("[]").rstrip(".")
    _check_name(name)
    return Target(found["scheme"], name, port, (found["path"] or "/") + (found["query"] or ""))


def _ascii(host: str) -> str:
    """A name in other letters as the network writes it."""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        raise NotFetched("its address names no place on the network") from None


def _check_name(name: str) -> None:
    """A public name, or an address in its usual form; no name that means this computer or its own network."""
    if ":" in name or re.fullmatch(r"[0-9.]+", name):
        try:
            ipaddress.ip_address(name)
        except ValueError:
            raise NotFetched("its address is a number in an unusual form") from None
        return
    labels = name.split(".")
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise NotFetched("its address names no place on the network")
    # What ends in a number would be read as an address by some (0x7f.1).
    if not _LAST_LABEL.fullmatch(labels[-1]):
        raise NotFetched("its address is a number in an unusual form")
    if len(labels) == 1 or labels[-1] in _HERE:
        raise NotFetched("it lies on this computer or its own network")


def is_public(address: IPAddress) -> bool:
    """Whether an address is one of the open network, whatever it is wrapped in."""
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
    """The IPv4 address that a translated or compatible IPv6 address leads to."""
    if any(address in network for network in (*_TRANSLATED, _COMPATIBLE)):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def resolve(target: Target, may_ask: Callable[[IPAddress], bool]) -> IPAddress:
    """The one address that will be asked; `NotFetched` where any that the name stands for may not be. Blocks."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotFetched(f"there is no {target.host} on the network", "Check the address.") from None
    addresses = [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
    if not addresses or not all(may_ask(address) for address in addresses):
        raise NotFetched("it lies on this computer or its own network")
    return addresses[0]
