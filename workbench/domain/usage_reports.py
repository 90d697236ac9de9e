"""Usage as each protocol reports it, in one meaning; what was not reported stays unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.domain.reading.loose_json import count_in, table_in
from workbench.domain.usage import Usage


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


def openai_usage(chunk: Mapping[str, Any]) -> Usage | None:
    """What a chunk or a whole answer of chat completions reports; None where it says nothing of it."""
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
    """OpenAI, Gemini, vLLM and OpenRouter; DeepSeek; Moonshot; llama.cpp."""
    return _first(
        count_in(table_in(usage, "prompt_tokens_details"), "cached_tokens"),
        count_in(usage, "prompt_cache_hit_tokens"),
        _without_misses(usage),
        count_in(usage, "cached_tokens"),
        count_in(timings, "cache_n"),
    )


def _without_misses(usage: Mapping[str, Any]) -> int | None:
    """DeepSeek's requests are hits and misses; a gateway in between may have kept the misses only."""
    whole, missed = count_in(usage, "prompt_tokens"), count_in(usage, "prompt_cache_miss_tokens")
    return None if whole is None or missed is None or missed > whole else whole - missed


def _evaluated(timings: Mapping[str, Any]) -> int | None:
    """llama.cpp counts apart what it took from its cache and what it read."""
    read, cached = count_in(timings, "prompt_n"), count_in(timings, "cache_n")
    return None if read is None or cached is None else read + cached


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def responses_usage(response: Mapping[str, Any]) -> Usage | None:
    """What a response reports; None where it says nothing of it."""
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
    """What the counts say: three disjoint kinds of input, which together are the request."""
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
    """What the last line of an answer reports; None where it says nothing of it."""
    usage = Usage(
        prompt_tokens=count_in(line, "prompt_eval_count"),
        cached_tokens=count_in(line, "prompt_eval_cached_count"),
        completion_tokens=count_in(line, "eval_count"),
    )
    return None if usage == Usage() else usage


def gemini_usage(chunk: Mapping[str, Any], *, zeros_unsaid: bool = False) -> Usage | None:
    """What a chunk reports; None where it says nothing of it.

    Google's own servers write no zeros: there, what is left out of a report was nothing.
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
