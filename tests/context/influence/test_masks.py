from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.influence.masks import Mask, by_shared_beginning, leave_one_out, random_masks
from workbench.domain.influence import LEAST_HELD_OUT

COUNTS = st.integers(1, 24)


def shared(one: Mask, other: Mask) -> int:
    """With how many pieces, kept or not, both requests begin alike."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), len(one))


@given(COUNTS)
def test_every_piece_is_left_out_once_alone_and_nothing_is_scored_twice_but_the_whole(count: int):
    plan = leave_one_out(count, "seed")
    whole = (True,) * count
    assert plan.ranking[0] == plan.ranking[2] == whole
    assert sorted(mask.index(False) for mask in plan.fit[1:]) == list(range(count))
    between = [plan.order[1], *plan.order[3:]]
    assert set(plan.order[len(plan.ranking) :]) == set(plan.held_out)
    assert len(set(between)) == len(between)
    assert whole not in between
    assert not set(plan.fit) & set(plan.held_out)


@given(st.integers(5, 24))
def test_at_least_sixteen_masks_are_held_out(count: int):
    assert len(leave_one_out(count, "seed").held_out) == LEAST_HELD_OUT


@given(st.integers(5, 24))
def test_masks_held_out_mostly_begin_alike_so_that_a_cache_holds_them(count: int):
    run = by_shared_beginning(leave_one_out(count, "seed").held_out)
    assert sum(shared(one, other) >= count - 2 for one, other in pairwise(run)) >= len(run) // 2


@pytest.mark.parametrize("count", range(1, 5))
def test_of_few_pieces_every_subset_is_scored(count: int):
    plan = leave_one_out(count, "seed")
    assert plan.complete
    assert len({*plan.fit, *plan.held_out}) == 2**count


@pytest.mark.parametrize("count", range(1, 7))
def test_masks_of_up_to_six_pieces_are_all_subsets(count: int):
    plan = random_masks(count, 32, "seed")
    assert len(set(plan.fit)) == len(plan.fit) == 2**count
    assert plan.crossed


@given(st.integers(7, 40), st.integers(1, 64))
def test_random_masks_are_those_of_their_seed_and_never_held_out_and_fitted(count: int, masks: int):
    plan = random_masks(count, masks, "one")
    assert plan == random_masks(count, masks, "one")
    assert plan != random_masks(count, masks, "two")
    assert len(plan.fit) == masks + 1
    assert len(plan.held_out) == LEAST_HELD_OUT
    assert len({*plan.fit, *plan.held_out}) == masks + 1 + LEAST_HELD_OUT


def test_a_random_mask_keeps_about_half():
    plan = random_masks(30, 200, "seed")
    kept = sum(sum(mask) for mask in plan.fit[1:]) / (200 * 30)
    assert 0.45 < kept < 0.55


@given(st.sets(st.tuples(*[st.booleans()] * 5), min_size=2, max_size=12), st.randoms())
def test_no_other_order_shares_longer_beginnings(masks: set[Mask], draw):
    ordered = by_shared_beginning(masks)
    other = list(masks)
    draw.shuffle(other)
    gained, usual = (sum(shared(a, b) for a, b in pairwise(order)) for order in (ordered, other))
    assert sorted(ordered) == sorted(masks)
    assert gained >= usual
