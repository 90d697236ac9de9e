"""A summary that is looked at is nothing to apply until it was made and checked."""

from __future__ import annotations

from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.summary import OUTLINE, SummaryWish


def test_an_offer_has_nothing_to_apply():
    view = SummaryView("talk", SummaryWish(), "offered")
    assert (view.summary, view.wish.by, view.text) == (None, OUTLINE, "")
