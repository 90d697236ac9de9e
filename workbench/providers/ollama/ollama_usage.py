"""Usage as Ollama reports it with the last line of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.domain.usage import Usage
from workbench.providers.wire.loose_values import count_in


def usage_in(line: Mapping[str, Any]) -> Usage | None:
    """What the line reports; None where it says nothing of it."""
    usage = Usage(
        prompt_tokens=count_in(line, "prompt_eval_count"),
        cached_tokens=count_in(line, "prompt_eval_cached_count"),
        completion_tokens=count_in(line, "eval_count"),
    )
    return None if usage == Usage() else usage
