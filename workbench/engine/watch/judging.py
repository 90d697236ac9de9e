"""What a watched request was worth: its forecast beside what was reported, its cost, and what a log would have cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.context.cache.verdict import Served, verdict
from workbench.context.request_cost import request_cost, runs_here
from workbench.context.watch.conversations import Conversation
from workbench.context.watch.foreseeing import Foreseen
from workbench.domain.caching.forecast import CacheForecast
from workbench.domain.caching.rules import CacheRules
from workbench.domain.models.model import ModelCard
from workbench.domain.usage import Cost, Price, Usage, cost_of
from workbench.domain.watch.request import WatchedTurn


@dataclass(frozen=True, slots=True)
class Priced:
    """A request with the model it asks: how it is counted, cached and paid."""

    card: ModelCard
    rules: CacheRules | None
    price: Price | None


def judged(turn: WatchedTurn, foreseen: Foreseen | None, priced: Priced) -> WatchedTurn:
    """The turn with its forecast, what became of it, and its cost."""
    usage, found = turn.answer.usage, None
    forecast: CacheForecast | None = None
    if foreseen is not None:
        forecast = foreseen.forecast
        cost = request_cost(priced.card, priced.price, forecast)
        forecast = replace(forecast, price_usd=cost, exact=turn.request.exact and forecast.exact)
        total = usage.prompt_tokens or turn.request.tokens
        found = verdict(forecast, Served(total, usage.cached_tokens, forecast.limit == "cold"))
        found = "distrusted" if usage.distrusted_tokens is not None else found
    return replace(turn, forecast=forecast, verdict=found, cost=_cost(usage, priced))


def writes(priced: Priced) -> bool:
    """Whether what is read and written ends at a mark."""
    return priced.rules is not None and priced.rules.match == "breakpoints"


def _cost(usage: Usage, priced: Priced) -> Cost | None:
    if runs_here(priced.card):
        return Cost(0.0, priced.card.as_of)
    return None if priced.price is None else cost_of(usage, priced.price)


def log_cost(turn: WatchedTurn, mine: Conversation, priced: Priced, now: float) -> float | None:
    """What the turns so far would have cost, had each request gone on from the one before."""
    usage, rules = turn.answer.usage, priced.rules
    total = usage.prompt_tokens
    if mine.log_usd is None or turn.cost is None or total is None:
        return None
    read = 0
    lifetime = rules.lifetime_s if rules is not None else None
    if mine.last is not None and rules is not None and (lifetime is None or now - mine.last_at <= lifetime):
        read = rules.served(min(mine.last.tokens, total))
    writes = priced.price is not None and priced.price.cache_write is not None
    log = replace(usage, cached_tokens=read, cache_write_tokens=total - read if writes else None)
    cost = _cost(log, priced)
    return None if cost is None else mine.log_usd + min(cost.usd, turn.cost.usd)
