"""Within a limit: compacted first, dropped next, in the printed order, and given back what has room again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.pricing import LengthPricing
from tests.fakes.turns import artifact, selection
from workbench.context.assembly.references import Placement
from workbench.context.assembly.select import Limit, Selection, drop_rank, optimize_for_limit, shrink
from workbench.domain.envelope import Pruned


def new(key: str, size: int, short: int | None = None, **changes: Any) -> Placement:
    """An artifact in the turn, and how small it can be made."""
    given: dict[str, Any] = {"attached": changes.pop("attached", True), "seen": changes.pop("seen", 0)}
    return Placement(
        artifact(key, "x" * size, **changes),
        short=None if short is None else "s" * short,
        in_turn="full",
        **given,
    )


def known(key: str, size: int, short: int | None = None, attached: bool = True, **changes: Any) -> Placement:
    """An artifact in the library, with a reference in the turn where it is attached."""
    one = artifact(key, "x" * size, **changes)
    text = None if short is None else "s" * short
    return Placement(one, attached, 0, text, one, text, "full", "reference" if attached else None)


def select(limit: int, *placements: Placement, overhead: int = 0) -> Selection:
    return optimize_for_limit(placements, LengthPricing(overhead), Limit(limit, "over the limit"))


def kept(found: Selection) -> dict[str, tuple[str | None, str | None]]:
    return {p.artifact.key: (p.library_form, p.in_turn) for p in found.placements if p.shown}


def dropped(found: Selection) -> list[str]:
    return [pruned.id for pruned in found.pruned]


def test_what_fits_is_left_alone_as_the_same_object():
    placements = (new("a", 10), new("b", 10))
    assert optimize_for_limit(placements, LengthPricing(), Limit(20, "")).placements is placements


def test_only_the_low_one_is_dropped():
    """100 essential, 200 low and 150 medium against a limit of 300."""
    found = select(
        300, new("kept", 100, priority=0, essential=True), new("low", 200, priority=10), new("medium", 150)
    )
    assert found.pruned == (Pruned("low", 200, 10, "over the limit"),)
    assert list(kept(found)) == ["kept", "medium"]


def test_the_order_of_the_rest_is_kept():
    found = select(30, new("c", 10), new("b", 90), new("a", 10))
    assert [p.artifact.key for p in found.placements if p.shown] == ["c", "a"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (new("a", 10, priority=6), new("b", 99, priority=5, attached=False)),
        (new("a", 10, attached=False, seen=9), new("b", 99, attached=True)),
        (new("a", 11, seen=9), new("b", 10, seen=0)),
        (new("b", 10, seen=0), new("a", 10, seen=1)),
        (new("a", 10), new("b", 10)),
    ],
    ids=["priority", "detached", "larger", "older", "id"],
)
def test_each_step_of_the_tie_break_decides_before_the_next(first: Placement, second: Placement):
    ranked = sorted([second, first], key=lambda p: drop_rank(p, LengthPricing().alone(p)))
    assert ranked == [first, second]


@pytest.mark.parametrize("priority", [0, 10])
def test_the_essential_is_never_dropped_even_if_nothing_fits(priority: int):
    one = new("a", 100, short=10, essential=True, priority=priority)
    assert select(5, one) == Selection((one,))


def test_compaction_comes_before_dropping():
    found = select(60, new("a", 100, short=20), new("b", 40))
    assert kept(found) == {"a": (None, "compacted"), "b": (None, "full")}
    assert found.pruned == ()


def test_compaction_goes_no_further_than_needed():
    found = select(150, new("a", 100, short=10, priority=10), new("b", 100, short=10))
    assert kept(found) == {"a": (None, "compacted"), "b": (None, "full")}


def test_dropping_gives_back_what_compaction_took_without_need():
    found = select(100, new("a", 100, short=10), new("b", 95, priority=10))
    assert (kept(found), dropped(found)) == ({"a": (None, "full")}, ["b"])


def test_what_is_given_back_is_the_most_important_first():
    found = select(
        105, new("a", 100, short=1, priority=3), new("b", 90, short=1, priority=4), new("c", 104, priority=10)
    )
    assert (kept(found), dropped(found)) == ({"a": (None, "full"), "b": (None, "compacted")}, ["c"])


def test_dropped_ones_are_listed_in_the_order_they_went():
    found = select(
        10, new("a", 10), new("b", 20, priority=9), new("c", 30, priority=9), new("d", 5, priority=10)
    )
    assert dropped(found) == ["d", "c", "b"]


def test_the_less_important_does_not_come_back_where_the_more_important_stays_away():
    """It would have room again; but then the order that the window prints would not be the one that holds."""
    found = select(110, new("kept", 95, essential=True), new("low", 10, priority=10), new("medium", 100))
    assert dropped(found) == ["low", "medium"]


def test_what_was_not_shown_before_is_not_dropped_now():
    gone = Placement(artifact("gone", "x" * 10), True, 0)
    assert dropped(select(5, gone, new("a", 10))) == ["a"]


def test_overhead_that_stays_counts():
    assert dropped(select(50, new("a", 20), overhead=40)) == ["a"]


def test_a_selection_that_may_be_dropped_is_dropped_whole_never_compacted():
    picked = Placement(selection(text="x" * 100, essential=False), True, 0, in_turn="full")
    found = select(50, picked)
    assert (kept(found), dropped(found)) == ({}, ["selection"])


def test_a_known_artifact_is_compacted_on_its_shelf_and_loses_its_reference():
    found = select(60, known("a", 100, short=20))
    assert kept(found) == {"a": ("compacted", None)}


def test_an_old_copy_goes_before_the_new_one_is_touched():
    old, latest = artifact("a", "o" * 50), artifact("a", "n" * 60)
    both = Placement(latest, True, 0, "s", old, "s", "full", "full")
    assert shrink(both).library_form is None
    assert kept(select(60, both)) == {"a": (None, "full")}


def test_a_full_text_beside_a_preview_is_shortened_and_the_preview_stays():
    """The preview is what the provider has in its cache."""
    one = artifact("a", "x" * 50)
    both = Placement(one, True, 0, "ss", one, "ss", "compacted", "full")
    assert kept(select(10, both)) == {"a": ("compacted", "compacted")}


@pytest.mark.parametrize(
    "placement",
    [
        new("a", 10, short=1, essential=True),
        Placement(selection(), True, 0, "s", in_turn="full"),
        new("a", 10),
        known("a", 10),
    ],
    ids=["essential", "non-recoverable", "no short form", "no short form on the shelf"],
)
def test_what_cannot_be_made_smaller_stays_the_same_object(placement: Placement):
    assert shrink(placement) is placement
