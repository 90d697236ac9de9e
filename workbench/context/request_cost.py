"""What a request is expected to cost: its own tokens at a published price; the answer's cost is unknown."""

from __future__ import annotations

from workbench.domain.caching.forecast import CacheForecast
from workbench.domain.models.model import ModelCard
from workbench.domain.models.provider import RUN_HERE
from workbench.domain.usage import Price, Usage, cost_of


def runs_here(card: ModelCard) -> bool:
    """Whether a model runs on this computer, so that asking it costs nothing."""
    return card.provider in RUN_HERE


def request_cost(card: ModelCard, price: Price | None, forecast: CacheForecast) -> float | None:
    """US dollars for the request alone, what is read and written at its own price; None where none is known."""
    read, written = forecast.predicted_read_tokens, forecast.predicted_write_tokens
    if runs_here(card):
        return 0.0
    if price is None:
        return None
    total = read + written + forecast.fresh_tokens
    cost = cost_of(
        Usage(prompt_tokens=total, cached_tokens=read, cache_write_tokens=written, completion_tokens=0), price
    )
    return None if cost is None else cost.usd


def unforeseen(card: ModelCard, tokens: int) -> CacheForecast:
    """A request of so many tokens of which no cache has anything, or nobody knows whether it has."""
    return CacheForecast(card.provider, 0, 0, tokens)


def rereading_cost(card: ModelCard, price: Price | None, tokens: int) -> float | None:
    """What it costs more to read tokens anew that a cache would have served."""
    cases = (CacheForecast(card.provider, 0, tokens), CacheForecast(card.provider, tokens, 0))
    anew, cached = (request_cost(card, price, case) for case in cases)
    return None if anew is None or cached is None else anew - cached
