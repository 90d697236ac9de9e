"""Usage as Ollama reports it."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.domain.usage import Usage, ollama_usage


@pytest.mark.parametrize(
    ("line", "usage"),
    [
        ({}, None),
        ({"prompt_eval_count": None, "eval_count": "3"}, None),
        ({"prompt_eval_count": 10, "eval_count": 3}, Usage(10, None, None, 3)),
        ({"prompt_eval_count": 10, "prompt_eval_cached_count": 0, "eval_count": 3}, Usage(10, 0, None, 3)),
        ({"eval_count": 0}, Usage(completion_tokens=0)),
    ],
)
def test_a_report_is_read_and_what_is_missing_stays_unknown(line: dict[str, Any], usage: Usage | None):
    assert ollama_usage(line) == usage
