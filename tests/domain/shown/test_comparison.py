"""Columns of a comparison."""

from __future__ import annotations

from workbench.domain.experiment import Plan
from workbench.domain.shown.comparison import Comparison, ComparisonColumn, ExperimentView
from workbench.domain.variant import Variant


def test_a_column_says_what_is_free_and_whether_it_fits():
    column = ComparisonColumn("A", (), "m", "layered", True, 90, 100, 0, (("L1_SYSTEM", 40), ("L5_USER", 50)))
    assert (column.fits, column.free_tokens) == (True, 10)
    assert (column.tokens_of("L5_USER"), column.tokens_of("L3_TURN")) == (50, 0)
    over = ComparisonColumn("A", (), "m", "layered", True, 120, 100, 20, ())
    assert (over.fits, over.free_tokens) == (False, 0)


def test_a_variant_is_there_or_has_a_problem_or_is_not_there_yet():
    column = ComparisonColumn("A", (), "m", "layered", True, 90, 100, 0, ())
    found = Comparison(
        "c", None, (column, column), (("B", "why"),), (Variant("A"), Variant("B"), Variant("C")), 4, 6
    )
    assert found.first is column
    assert (found.column("A"), found.column("B")) == (column, None)
    assert (found.problem("A"), found.problem("B"), found.problem("C")) == ("", "why", "")
    assert not found.is_done
    assert Comparison("c", None, (column, column), (("B", "why"),), found.variants[:2], 4, 4).is_done
    assert Comparison("c", None, ()).first is None


# An experiment as it is shown begins with nothing.


def test_before_it_is_priced_it_has_no_cost_and_no_grid():
    view = ExperimentView("talk", "q", "", Plan())
    assert (view.stage, view.most_usd, view.found, view.requests) == ("working", None, None, 0)
