"""What a server's own reports show of its cache where no rules are published: an observation, never a rule."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.domain.models.learnt import CacheSeen, TurnReport

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
