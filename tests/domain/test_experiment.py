"""Checks of answers."""

from __future__ import annotations

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell, Experiment, parse_check


@pytest.mark.parametrize(
    ("written", "good", "bad"),
    [
        ("contains:line 131", "See line 131.", "See line 13."),
        ("lacks:sorry", "Yes.", "I am sorry."),
        (r"matches:^\d+ ms$", "12 ms", "about 12 ms"),
        ("json", '{"a": 1}', "{a: 1}"),
    ],
)
def test_a_check_holds_or_not(written: str, good: str, bad: str):
    check = parse_check(written)
    assert (check.holds(good), check.holds(bad)) == (True, False)


@pytest.mark.parametrize("written", ["", "contains:", "is:x", "matches:(", "json:x"])
def test_what_is_no_check_is_said(written: str):
    with pytest.raises(InvalidInput, match="--expect"):
        parse_check(written)


def test_a_cell_passes_when_it_is_answered_and_all_checks_hold():
    cell = Cell("A", "m", 1, "complete", checks=(("contains x", True), ("is JSON", False)))
    assert not cell.passed
    assert Cell("A", "m", 1, "complete").passed
    assert not Cell("A", "m", 1, "failed").passed
    assert Experiment("c", 1, (cell, Cell("A", "m", 2))).asked == 1
