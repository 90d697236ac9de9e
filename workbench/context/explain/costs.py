"""What a request is expected to cost: its own tokens at a published price. What the answer will cost, nobody knows."""

from __future__ import annotations

from workbench.domain.model import ModelCard
from workbench.domain.usage import Price, Usage, cost_of

_RUN_HERE = frozenset({"builtin", "gguf", "ollama", "scripted"})


def runs_here(card: ModelCard) -> bool:
    """Whether a model runs on this computer, so that asking it costs nothing."""
    return card.provider in _RUN_HERE


def request_cost(card: ModelCard, price: Price | None, tokens: int, cached_tokens: int) -> float | None:
    """US dollars for the request alone, its cached part at the cached price; None where no price is known."""
    if runs_here(card):
        return 0.0
    if price is None:
        return None
    cost = cost_of(Usage(prompt_tokens=tokens, cached_tokens=cached_tokens, completion_tokens=0), price)
    return None if cost is None else cost.usd


def rereading_cost(card: ModelCard, price: Price | None, tokens: int) -> float | None:
    """What it costs more to read tokens anew that a cache would have served."""
    anew, cached = (request_cost(card, price, tokens, served) for served in (0, tokens))
    return None if anew is None or cached is None else anew - cached
