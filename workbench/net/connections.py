"""Opens connections where the rules allow it, and records each with its bytes."""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote, urlsplit

from workbench.domain.connection import ConnectionMade, NetworkSeen, Purpose
from workbench.domain.translation import tr
from workbench.net.rules import NotSent, Rules, Target, as_address, is_private, is_proxy, target_of

# Which certificates are believed: the system's and certifi's, whatever the environment says, and one's own.


@cache
def trusted_context(ca_file: str = "") -> ssl.SSLContext:
    """Returns the TLS context that all connections share; reading the certificates takes some milliseconds."""
    import certifi
    import httpx2

    # Neither SSL_CERT_FILE nor SSLKEYLOGFILE is read this way, which Python's default context would do.
    context = httpx2.create_ssl_context(trust_env=False)
    # A small system may have no certificates of its own.
    context.load_verify_locations(certifi.where())
    if ca_file:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ValueError) as problem:
            raise NotSent(
                tr(
                    "The certificates in {ca_file} cannot be read ({problem}), so nothing "
                    "was sent. Check `ca_file`.",
                    ca_file=ca_file,
                    problem=problem,
                )
            ) from None
    return context


MOST_KEPT = 500
LookUp = Callable[[str, int], Awaitable[Sequence[str]]]
_LONGEST_HEAD = 16 * 1024


@dataclass(slots=True, eq=False)
class Open:
    """A connection that was begun: its target, purpose and byte counts, also after it was closed."""

    target: Target
    why: Purpose
    at: str
    via: str
    sent_bytes: int = 0
    received_bytes: int = 0

    def record(self) -> ConnectionMade:
        """Returns its record as it is now."""
        return ConnectionMade(
            self.target.shown, self.why, self.at, self.via, self.sent_bytes, self.received_bytes
        )


class Connections:
    """Opens all connections of the program; may be used from any thread."""

    def __init__(
        self, rules: Rules | None = None, now: Callable[[], str] = str, look_up: LookUp | None = None
    ) -> None:
        self._rules = rules or Rules()
        self._watching: list[Callable[[], None]] = []
        self._now, self._look_up = now, look_up
        self._made: deque[Open] = deque(maxlen=MOST_KEPT)

    @property
    def rules(self) -> Rules:
        """The rules in force; transports that exist already follow new rules from their next request on."""
        return self._rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        self._rules = rules
        for heard in tuple(self._watching):
            heard()

    def watch(self, heard: Callable[[], None]) -> Callable[[], None]:
        """Calls `heard` whenever the rules change, in the thread that sets them; returns a function that ends this."""
        self._watching.append(heard)
        return lambda: self._watching.remove(heard) if heard in self._watching else None

    @property
    def made(self) -> tuple[ConnectionMade, ...]:
        """The most recent connections of this run, oldest first."""
        return tuple(one.record() for one in tuple(self._made))

    def seen(self) -> NetworkSeen:
        """Returns the rules without passwords, and the connections made, for display."""
        rules = self.rules
        proxy = target_of(rules.proxy).shown if is_proxy(rules.proxy) else rules.proxy.rpartition("@")[2]
        plain = tuple(sorted(rules.plain_http))
        return NetworkSeen(
            rules.offline, proxy, rules.system, rules.no_proxy, rules.ca_file, plain, self.made
        )

    def trust(self) -> ssl.SSLContext:
        """Returns the TLS context with the certificates that are trusted."""
        return trusted_context(self.rules.ca_file)

    def begin(self, target: Target, why: Purpose) -> Open:
        """Records a connection that is about to be opened; `NotSent` where the rules forbid it."""
        self.rules.check(target)
        if why != "page":  # a page is public, and read by anybody
            self.rules.check_plain(target)
        proxy = self.rules.proxy_for(target)
        begun = Open(target, why, self._now(), target_of(proxy).shown if proxy else "")
        self._made.append(begun)
        return begun

    async def addresses(self, target: Target) -> Sequence[str]:
        """Returns the hosts to connect to: the name, or for plain HTTP its resolved addresses, checked.

        `NotSent` where one is outside the private network: the name may point elsewhere tomorrow.
        """
        if target.scheme != "http" or target.is_here:
            return (target.host,)
        found = await (self._look_up or _resolve)(target.host, target.port)
        for one in found:
            address = as_address(one.partition("%")[0])
            if address is None or not (is_private(address) or address.is_loopback):
                raise NotSent(
                    tr(
                        "{shown} resolves to {value}, which is not in your own network. "
                        "Nothing was sent. Use https:// for it.",
                        shown=target.shown,
                        value=one,
                    )
                )
        return found

    async def reach(self, url: str, why: Purpose, seconds: float) -> None:
        """Checks that a server accepts connections; `OSError` where it does not. Behind a proxy nothing is checked."""
        target = target_of(url)
        if not self.begin(target, why).via:
            async with asyncio.timeout(seconds):
                (host, *_) = await self.addresses(target)
                _, writer = await asyncio.open_connection(host, target.port)
            writer.close()

    def connect(self, begun: Open, address: str, seconds: float) -> socket.socket:
        """Opens a socket to an address of the target, through the proxy if there is one. Blocks."""
        port, proxy = begun.target.port, self.rules.proxy_for(begun.target)
        if not proxy:
            return socket.create_connection((address, port), seconds)
        parts, between = urlsplit(proxy), target_of(proxy)
        opened = socket.create_connection((between.host, between.port), seconds)
        try:
            if parts.scheme == "https":
                opened = self.trust().wrap_socket(opened, server_hostname=between.host)
            _tunnel(opened, f"[{address}]:{port}" if ":" in address else f"{address}:{port}", proxy)
        except BaseException:
            opened.close()
            raise
        return opened


async def _resolve(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


def proxy_login(proxy: str) -> tuple[str, str] | None:
    """Returns user name and password of a proxy's address, which only the system's own setting may contain."""
    parts = urlsplit(proxy)
    return (unquote(parts.username), unquote(parts.password or "")) if parts.username else None


def _tunnel(opened: socket.socket, to: str, proxy: str) -> None:
    """Asks the proxy for a tunnel; `OSError` where it refuses."""
    login = proxy_login(proxy)
    secret = "" if login is None else base64.b64encode(":".join(login).encode()).decode()
    credentials = f"Proxy-Authorization: Basic {secret}\r\n" if secret else ""
    opened.sendall(f"CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n{credentials}\r\n".encode())
    head = b""
    # Byte by byte: what follows the head belongs to whoever is at the other end.
    while not head.endswith(b"\r\n\r\n"):
        piece = opened.recv(1)
        if not piece or len(head) > _LONGEST_HEAD:
            raise OSError("the proxy did not answer as one does")
        head += piece
    status = head.split(b" ", 2)[1:2]
    if status != [b"200"]:
        raise OSError("the proxy refused")
