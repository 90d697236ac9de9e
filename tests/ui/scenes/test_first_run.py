"""The first start as a scene."""

from __future__ import annotations

from workbench.ui.scenes.first_run import CHAT, first_run_state


def test_the_figures_of_the_first_run_picture():
    view = first_run_state().open[CHAT].view
    assert view is not None
    assert (view.total_tokens, view.free_tokens, view.cached_tokens) == (956, 6_212, 648)
    assert sum(layer.cached_tokens for layer in view.layers) == 648
    assert view.local
