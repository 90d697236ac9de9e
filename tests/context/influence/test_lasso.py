from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.influence.masks import lasso, random_masks, spearman

FLOATS = st.floats(-50, 50).map(lambda value: round(value, 3))


def test_what_is_linear_is_found_but_for_the_penalty():
    masks = random_masks(6, 0, "seed").fit
    weights = (3.0, 0.0, -1.0, 0.5, 0.0, 2.0)
    values = [7 + sum(w for w, kept in zip(weights, mask, strict=True) if kept) for mask in masks]
    found = lasso(masks, values)
    # All subsets are orthogonal: each weight is shrunk by the penalty in units of its column, and no more.
    for weight, known in zip(found.weights, weights, strict=True):
        assert weight == pytest.approx(known - 0.02 * (known > 0) + 0.02 * (known < 0))
    without_penalty = lasso(masks, values, 0.0)
    assert without_penalty.weights == pytest.approx(weights, abs=1e-6)
    assert [without_penalty.predict(mask) for mask in masks] == pytest.approx(values)


@given(st.lists(FLOATS, min_size=33, max_size=33))
def test_the_fit_is_a_minimum(values: list[float]):
    """At a minimum of squares and penalty, no column pulls harder at the rest than the penalty holds."""
    masks = random_masks(10, 32, "seed").fit
    found = lasso(masks, values, 0.5)
    rest = [value - found.predict(mask) for value, mask in zip(values, masks, strict=True)]
    for place, weight in enumerate(found.weights):
        share = sum(mask[place] for mask in masks) / len(masks)
        scale = sqrt(share * (1 - share))
        pull = sum((mask[place] - share) / scale * r for mask, r in zip(masks, rest, strict=True)) / len(
            masks
        )
        assert abs(pull) <= 0.5 + 1e-6
        if abs(weight) > 1e-9:
            assert pull == pytest.approx(0.5 if weight > 0 else -0.5, abs=1e-6)


def test_a_piece_that_is_never_left_out_weighs_nothing():
    assert lasso([(True, True), (True, False)], [3.0, 1.0], 0.0).weights == pytest.approx((0.0, 2.0))


@given(st.lists(FLOATS, min_size=2, max_size=20, unique=True))
def test_orders_that_are_the_same_correlate_fully_whatever_the_figures(values: list[float]):
    assert spearman(values, [value**3 for value in values]) == pytest.approx(1.0)
    assert spearman(values, [-value for value in values]) == pytest.approx(-1.0)


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=2, max_size=20))
def test_a_correlation_is_the_same_both_ways_and_within_its_bounds(pairs: list[tuple[float, float]]):
    left, right = zip(*pairs, strict=True)
    one, other = spearman(left, right), spearman(right, left)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one == pytest.approx(other)
        assert -1.0 <= one <= 1.0


def test_equal_figures_share_a_rank_and_a_constant_has_no_order():
    assert spearman([1, 2, 2, 3], [10, 20, 20, 30]) == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([], []) is None
