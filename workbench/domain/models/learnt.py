"""What is learnt of a model from its own reports: how far counts are off, and how often forecasts came true."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TurnReport:
    """The last request of a turn as we counted and foretold it, and as its provider reported it.

    Attributes:
        card: which models are counted alike; empty where the count was not an estimate.
        counted_tokens: as it was shown, and `ratio` what a bare count was multiplied with for that.
        predicted_tokens, served_tokens: what a cache was expected to serve, and what it did.
        cached_tokens: what the provider reported as served from a cache, whether or not anything was expected.
    """

    model: str
    card: str = ""
    counted_tokens: int = 0
    ratio: float = 1.0
    prompt_tokens: int | None = None
    predicted_tokens: int | None = None
    served_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """By how much bare counts of a model are multiplied, and how far nine in ten of such counts are off then.

    `spread` is a share of the count; `turns` is how many reports say so.
    """

    ratio: float = 1.0
    spread: float = 0.0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class CacheSeen:
    """What a server's reports show of its cache.

    Attributes:
        last_tokens, last_prompt_tokens: what it served of the newest request that it reported, and how large that was.
        least_tokens: the least it ever served, except nothing.
        step_tokens: what all amounts are multiples of; None where there are too few, or they have no common step.
    """

    last_tokens: int
    last_prompt_tokens: int
    least_tokens: int
    step_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelLearnt:
    """Of `judged` forecasts of a model so many came true; `calibration` where its counts are estimates."""

    judged: int = 0
    within: int = 0
    calibration: Calibration | None = None
    seen: CacheSeen | None = None


@dataclass(frozen=True, slots=True)
class Truncation:
    """A server that read far less than it was sent, and said nothing."""

    counted_tokens: int
    read_tokens: int
