"""Columns of a comparison."""

from __future__ import annotations

from workbench.domain.shown.comparison import Column


def test_a_column_says_what_is_free_and_whether_it_fits():
    column = Column("A", (), "m", "layered", True, 90, 100, 0, (("L1_SYSTEM", 40), ("L5_USER", 50)))
    assert (column.fits, column.free_tokens) == (True, 10)
    assert (column.tokens_of("L5_USER"), column.tokens_of("L3_TURN")) == (50, 0)
    over = Column("A", (), "m", "layered", True, 120, 100, 20, ())
    assert (over.fits, over.free_tokens) == (False, 0)
