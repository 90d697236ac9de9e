"""Checks of answers."""

from __future__ import annotations

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell, Check, Experiment, parse_check


def test_a_check_is_told_in_words():
    told = [parse_check(one).words for one in ("contains:line 131", "json", "judged:It names a line.")]
    assert told == ["contains line 131", "is JSON", "judged: It names a line."]
    assert Check("schema", "{}", "answer.json").words == "fits answer.json"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "contains:",
        "is:x",
        "matches:(",
        "matches:x{99999999999}",
        f"matches:{'(' * 3000}{')' * 3000}",
        "json:x",
        "judged:",
    ],
    ids=lambda written: written[:20],
)
def test_what_is_no_check_is_said(written: str):
    with pytest.raises(InvalidInput, match="--expect"):
        parse_check(written)


def test_a_cell_passes_when_it_is_answered_and_all_checks_hold():
    cell = Cell("A", "m", 1, "complete", checks=(("contains x", True), ("is JSON", False)))
    assert not cell.passed
    assert Cell("A", "m", 1, "complete").passed
    assert not Cell("A", "m", 1, "failed").passed
    assert Experiment("c", 1, (cell, Cell("A", "m", 2))).asked == 1
    assert Experiment("c", 1, (cell, Cell("A", "n", 1), Cell("A", "m", 2))).of("A", "m")[1].repeat == 2
