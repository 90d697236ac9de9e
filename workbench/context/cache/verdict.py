"""Whether a provider's cache did what was forecast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.domain.caching.forecast import CacheForecast, Verdict
from workbench.domain.caching.rules import OBSERVED, CacheRules
from workbench.domain.models.learnt import CacheSeen, TurnReport

_NEAR = 100
"""A forecast within one part of so many of its request came true."""
_LITTLE = 4
"""Where less than one part of so many is missing, the cache was there, and only shorter."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is known of a request after its answer.

    Attributes:
        total_tokens: of the request. reported_tokens: what the provider says that its cache served; None: nothing.
        aged_out: whether the lifetime of the cache had passed when it was sent, whatever was said before.
        sent_tokens: what was foretold of the request as it was sent, where another one was shown before; None where
            that is the same.
    """

    total_tokens: int
    reported_tokens: int | None
    aged_out: bool = False
    sent_tokens: int | None = None


def is_near(predicted: int, reported: int, total_tokens: int) -> bool:
    """Whether a forecast came true, but for one token or a hundredth of the request."""
    return abs(reported - predicted) <= max(1, total_tokens // _NEAR)


def _slack(foretold: CacheForecast, total_tokens: int) -> int:
    """By how much a forecast may be off and be true: one step of the rules, and where nobody counted, a hundredth."""
    guessed = 0 if foretold.exact or not foretold.predicted_read_tokens else total_tokens // _NEAR
    return max(1, foretold.step_tokens, guessed)


def verdict(foretold: CacheForecast, served: Served) -> Verdict:
    """How a forecast compares with what the provider reported.

    What our own changes cost is in the forecast already: they are to blame only where they came after it was shown.
    """
    predicted, reported, total = foretold.predicted_read_tokens, served.reported_tokens, served.total_tokens
    if reported is None:
        return "not_reported"
    slack = _slack(foretold, total)
    if abs(reported - predicted) <= slack:
        if foretold.limit in ("below_minimum", "lookback_exceeded") and reported <= predicted:
            return foretold.limit
        return "as_predicted"
    if reported > predicted:
        return "more"
    if served.sent_tokens is not None and reported >= served.sent_tokens - slack:
        return "our_change"
    if served.aged_out:
        return "expired"
    # What was only seen so far is no rule that a server could break.
    little = foretold.observed or (predicted - reported) * _LITTLE < predicted
    return "less" if little else "elsewhere"


LAST_JUDGED = 100
"""So many of the newest forecasts are judged: what was wrong long ago says nothing about today."""


def accuracy(reports: Sequence[TurnReport]) -> tuple[int, int]:
    """Of how many forecasts it is known what became of them, and how many came true."""
    judged = [
        is_near(one.predicted_tokens, one.served_tokens, one.prompt_tokens or one.counted_tokens)
        for one in reports
        if one.predicted_tokens is not None and one.served_tokens is not None
    ][-LAST_JUDGED:]
    return len(judged), sum(judged)


LEAST_AMOUNTS = 3
"""Fewer different amounts have a common step by chance."""


def observe(reports: Sequence[TurnReport]) -> CacheSeen | None:
    """What was served, the newest report last; None where nothing ever came from a cache."""
    told = [(one.cached_tokens, one.prompt_tokens or one.counted_tokens) for one in reports]
    known = [(cached, prompt) for cached, prompt in told if cached is not None]
    amounts = sorted({cached for cached, _ in known if cached > 0})
    if not amounts:
        return None
    step = math.gcd(*amounts) if len(amounts) >= LEAST_AMOUNTS else 1
    cached, prompt = known[-1]
    return CacheSeen(cached, prompt, amounts[0], step if step > 1 else None)


def rules_of(seen: CacheSeen) -> CacheRules:
    """What a cache without known rules was seen to do, as rules: what comes again is served, in the steps seen."""
    step = seen.step_tokens or 1
    return CacheRules(OBSERVED, "prefix", "", "reports of this model", minimum_tokens=step, step_tokens=step)
