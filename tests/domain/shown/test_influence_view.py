from __future__ import annotations

from workbench.domain.influence import InfluenceWish
from workbench.domain.shown.influence_view import InfluenceView


def test_a_view_begins_as_work_without_a_result():
    view = InfluenceView("c", "q", "a", InfluenceWish())
    assert (view.stage, view.result, view.left_s) == ("working", None, None)
