"""What a step would cost at the cache, said before it is taken: the request as it stands against the one after it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PriceTag:
    """The price of one step.

    Attributes:
        tokens_delta: how many tokens the next request has more with it; fewer where that is negative.
        reread_tokens: what a cache would have served and is read again; None where nobody can say.
        cached_tokens: what it serves of the request as it stands; None where nobody can say.
        now_usd: what the next request costs more; None where no price is known.
        after_usd: what every later turn costs more, with all that stands before it cached.
        local: whether the model runs on this computer, where nothing costs money.
        warm_s: for how many seconds more the cache holds what it holds; None where nobody can say.
        cold: whether its time is over, so that everything is read anew anyway.
        fits: whether the request with it may be sent.
    """

    tokens_delta: int = 0
    reread_tokens: int | None = None
    cached_tokens: int | None = None
    now_usd: float | None = None
    after_usd: float | None = None
    local: bool = False
    warm_s: float | None = None
    cold: bool = False
    fits: bool = True

    @property
    def free(self) -> bool:
        """Whether nothing is cached that the step could cost."""
        return self.cached_tokens == 0


@dataclass(frozen=True, slots=True)
class StepPrice:
    """The price of the step that somebody is about to take; `key` is what the front end calls it."""

    key: str
    tag: PriceTag
