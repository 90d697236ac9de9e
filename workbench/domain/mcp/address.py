"""Which addresses a tool server may have."""

from __future__ import annotations

import re
from ipaddress import ip_address

from workbench.domain.errors import InvalidInput

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?P<port>:[0-9]{1,5})?(?P<path>/[!-~]*)?",
    re.IGNORECASE | re.ASCII,
)


def check_url(url: str) -> None:
    """Refuse an address that could be read on the way, that holds a password, or that readers differ about."""
    found = _URL.fullmatch(url)
    host = "" if found is None else found["host"].strip("[]").lower()
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise InvalidInput("url", "it must not hold a name or password; headers may hold secrets")
    if "?" in url or "#" in url:
        raise InvalidInput("url", "it must end with its path, without ? or #; headers may hold secrets")
    if found is None or "\\" in url or not host.strip("."):
        raise InvalidInput("url", "it must be a plain address that begins with https://")
    if found["scheme"].lower() == "http" and not _is_here(host):
        raise InvalidInput("url", "http:// can be read on the way; use https://, or a tunnel to 127.0.0.1")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
