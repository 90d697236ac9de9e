"""The scripted request agrees with the design's own figures."""

from __future__ import annotations

import pytest

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui.scenes.sample_envelope import over_view, sample_view, trial_view, turn_7_view


def test_the_figures_of_the_main_picture():
    view = sample_view()
    assert [layer.tokens for layer in view.layers] == [1_060, 775, 3_680, 6_129, 42]
    assert (view.total_tokens, view.free_tokens, view.cached_tokens) == (11_686, 4_314, 4_205)
    assert round(view.cached_share * 100) == 36


def test_the_figures_over_the_limit_and_of_the_trial():
    assert (over_view().total_tokens, over_view().over_tokens) == (30_486, 14_486)
    assert (trial_view().total_tokens, trial_view().cached_tokens) == (10_206, 1_835)
    assert turn_7_view().total_tokens == 3_379


@pytest.mark.parametrize(
    "view", [sample_view(), trial_view(), turn_7_view()], ids=["main", "trial", "turn 7"]
)
def test_rows_sum_to_layers_and_layers_to_the_request(view: EnvelopeView):
    for layer in view.layers:
        assert sum(row.tokens for row in layer.rows if row.counted) == layer.tokens
        assert sum(row.cached_tokens for row in layer.rows) == layer.cached_tokens
    assert sum(layer.tokens for layer in view.layers) == view.total_tokens
    assert sum(layer.cached_tokens for layer in view.layers) == view.cached_tokens
