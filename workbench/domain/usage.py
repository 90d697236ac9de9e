"""Token usage in one meaning for all providers, and its price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.domain.reading.loose_json import count_in, table_in


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
    """A model's price in US dollars for a million tokens, as published on a date.

    `cached` and `cache_write` are None where the provider has no such price; then the input price applies.
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
    """The usage without impossible values: a cache that served more than the whole request."""
    prompt, cached = usage.prompt_tokens, usage.cached_tokens
    if prompt is None or cached is None or cached <= prompt:
        return usage
    return replace(usage, cached_tokens=None, distrusted_tokens=cached)


def added(one: Usage, other: Usage) -> Usage:
    """The sum of two requests of one turn; what only one of them reported is taken from that one."""
    return Usage(
        _sum(one.prompt_tokens, other.prompt_tokens),
        _sum(one.cached_tokens, other.cached_tokens),
        _sum(one.cache_write_tokens, other.cache_write_tokens),
        _sum(one.completion_tokens, other.completion_tokens),
        _sum(one.reasoning_tokens, other.reasoning_tokens),
        _sum(one.distrusted_tokens, other.distrusted_tokens),
    )


def cost_of(usage: Usage, price: Price) -> Cost | None:
    """The price of the usage; None where the request or the answer was not reported."""
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


# Usage as each protocol reports it, in one meaning; what was not reported stays unknown.


def merged(earlier: Usage | None, later: Usage) -> Usage:
    """Two reports on one answer combined: the later counts, and the earlier where the later has no value."""
    if earlier is None:
        return later
    return Usage(
        _first(later.prompt_tokens, earlier.prompt_tokens),
        _first(later.cached_tokens, earlier.cached_tokens),
        _first(later.cache_write_tokens, earlier.cache_write_tokens),
        _first(later.completion_tokens, earlier.completion_tokens),
        _first(later.reasoning_tokens, earlier.reasoning_tokens),
    )


def openai_usage(chunk: Mapping[str, Any]) -> Usage | None:
    """The usage in a chunk or answer of chat completions; None where it has none."""
    # Groq puts it into a place of its own.
    usage = table_in(chunk, "usage") or table_in(table_in(chunk, "x_groq"), "usage")
    timings = table_in(chunk, "timings")
    if not usage and not timings:
        return None
    return Usage(
        prompt_tokens=_first(count_in(usage, "prompt_tokens"), _evaluated(timings)),
        cached_tokens=_cached(usage, timings),
        cache_write_tokens=_first(
            count_in(table_in(usage, "prompt_tokens_details"), "cache_write_tokens"),
            count_in(usage, "cache_write_tokens"),
        ),
        completion_tokens=_first(count_in(usage, "completion_tokens"), count_in(timings, "predicted_n")),
        reasoning_tokens=count_in(table_in(usage, "completion_tokens_details"), "reasoning_tokens"),
    )


def _cached(usage: Mapping[str, Any], timings: Mapping[str, Any]) -> int | None:
    """Cached tokens under the names of OpenAI, Gemini, vLLM and OpenRouter; DeepSeek; Moonshot; llama.cpp."""
    return _first(
        count_in(table_in(usage, "prompt_tokens_details"), "cached_tokens"),
        count_in(usage, "prompt_cache_hit_tokens"),
        _without_misses(usage),
        count_in(usage, "cached_tokens"),
        count_in(timings, "cache_n"),
    )


def _without_misses(usage: Mapping[str, Any]) -> int | None:
    """The prompt less the misses, which is what DeepSeek's cache served, where a gateway has kept only the misses."""
    whole, missed = count_in(usage, "prompt_tokens"), count_in(usage, "prompt_cache_miss_tokens")
    return None if whole is None or missed is None or missed > whole else whole - missed


def _evaluated(timings: Mapping[str, Any]) -> int | None:
    """The prompt of llama.cpp, which counts cached and evaluated tokens separately."""
    read, cached = count_in(timings, "prompt_n"), count_in(timings, "cache_n")
    return None if read is None or cached is None else read + cached


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def responses_usage(response: Mapping[str, Any]) -> Usage | None:
    """The usage in a response of the Responses API; None where it has none."""
    counts = table_in(response, "usage")
    details = table_in(counts, "input_tokens_details")
    usage = Usage(
        prompt_tokens=count_in(counts, "input_tokens"),
        cached_tokens=count_in(details, "cached_tokens"),
        cache_write_tokens=count_in(details, "cache_write_tokens"),
        completion_tokens=count_in(counts, "output_tokens"),
        reasoning_tokens=count_in(table_in(counts, "output_tokens_details"), "reasoning_tokens"),
    )
    return None if usage == Usage() else usage


def anthropic_usage(counts: Mapping[str, Any]) -> Usage | None:
    """The usage from Anthropic's counts: three disjoint kinds of input, which together are the request."""
    fresh = count_in(counts, "input_tokens")
    read, written = (
        count_in(counts, "cache_read_input_tokens"),
        count_in(counts, "cache_creation_input_tokens"),
    )
    usage = Usage(
        prompt_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        cached_tokens=read,
        cache_write_tokens=written,
        completion_tokens=count_in(counts, "output_tokens"),
        reasoning_tokens=count_in(table_in(counts, "output_tokens_details"), "thinking_tokens"),
    )
    return None if usage == Usage() else usage


def ollama_usage(line: Mapping[str, Any]) -> Usage | None:
    """The usage in the last line of an Ollama answer; None where it has none."""
    usage = Usage(
        prompt_tokens=count_in(line, "prompt_eval_count"),
        cached_tokens=count_in(line, "prompt_eval_cached_count"),
        completion_tokens=count_in(line, "eval_count"),
    )
    return None if usage == Usage() else usage


def gemini_usage(chunk: Mapping[str, Any], *, zeros_unsaid: bool = False) -> Usage | None:
    """The usage in a Gemini chunk; None where it has none.

    Google's own servers omit zeros: with `zeros_unsaid`, a missing count is 0.
    """
    counts = table_in(chunk, "usageMetadata")
    prompt = count_in(counts, "promptTokenCount")
    if prompt is None:
        return None
    cached = count_in(counts, "cachedContentTokenCount")
    said, thought = count_in(counts, "candidatesTokenCount"), count_in(counts, "thoughtsTokenCount")
    return Usage(
        prompt_tokens=prompt,
        cached_tokens=0 if cached is None and zeros_unsaid else cached,
        completion_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
        reasoning_tokens=thought,
    )
