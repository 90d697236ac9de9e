"""Usage: three disjoint counts are one request; what was not reported stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.domain.usage import Usage, anthropic_usage


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({}, None),
        ({"input_tokens": None, "x": 1}, None),
        ({"input_tokens": 5, "output_tokens": 7}, Usage(5, None, None, 7)),
        (
            {
                "input_tokens": 5,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20,
                "output_tokens": 7,
            },
            Usage(125, 100, 20, 7),
        ),
        ({"input_tokens": 0, "cache_read_input_tokens": 0}, Usage(0, 0)),
        ({"cache_read_input_tokens": 9}, Usage(None, 9)),
        (
            {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}},
            Usage(None, None, None, 7, 3),
        ),
        ({"input_tokens": -1, "output_tokens": True}, None),
    ],
)
def test_the_parts_add_up_to_the_request(counts: dict[str, Any], usage: Usage | None):
    assert anthropic_usage(counts) == usage
