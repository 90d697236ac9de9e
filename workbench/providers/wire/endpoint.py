"""Addresses of model servers: which may be used, and how a model's name says where it is served."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import SplitResult, urlsplit

from workbench.domain.errors import InvalidInput
from workbench.domain.secret import Secret

# Which certificates are believed: the system's and certifi's, whatever the environment says.


@cache
def trusted() -> ssl.SSLContext:
    """One context for all connections: reading the certificates takes some milliseconds."""
    import certifi
    import httpx2

    # Neither SSL_CERT_FILE nor SSLKEYLOGFILE is read this way, which Python's default context would do.
    context = httpx2.create_ssl_context(trust_env=False)
    # A small system may have no certificates of its own.
    context.load_verify_locations(certifi.where())
    return context


OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434"

KeyFor = Callable[[str], Secret | None]

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
        key: the key kept for the server's origin; None sends none.
        local: whether the server runs on this computer.
        provider: who serves the model by its name: openai, also where a gateway stands between, ollama, server …
    """

    base_url: str
    model: str
    key: Secret | None = None
    local: bool = False
    provider: str = ""

    @property
    def host(self) -> str:
        """The host as it is shown, with its port where that is not the usual one."""
        return urlsplit(self.base_url).netloc


def endpoint_of(name: str, key_for: KeyFor, openai_url: str = OPENAI_URL) -> Endpoint:
    """The endpoint that `openai:NAME`, `ollama:NAME`, `ollama:NAME@URL` or `server:URL#NAME` names.

    Keys are looked up by origin, so that another host never gets this one's key. `openai_url` is where `openai:` is
    asked, for gateways.
    """
    url, model = _place(name, openai_url)
    base_url = check_base_url(url)
    if not model.strip() or not model.isprintable():
        raise InvalidInput("model", f"{name!r} names no model; {_FORMS}")
    provider = name.partition(":")[0]
    return Endpoint(base_url, model, key_for(origin(base_url)), is_loopback(base_url), provider)


def check_base_url(url: str) -> str:
    """The address in the one form that is used from here on; `InvalidInput` says what is wrong with it."""
    if _AMBIGUOUS.search(url):
        raise _refused(
            url, "it has characters that do not belong in one; write other scripts' names as xn--…"
        )
    parts = _split(url)
    if parts.scheme not in _PORTS:
        raise _refused(url, "it must begin with https:// (or http:// for this computer)")
    if "@" in parts.netloc:
        raise _refused(url, "it must not contain a user name or password; keys are kept apart from addresses")
    if "?" in url or "#" in url:
        raise _refused(url, "it must end with its path, without ? or #")
    base_url = f"{parts.scheme}://{_authority(url, parts)}{parts.path.rstrip('/')}"
    if parts.scheme == "http" and not is_loopback(base_url):
        raise _refused(url, "http:// can be read on the way; use https://, or a tunnel to 127.0.0.1")
    return base_url


def origin(url: str) -> str:
    """Scheme, host and port, always with the port: what a key belongs to."""
    parts = _split(url)
    host = _host(url, parts.hostname or "")
    return f"{parts.scheme}://{host}:{parts.port or _PORTS.get(parts.scheme, 0)}"


def is_loopback(url: str) -> bool:
    """Whether the address is this computer: 127.0.0.0/8, ::1 or the name localhost."""
    host = _split(url).hostname or ""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


_FORMS = "write openai:NAME, ollama:NAME, ollama:NAME@URL, server:URL#NAME or completion:URL#NAME"


def _place(name: str, openai_url: str) -> tuple[str, str]:
    """The address and the model's name at it."""
    provider, _, rest = name.partition(":")
    match provider:
        case "openai":
            return _with_version(openai_url), rest
        case "ollama":
            model, at, url = rest.partition("@")
            return url if at else OLLAMA_URL, model
        case "server" | "completion":
            url, _, model = rest.partition("#")
            return _with_version(url), model
        case _:
            raise InvalidInput("model", f"{name!r} is not served over the network; {_FORMS}")


def _with_version(url: str) -> str:
    """Servers answer below /v1; an address without any path means that."""
    return f"{url.rstrip('/')}/v1" if re.fullmatch(r"[^/]*//[^/?#]+/*", url) else url


def _split(url: str) -> SplitResult:
    if _AMBIGUOUS.search(url):
        raise _refused(
            url, "it has characters that do not belong in one; write other scripts' names as xn--…"
        )
    parts = None
    try:
        parts = urlsplit(url)
        usable = parts.port != 0 and ("[" not in parts.netloc or _BRACKETED.search(parts.netloc) is not None)
    except ValueError:
        usable = False
    if parts is None or not usable:
        raise _refused(url, "its host or port cannot be read")
    return parts


def _authority(url: str, parts: SplitResult) -> str:
    host = _host(url, parts.hostname or "")
    return host if parts.port in (None, _PORTS[parts.scheme]) else f"{host}:{parts.port}"


def _host(url: str, host: str) -> str:
    address = _address(host)
    if isinstance(address, IPv4Address):
        return str(address)
    if isinstance(address, IPv6Address):
        return f"[{address}]"
    host = host.removesuffix(".")
    if not _HOST_NAME.fullmatch(host):
        raise _refused(url, "its host is not a name or an address")
    # 2130706433, 0x7f.1 and 127.1 are addresses to some readers and names to others.
    if re.fullmatch(r"(0x[0-9a-f]*|\d+)", host.rpartition(".")[2]):
        raise _refused(url, "write a numeric address as four numbers, such as 127.0.0.1")
    return host


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The numeric address; an IPv4 one written as IPv6 is what it stands for."""
    if "%" in host:
        return None
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _refused(url: str, reason: str) -> InvalidInput:
    return InvalidInput("address", f"{_shown(url)} cannot be used: {reason}.")


def _shown(url: str) -> str:
    """The address without what may be a password in it."""
    return ascii(re.sub(r"//[^/]*@", "//…@", url[:200]))
