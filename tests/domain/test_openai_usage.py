"""Usage in one meaning, whichever server reports it."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.domain.usage import Usage, merged, openai_usage

PLAIN = {"prompt_tokens": 10, "completion_tokens": 3}


@pytest.mark.parametrize(
    ("chunk", "usage"),
    [
        ({}, None),
        ({"usage": None, "timings": None}, None),
        ({"usage": PLAIN}, Usage(10, None, None, 3)),
        ({"usage": {**PLAIN, "prompt_tokens_details": None}}, Usage(10, None, None, 3)),
        ({"usage": {**PLAIN, "prompt_tokens_details": {"cached_tokens": None}}}, Usage(10, None, None, 3)),
        ({"usage": {**PLAIN, "prompt_tokens_details": {"cached_tokens": 0}}}, Usage(10, 0, None, 3)),
        (
            {
                "usage": {
                    **PLAIN,
                    "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 2},
                    "completion_tokens_details": {"reasoning_tokens": 1},
                }
            },
            Usage(10, 8, 2, 3, 1),
        ),
        (
            {"usage": {**PLAIN, "prompt_cache_hit_tokens": 7, "prompt_cache_miss_tokens": 3}},
            Usage(10, 7, None, 3),
        ),
        ({"usage": {**PLAIN, "prompt_cache_miss_tokens": 3}}, Usage(10, 7, None, 3)),
        ({"usage": {**PLAIN, "prompt_cache_hit_tokens": None}}, Usage(10, None, None, 3)),
        ({"usage": {**PLAIN, "prompt_cache_miss_tokens": 11}}, Usage(10, None, None, 3)),
        # Gemini's OpenAI-compatible server, which leaves the table out where nothing came from a cache.
        (
            {"usage": {**PLAIN, "total_tokens": 20, "prompt_tokens_details": {"cached_tokens": 4}}},
            Usage(10, 4, None, 3),
        ),
        ({"usage": {**PLAIN, "cached_tokens": 6}}, Usage(10, 6, None, 3)),
        ({"usage": PLAIN, "timings": {"cache_n": 9, "prompt_n": 1}}, Usage(10, 9, None, 3)),
        ({"timings": {"cache_n": 9, "prompt_n": 1, "predicted_n": 4}}, Usage(10, 9, None, 4)),
        ({"timings": {"prompt_n": 1, "predicted_n": 4}}, Usage(None, None, None, 4)),
        ({"x_groq": {"usage": PLAIN}}, Usage(10, None, None, 3)),
        ({"usage": {"prompt_tokens": -1, "completion_tokens": "3", "total_tokens": True}}, Usage()),
    ],
)
def test_a_report_is_read(chunk: dict[str, Any], usage: Usage | None):
    assert openai_usage(chunk) == usage


def test_a_later_report_counts_and_an_earlier_one_where_it_is_silent():
    assert merged(None, Usage(1)) == Usage(1)
    assert merged(Usage(1, 2, None, 4), Usage(5, None, 3, 0)) == Usage(5, 2, 3, 0)
