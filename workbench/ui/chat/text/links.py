"""Which links may be opened at all, and where they lead; everything else is only text."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMES = ("http", "https", "mailto")
LONGEST_LINK = 4_000

# A control, a space or a backslash in an address is read differently by different programs.
_UNCLEAN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_ASCII = re.compile(r"[\x21-\x7e]+")


def may_open(url: str) -> bool:
    """Whether a link may be offered: http, https and mailto, complete and without tricks."""
    if len(url) > LONGEST_LINK or _UNCLEAN.search(url) or not _ASCII.fullmatch(url):
        return False
    scheme, colon, rest = url.partition(":")
    if not colon or scheme.lower() not in SCHEMES:
        return False
    if scheme.lower() == "mailto":
        return "@" in rest and not rest.startswith("/")
    return rest.startswith("//") and bool(host_of(url))


def host_of(url: str) -> str:
    """The computer a link leads to, or the address of a mail; empty where there is none."""
    try:
        parts = urlsplit(url)
        if parts.scheme.lower() == "mailto":
            return parts.path
        return parts.hostname or ""
    except ValueError:
        return ""
