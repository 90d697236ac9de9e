"""Checks of answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell, Check, Experiment, parse_check
from workbench.domain.variant import Variant


def test_a_check_is_told_in_words():
    told = [
        parse_check(one).words
        for one in ("contains:line 131", "json", "judged:It names a line.", "grounded:2")
    ]
    assert told == ["contains line 131", "is JSON", "judged: It names a line.", "grounded:2"]
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
        "grounded:none",
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


SMALL, LOG = Variant("Small", {"context_window": 9}), Variant("Log", {"layout": "append_only"})


def tried(
    *cells: Cell, variants: tuple[Variant, ...] = (), reply: str = "r", usd: float | None = 1.0
) -> Experiment:
    return Experiment("c", 1, cells, spent_usd=usd, variants=variants, reply=reply)


def test_what_was_tried_before_stands_beside_what_was_tried_last():
    """Only the last of five that are kept could be seen."""
    sent, small = Cell("As sent", "m", 1, "complete", "Old."), Cell("Small", "m", 1, "complete", "Little.")
    earlier = tried(sent, small, Cell("Small", "n", 1), variants=(SMALL,))
    again, log = replace(sent, answer="New."), Cell("Log", "m", 1, "failed")
    both = tried(again, log, variants=(LOG,)).beside(earlier)
    assert both.cells == (again, log, small)
    assert (both.variants, both.spent_usd) == ((LOG, SMALL), 2.0)
    assert tried(again).beside(None) == tried(again)
    assert tried(again, reply="another").beside(earlier).cells == (again,)
    assert tried(again, usd=None).beside(earlier).spent_usd is None


def test_answers_of_a_variant_that_is_another_by_now_do_not_stand_under_it():
    small = Cell("Small", "m", 1, "complete", "Little.")
    changed = replace(SMALL, settings={"context_window": 99})
    assert tried(variants=(changed,)).beside(tried(small, variants=(SMALL,))).cells == ()
    assert tried(variants=(SMALL,)).beside(tried(small, variants=(SMALL,))).cells == (small,)
    many = tuple(Variant(str(number)) for number in range(6))
    full = tried(variants=many).beside(tried(small, variants=(SMALL,)))
    assert (full.variants, full.cells) == (many, ())
