"""Figures and words out of notes, which come along with chats from elsewhere and may be anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST_TOKENS = 10**9
"""No request is that long: what is more was not counted by anybody, and would break the arithmetic."""
IMPORTED = "imported"
"""Noted with turns that were sent elsewhere, or came out of a file: they are shown, and teach nothing."""
_MOST = 1e12


def noted_table(notes: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table of that name; an empty one where there is something else."""
    found = notes.get(name)
    return found if isinstance(found, dict) else {}


def noted_text(notes: Mapping[str, Any], name: str) -> str:
    """The text of that name; empty where there is something else."""
    found = notes.get(name)
    return found if isinstance(found, str) else ""


def noted_amount(notes: Mapping[str, Any], name: str) -> float | None:
    """The figure of that name; None where there is none that can be reckoned with."""
    found = _number(notes.get(name))
    # Compared before it is converted: an integer may be larger than any float, and NaN is never within.
    return float(found) if found is not None and 0 <= found <= _MOST else None


def noted_count(notes: Mapping[str, Any], name: str) -> int | None:
    """The count of that name; None where there is none, or one that cannot be."""
    found = _number(notes.get(name))
    if found is None or not 0 <= found <= MOST_TOKENS or found != int(found):
        return None
    return int(found)


def _number(found: object) -> int | float | None:
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def noted_of_last(notes: Mapping[str, Any], name: str) -> int | None:
    """A count of the last request, where tools made a turn several."""
    requests: object = notes.get("requests")
    several: Sequence[object] = requests if isinstance(requests, list) else ()
    last = several[-1] if several else notes
    return noted_count(last, name) if isinstance(last, Mapping) else None
