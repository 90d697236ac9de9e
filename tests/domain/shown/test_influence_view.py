""""""

from __future__ import annotations

from tests.fakes.recalled_chat import CHAT, recalled_state
from workbench.domain.influence import InfluenceWish
from workbench.domain.shown.influence_view import InfluenceView, WhyView


def test_a_view_begins_as_work_without_a_result():
    view = InfluenceView("c", "q", "a", InfluenceWish())
    assert (view.stage, view.result, view.left_s) == ("working", None, None)


# What a quote is looked at by points into its own words, and what stands beside it is not the quote.


def test_marks_lie_in_the_text_in_order_and_never_one_over_another():
    why = recalled_state().open[CHAT].why
    assert isinstance(why, WhyView)
    places = [place for mark in why.marks for place in (mark.start, mark.end)]
    assert places == sorted(places)
    assert places[-1] <= len(why.text)
    assert all(mark.start < mark.end for mark in why.marks)
    assert why.id not in {one.id for one in (why.before, why.after) if one is not None}
