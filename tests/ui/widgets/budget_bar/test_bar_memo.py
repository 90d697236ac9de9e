"""Bars made piece by piece."""

from __future__ import annotations

import pytest

from tests.fakes.envelope_views import long_view, retyped, wandering
from tests.fakes.sample_envelope import sample_view
from workbench.ui.widgets.budget_bar.segments import BarMemo, bar_of


@pytest.mark.parametrize("seed", range(5))
def test_a_bar_is_the_one_that_is_made_from_nothing(seed: int):
    memo = BarMemo()
    for view in wandering(seed, 40):
        if view is not None:
            assert memo.bar_of(view) == bar_of(view)


def test_the_bar_of_the_picture():
    bar = BarMemo().bar_of(sample_view())
    assert bar.total_tokens == 11_686
    assert bar.cached_tokens == 4_205


@pytest.mark.parametrize("anew", [False, True])
def test_a_keystroke_makes_only_the_drafts_segment_anew(anew: bool):
    memo = BarMemo()
    view = long_view(200)
    before = memo.bar_of(view).segments
    after = memo.bar_of(retyped(view, 43, anew=anew)).segments
    changed = [new.key.layer for old, new in zip(before, after, strict=True) if old is not new]
    assert changed == ["L5_USER"]
