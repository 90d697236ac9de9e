"""The part of the store's format that is needed without its tables, which are slow to import."""

from __future__ import annotations

import re

SCHEMA_VERSION = 7
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def as_column(value: str | None) -> str | bytes | None:
    """Text as SQLite can hold it: bytes if it contains a lone surrogate."""
    if value is None or not _LONE_SURROGATE.search(value):
        return value
    return value.encode("utf-8", "surrogatepass")


def as_text(value: str | bytes | None) -> str | None:
    """Inverse of `as_column`."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
