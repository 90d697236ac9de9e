"""How often forecasts of a model came true."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.context.cache.verdict import is_near
from workbench.domain.models.learnt import TurnReport

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
