"""Usage as OpenAI-compatible servers report it, in one meaning; what was not reported stays unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.domain.usage import Usage
from workbench.providers.wire.loose_values import count_in, table_in


def usage_in(chunk: Mapping[str, Any]) -> Usage | None:
    """What a chunk reports; None where it says nothing of it."""
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


def merged(earlier: Usage | None, later: Usage) -> Usage:
    """Two reports on one answer: the later one counts, and the earlier one where the later is silent."""
    if earlier is None:
        return later
    return Usage(
        _first(later.prompt_tokens, earlier.prompt_tokens),
        _first(later.cached_tokens, earlier.cached_tokens),
        _first(later.cache_write_tokens, earlier.cache_write_tokens),
        _first(later.completion_tokens, earlier.completion_tokens),
        _first(later.reasoning_tokens, earlier.reasoning_tokens),
    )


def _cached(usage: Mapping[str, Any], timings: Mapping[str, Any]) -> int | None:
    """OpenAI, vLLM and OpenRouter; DeepSeek; Moonshot; llama.cpp."""
    return _first(
        count_in(table_in(usage, "prompt_tokens_details"), "cached_tokens"),
        count_in(usage, "prompt_cache_hit_tokens"),
        count_in(usage, "cached_tokens"),
        count_in(timings, "cache_n"),
    )


def _evaluated(timings: Mapping[str, Any]) -> int | None:
    """llama.cpp counts apart what it took from its cache and what it read."""
    read, cached = count_in(timings, "prompt_n"), count_in(timings, "cache_n")
    return None if read is None or cached is None else read + cached


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
