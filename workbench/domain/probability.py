"""How likely each token of an answer was, and what its model could have written in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

PROBABILITIES = "probabilities"
"""Noted with an answer: what its server reported of its tokens."""
CANDIDATES = 5
"""How many a server is asked for."""
_MOST_TOKENS = 1_000_000


class Candidate(NamedTuple):
    """A token that could have been written, and how likely it was; the text may be empty, for the answer's end."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class LikelyToken:
    """A token as it was written; the candidates are those that were reported, the likeliest first.

    Tokens that make up a character only together are one, with the probability of all of them and no candidates.
    """

    text: str
    probability: float
    candidates: tuple[Candidate, ...] = ()


def as_notes(start: int, tokens: Sequence[LikelyToken]) -> dict[str, Any]:
    """Tokens as they are kept with their answer; `start` is where in it the first of them stands."""
    rows = [
        [one.text, round(one.probability, 4), *_flat(one.candidates)]  # a row for each: there are thousands
        for one in tokens
    ]
    return {"from": start, "tokens": rows}


def _flat(candidates: Sequence[Candidate]) -> list[str | float]:
    return [part for one in candidates for part in (one.text, round(one.probability, 4))]


def from_notes(notes: Mapping[str, Any]) -> tuple[int, tuple[LikelyToken, ...]]:
    """Where in an answer its tokens begin, and the tokens; none where the notes are somebody else's or damaged."""
    kept = notes.get(PROBABILITIES)
    if not isinstance(kept, dict):
        return 0, ()
    start, rows = kept.get("from"), kept.get("tokens")
    if not isinstance(start, int) or start < 0 or not isinstance(rows, list) or len(rows) > _MOST_TOKENS:
        return 0, ()
    tokens = [_token(row) for row in rows]
    known = [one for one in tokens if one is not None]
    return (start, tuple(known)) if len(known) == len(tokens) else (0, ())


def _token(row: object) -> LikelyToken | None:
    if not isinstance(row, list) or len(row) < 2 or len(row) % 2:
        return None
    pairs = [*zip(row[::2], row[1::2], strict=True)]
    if not all(isinstance(text, str) and _is_share(share) for text, share in pairs):
        return None
    (text, share), *others = pairs
    return LikelyToken(text, share, tuple(Candidate(*one) for one in others))


def _is_share(found: object) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found <= 1
