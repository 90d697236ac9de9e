"""An experiment as it is shown begins with nothing."""

from __future__ import annotations

from workbench.domain.experiment import Plan
from workbench.domain.shown.comparison import ExperimentView


def test_before_it_is_priced_it_has_no_cost_and_no_grid():
    view = ExperimentView("talk", "q", "", Plan())
    assert (view.stage, view.most_usd, view.found, view.requests) == ("working", None, None, 0)
