"""What a turn cost: tokens as the provider reported them, in one meaning for all providers, and their price."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more requests. None means "not reported", which is not 0.

    Attributes:
        prompt_tokens: the whole request, read from a cache or not.
        cached_tokens: the part of it that a cache served.
        cache_write_tokens: the part of it that was written to a cache, where that has a price of its own.
        completion_tokens: the whole answer, thinking included.
        reasoning_tokens: the part of the answer that was thinking.
        distrusted_tokens: what was reported as served by a cache and is more than the whole request, so not believed.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    distrusted_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars for a million tokens, as published on a day.

    `cached` and `cache_write` are None where the provider has no such price; then the input's holds.
    """

    model: str
    input: float
    output: float
    as_of: str
    cached: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate: tokens as reported × a dated price."""

    usd: float
    as_of: str


def believed(usage: Usage) -> Usage:
    """The usage without what cannot be true: a cache that served more than was asked."""
    prompt, cached = usage.prompt_tokens, usage.cached_tokens
    if prompt is None or cached is None or cached <= prompt:
        return usage
    return replace(usage, cached_tokens=None, distrusted_tokens=cached)


def added(one: Usage, other: Usage) -> Usage:
    """Two requests of one turn together; what only one of them reported stays as that one said."""
    return Usage(
        _sum(one.prompt_tokens, other.prompt_tokens),
        _sum(one.cached_tokens, other.cached_tokens),
        _sum(one.cache_write_tokens, other.cache_write_tokens),
        _sum(one.completion_tokens, other.completion_tokens),
        _sum(one.reasoning_tokens, other.reasoning_tokens),
        _sum(one.distrusted_tokens, other.distrusted_tokens),
    )


def cost_of(usage: Usage, price: Price) -> Cost | None:
    """What the usage costs; None where the request or the answer was not reported."""
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
    fresh = max(0, usage.prompt_tokens - cached - written)
    read = price.input if price.cached is None else price.cached
    write = price.input if price.cache_write is None else price.cache_write
    total = fresh * price.input + cached * read + written * write + usage.completion_tokens * price.output
    return Cost(total / 1_000_000, price.as_of)


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other
