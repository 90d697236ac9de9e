"""Where words stand in a text, folded or not."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

MOST_HITS = 10_000

Hit = tuple[int, int]


def find_all(text: str, words: str) -> list[Hit]:
    """Every place of the words, whatever their case; the first ten thousand."""
    if not words:
        return []
    lowered, wanted = text.lower(), words.lower()
    if len(lowered) != len(text):
        # A few letters are longer in lower case; their places would be off.
        found = re.finditer(re.escape(words), text, re.IGNORECASE)
        return [hit.span() for hit, _ in zip(found, range(MOST_HITS), strict=False)]
    hits: list[Hit] = []
    at = lowered.find(wanted)
    while at >= 0 and len(hits) < MOST_HITS:
        hits.append((at, at + len(wanted)))
        at = lowered.find(wanted, at + len(wanted))
    return hits


def next_hit(hits: list[Hit], behind: int) -> int:
    """The first hit that begins at a place or after it; from the end it goes on at the beginning."""
    return bisect_left(hits, (behind, 0)) % len(hits)


def hit_before(hits: list[Hit], before: int) -> int:
    """The last hit that begins before a place; from the beginning it goes on at the end."""
    return (bisect_right(hits, (before, -1)) - 1) % len(hits)
