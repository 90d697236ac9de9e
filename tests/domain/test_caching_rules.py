"""What of a common beginning a cache serves."""

from __future__ import annotations

import pytest

from workbench.domain.caching import CacheRules


@pytest.mark.parametrize(
    ("minimum", "step", "shared", "served"),
    [(1, 1, 7, 7), (1, 1, 0, 0), (10, 1, 9, 0), (10, 1, 10, 10), (16, 8, 30, 24), (16, 8, 15, 0)],
)
def test_what_is_served_begins_at_the_minimum_and_goes_in_steps(
    minimum: int, step: int, shared: int, served: int
):
    rules = CacheRules("x", "prefix", "2026-01-01", "a guide", minimum_tokens=minimum, step_tokens=step)
    assert rules.served(shared) == served
