"""Usage as Anthropic reports it: three disjoint kinds of input, which together are the request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.domain.usage import Usage
from workbench.providers.wire.loose_values import count_in, table_in


def usage_in(counts: Mapping[str, Any]) -> Usage | None:
    """What the counts say, in one meaning; None where they say nothing."""
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
