"""Budgets: the window less the reserve, fractions exact and rounded down."""

from __future__ import annotations

import pytest

from workbench.domain.envelope import Budget, budget_for
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings


def budget(
    window: int | None, reserve: int | None = 0, threshold: float | None = 0.8, headroom: float = 0.75
) -> Budget:
    history = HistorySettings(threshold=threshold, headroom=headroom)
    given = ContextSettings(context_window=window, reserved_output_tokens=reserve, history=history)
    return budget_for(given, catalogue_window_tokens=4000)


def test_the_contract_s_own_numbers():
    found = budget_for(ContextSettings(), 128_000)
    assert (found.reserved_output_tokens, found.window_tokens, found.threshold_tokens) == (
        16_000,
        112_000,
        89_600,
    )


def test_a_small_window_reserves_a_quarter():
    assert budget(None, reserve=None).reserved_output_tokens == 1000
    assert budget(63_999, reserve=None).reserved_output_tokens == 15_999
    assert budget(64_001, reserve=None).reserved_output_tokens == 16_000


def test_a_given_window_wins_over_the_catalogue():
    assert (budget(500).context_window_tokens, budget(None).context_window_tokens) == (500, 4000)


def test_no_reserve_is_not_the_default_reserve():
    assert budget(500, reserve=0).window_tokens == 500


def test_a_reserve_beyond_the_window_leaves_nothing_and_nothing_negative():
    found = budget(100, reserve=300)
    assert (found.window_tokens, found.threshold_tokens, found.trim_target_tokens) == (0, 0, 0)


@pytest.mark.parametrize(
    ("threshold", "window", "tokens"), [(0.7, 10, 7), (0.8, 503, 402), (0.29, 100, 29), (1e-05, 99_999, 0)]
)
def test_fractions_are_what_they_look_like(threshold: float, window: int, tokens: int):
    """In binary floating point 0.7 × 10 is 7.000…1, 0.29 × 100 is 28.99…, and a boundary would move with it."""
    assert budget(window, threshold=threshold).threshold_tokens == tokens


def test_trimming_goes_down_to_headroom_of_the_threshold():
    assert budget(1000).trim_target_tokens == 600
    assert budget(1000, headroom=1.0).trim_target_tokens == 800


def test_without_a_threshold_there_is_none():
    assert budget(1000, threshold=None).threshold_tokens is None
