"""Addresses of model servers: which ones are allowed, and which one a model's name stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import SplitResult, urlsplit

from workbench.domain.errors import InvalidInput
from workbench.domain.provider import Provider, provider_of
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.net.connections import Connections
from workbench.net.rules import as_address, is_here, may_be_private, plain_reason, target_of

KeyFor = Callable[[str], Secret | None]
AllowsPlain = Callable[[str], bool]

_PORTS = {"http": 80, "https": 443}
_HOST_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*")
# `urlsplit` drops or moves these without a word, other readers do not: two readers must never disagree on a host.
_AMBIGUOUS = re.compile(r"[^\x21-\x7e]|[\\<>^`{|}\"]")
_BRACKETED = re.compile(r"(^|@)\[[0-9A-Fa-f:.]+\](:\d*)?\Z")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served.

    Attributes:
        base_url: checked and normalised; without a slash at its end.
        model: the model's name at that server.
        key: the key stored for the server's origin; None sends none.
        local: whether the server runs on this computer.
        provider: the provider in the model's name: openai (also behind a gateway), ollama, server …
        session: how its router is told which chat asks (`domain/model.py`); empty where it is not.
        net: opens the connections to it.
    """

    base_url: str
    model: str
    key: Secret | None = None
    local: bool = False
    provider: str = ""
    session: str = ""
    net: Connections = field(default_factory=Connections, compare=False, repr=False)

    @property
    def host(self) -> str:
        """The host for display, with its port where that is not the usual one."""
        return urlsplit(self.base_url).netloc


def endpoint_of(name: str, key_for: KeyFor, gateway: str = "", net: Connections | None = None) -> Endpoint:
    """Returns the endpoint that a model's name stands for (`openai:NAME`, `ollama:NAME@URL`, `server:URL#NAME`).

    Keys are looked up by origin, so that another host never gets this one's key. A `gateway` is used in place of the
    provider's own address.
    """
    provider = provider_of(name)
    if provider is None or "NAME" not in provider.form:
        raise InvalidInput("model", tr("{name!r} is not served over the network", name=name))
    url, model = _place(provider, name.partition(":")[2])
    net = net or Connections()
    base_url = _base_url(provider, gateway or provider.url if url is None else url, net.rules.allows_plain)
    if not model.strip() or not model.isprintable():
        raise InvalidInput(
            "model", tr("{name!r} names no model; write {example}", name=name, example=provider.example)
        )
    key, local = key_for(origin(base_url)), is_loopback(base_url)
    return Endpoint(base_url, model, key, local, provider.name, net=net)


def check_base_url(url: str, allows_plain: AllowsPlain = lambda _: False) -> str:
    """Checks and normalises an address; `InvalidInput` says what is wrong with it.

    `allows_plain` says of an origin in the private network whether it may be used without encryption.
    """
    if _AMBIGUOUS.search(url):
        raise _refused(
            url, tr("it has characters that do not belong in one; write other scripts' names as xn--…")
        )
    parts = _split(url)
    if parts.scheme not in _PORTS:
        raise _refused(url, "it must begin with https:// (or http:// for this computer)")
    if "@" in parts.netloc:
        raise _refused(
            url, tr("it must not contain a user name or password; keys are kept apart from addresses")
        )
    if "?" in url or "#" in url:
        raise _refused(url, tr("it must end with its path, without ? or #"))
    base_url = f"{parts.scheme}://{_authority(url, parts)}{parts.path.rstrip('/')}"
    target = target_of(base_url)
    safe = parts.scheme == "https" or target.is_here
    if not safe and not (may_be_private(target.host) and allows_plain(target.origin)):
        raise _refused(url, plain_reason(target))
    return base_url


def origin(url: str) -> str:
    """Returns scheme, host and port, always with the port: what a key belongs to."""
    parts = _split(url)
    host = _host(url, parts.hostname or "")
    return f"{parts.scheme}://{host}:{parts.port or _PORTS.get(parts.scheme, 0)}"


def is_loopback(url: str) -> bool:
    """Tells whether the address is this computer: 127.0.0.0/8, ::1 or localhost."""
    return is_here(_split(url).hostname or "")


def is_near(url: str) -> bool:
    """Tells whether the address is on this computer or its private network, judged by its name."""
    host = (_split(url).hostname or "").removesuffix(".")
    return is_here(host) or may_be_private(host)


def _place(provider: Provider, rest: str) -> tuple[str | None, str]:
    """Returns the address that a model's name contains, if any, and the model's name at it."""
    match provider.form:
        case "NAME@URL":
            model, at, url = rest.partition("@")
            return url if at else None, model
        case "URL#NAME":
            url, _, model = rest.partition("#")
            return url, model
        case _:
            return None, rest


def _base_url(provider: Provider, url: str, allows_plain: AllowsPlain) -> str:
    """Returns the address to which the protocol's paths are appended."""
    match provider.interface:
        case "openai" | "completion":
            return check_base_url(_with_version(url), allows_plain)
        case "anthropic":
            # The protocol's own paths begin with it; addresses are often given with it.
            return check_base_url(url, allows_plain).removesuffix("/v1")
        case "gemini":
            return check_base_url(url, allows_plain).removesuffix("/v1beta")
        case _:
            return check_base_url(url, allows_plain)


def _with_version(url: str) -> str:
    """Adds /v1 to an address without a path, since servers answer below it."""
    return f"{url.rstrip('/')}/v1" if re.fullmatch(r"[^/]*//[^/?#]+/*", url) else url


def _split(url: str) -> SplitResult:
    if _AMBIGUOUS.search(url):
        raise _refused(
            url, tr("it has characters that do not belong in one; write other scripts' names as xn--…")
        )
    parts = None
    try:
        parts = urlsplit(url)
        usable = parts.port != 0 and ("[" not in parts.netloc or _BRACKETED.search(parts.netloc) is not None)
    except ValueError:
        usable = False
    if parts is None or not usable:
        raise _refused(url, tr("its host or port cannot be read"))
    return parts


def _authority(url: str, parts: SplitResult) -> str:
    host = _host(url, parts.hostname or "")
    return host if parts.port in (None, _PORTS[parts.scheme]) else f"{host}:{parts.port}"


def _host(url: str, host: str) -> str:
    address = as_address(host)
    if isinstance(address, IPv4Address):
        return str(address)
    if isinstance(address, IPv6Address):
        return f"[{address}]"
    host = host.removesuffix(".")
    if not _HOST_NAME.fullmatch(host):
        raise _refused(url, tr("its host is not a name or an address"))
    # 2130706433, 0x7f.1 and 127.1 are addresses to some readers and names to others.
    if re.fullmatch(r"(0x[0-9a-f]*|\d+)", host.rpartition(".")[2]):
        raise _refused(url, tr("write a numeric address as four numbers, such as 127.0.0.1"))
    return host


def _refused(url: str, reason: str) -> InvalidInput:
    return InvalidInput("address", tr("{url} cannot be used: {reason}.", url=_shown(url), reason=reason))


def _shown(url: str) -> str:
    """Returns the address for display, without a possible password."""
    return ascii(re.sub(r"//[^/]*@", "//…@", url[:200]))
