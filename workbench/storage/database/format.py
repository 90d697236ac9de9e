"""What of the store's format is needed without its tables, which take a while to load."""

from __future__ import annotations

import re

SCHEMA_VERSION = 4
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def as_column(value: str | None) -> str | bytes | None:
    """Text as SQLite can hold it: bytes where there is a lone surrogate, which its text cannot hold."""
    if value is None or not _LONE_SURROGATE.search(value):
        return value
    return value.encode("utf-8", "surrogatepass")


def as_text(value: str | bytes | None) -> str | None:
    """The text as it was."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
