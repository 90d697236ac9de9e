"""The published or measured rules of one provider's prompt cache, as dated data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Match = Literal["prefix", "breakpoints", "units"]
"""How a cache finds what it holds: any common beginning, one that ends at a written mark, or whole kept units."""

OBSERVED = "observed"
"""Id of rules that are only what was seen so far."""


@dataclass(frozen=True, slots=True)
class CacheRules:
    """What a cache does with a request.

    Attributes:
        minimum_tokens: shorter beginnings are not held. step_tokens: what is served comes in multiples of this.
        lifetime_s: for how many seconds it holds what nobody asks for, at least; None where nobody says.
        keeps_answers: whether it holds what the model answered, too.
        newest_only: whether each request takes the place of the one before.
        rereads: whether at least one token of a request is always read anew.
        most_marks: of `breakpoints`: how many a request may write. lookback: how many blocks before a mark are looked
            through for an older one; 0 where that has no limit. marks_newest: whether the provider itself marks the
            newest message, as one of them; an answer cannot carry one there.
        pictures_apart: whether pictures that come or go leave nothing of the messages in the cache.
        as_of: the ISO date on which this was true; source: where it was read or measured.
    """

    id: str
    match: Match
    as_of: str
    source: str
    minimum_tokens: int = 1
    step_tokens: int = 1
    lifetime_s: int | None = None
    keeps_answers: bool = False
    newest_only: bool = False
    rereads: bool = False
    most_marks: int = 4
    lookback: int = 0
    marks_newest: bool = False
    pictures_apart: bool = False

    @property
    def observed(self) -> bool:
        """Whether nobody published or measured them: they are what this model's reports were seen to follow."""
        return self.id == OBSERVED

    def served(self, shared_tokens: int) -> int:
        """How much of a common beginning comes from the cache."""
        if shared_tokens < self.minimum_tokens:
            return 0
        return shared_tokens - shared_tokens % self.step_tokens
