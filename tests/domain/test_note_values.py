"""Figures and words out of notes that may be anything."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from tests.fakes.odd_notes import HUGE, ODD
from workbench.domain.record import MOST_TOKENS, noted_amount, noted_count, noted_table, noted_text


@pytest.mark.parametrize(
    "odd", [HUGE, -HUGE, -1, 2.5, MOST_TOKENS + 1, math.nan, math.inf, True, "300", None, [1], {"a": 1}]
)
def test_what_cannot_be_a_count_is_none(odd: object):
    assert noted_count({"n": odd}, "n") is None


@pytest.mark.parametrize(("good", "read"), [(0, 0), (300, 300), (2.0, 2), (MOST_TOKENS, MOST_TOKENS)])
def test_what_can_be_one_is_read(good: object, read: int):
    assert noted_count({"n": good}, "n") == read
    assert noted_amount({"n": good}, "n") == read


@given(ODD)
def test_nothing_raises_and_every_figure_can_be_reckoned_with(odd: object):
    notes = {"n": odd}
    amount, count = noted_amount(notes, "n"), noted_count(notes, "n")
    assert amount is None or (math.isfinite(amount) and amount >= 0)
    assert count is None or 0 <= count <= MOST_TOKENS
    assert isinstance(noted_text(notes, "n"), str)
    assert isinstance(noted_table(notes, "n"), dict)
    assert (noted_amount(notes, "other"), noted_text(notes, "other")) == (None, "")
