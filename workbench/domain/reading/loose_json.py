"""Lenient access to foreign JSON: values of the expected type, or a default."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

MOST_COUNT = 2**31 - 1
"""No request has this many tokens; a larger reported count is not believed."""


def text_in(place: Mapping[str, Any], key: str) -> str:
    """The text under a key; empty where it is missing, null or something else."""
    value = place.get(key)
    return value if isinstance(value, str) else ""


def count_in(place: Mapping[str, Any], key: str) -> int | None:
    """The count under a key; None where it is missing, null, negative, huge or something else. 0 is a count."""
    value = place.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_COUNT else None


def table_in(place: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key; empty where it is missing, null or something else."""
    value = place.get(key)
    return value if isinstance(value, dict) else {}


def tables_in(place: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects of the list under a key; empty where it is missing, null or something else."""
    value = place.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def parsed(text: str | bytes) -> Any:
    """The value of a JSON text; None where it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def strings_in(value: object) -> Iterator[str]:
    """All texts in a JSON value, without its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_in(inner)
