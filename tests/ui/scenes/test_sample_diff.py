"""The scripted difference."""

from __future__ import annotations

from workbench.ui.scenes.sample_state import sample_diff


def test_the_figures_of_the_diff_picture():
    diff = sample_diff()
    assert sum(tokens for _, tokens in diff.before.parts) == diff.before.total_tokens == 4_275
    assert sum(tokens for _, tokens in diff.after.parts) == diff.after.total_tokens == 11_709
    assert (diff.first_difference_token, diff.lost_tokens) == (1_482, 2_723)
    assert [cause.breaks for cause in diff.causes] == [True, False, False, False]
