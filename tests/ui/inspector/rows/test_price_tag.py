"""What a change costs at the cache, before it is made."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.envelope_views import wandering
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.rows.price_tag import PriceTag, price_of_changing, price_words, start_of


@pytest.mark.parametrize(
    ("key", "lost"),
    [
        (RowKey("L1_SYSTEM", "persona"), 3_385),
        (RowKey("L2_PREVIOUS", "docs/api.md"), 2_370),
        (RowKey("L4_STRIP", "turns 1-6"), 890),
    ],
)
def test_everything_cached_behind_a_row_that_goes_is_read_again(key: RowKey, lost: int):
    """The row itself was among it, which is not read at all."""
    assert price_of_changing(sample_view(), key) == PriceTag(lost, 4_205)


def test_the_last_row_of_what_is_cached_goes_for_nothing():
    assert price_of_changing(sample_view(), RowKey("L4_STRIP", "turn 7")) is None


@pytest.mark.parametrize("name", ["src/auth.py", "logs/big.log", "no such row"])
def test_behind_the_cached_prefix_a_change_is_free(name: str):
    assert price_of_changing(sample_view(), RowKey("L3_TURN", name)) is None


def test_a_cold_or_unknown_cache_has_no_price():
    key = RowKey("L1_SYSTEM", "persona")
    assert price_of_changing(replace(sample_view(), cached_tokens=0), key) is None
    assert price_of_changing(replace(sample_view(), cached_tokens=None), key) is None


def test_the_price_in_words():
    assert price_words(PriceTag(1_310, 4_205)) == "re-reads 1,310 of 4,205 cached tokens"
    assert price_words(None) == ""


@given(st.integers(0, 10_000))
def test_what_is_lost_grows_towards_the_beginning(seed: int):
    view = next(view for view in wandering(seed, 40) if view is not None and view.total_tokens > 0)
    warm = replace(view, cached_tokens=view.total_tokens // 2)
    starts = [start_of(warm, row.key) for layer in warm.layers for row in layer.rows]
    assert starts == sorted(start for start in starts if start is not None)
    for layer in warm.layers:
        for row in layer.rows:
            tag = price_of_changing(warm, row.key)
            assert tag is None or 0 < tag.lost_tokens <= tag.cached_tokens
