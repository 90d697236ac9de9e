"""Ticks in an outline mean parts, and the fewest parts mean the ticks: held against outlines of every shape."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.document import Section
from workbench.domain.shown.parts_view import Outline, Picked, fewest, states, ticked, toggled


def made(levels: list[int]) -> Outline:
    """Parts of ten characters each, a heading around those in it."""
    shape = Outline.of([Section(f"s{n}", f"S {n}", level, 0, 0) for n, level in enumerate(levels)])
    parts = [Section(f"s{n}", f"S {n}", level, 10 * n, 10 * shape.ends[n]) for n, level in enumerate(levels)]
    return Outline.of(parts)


outlines = st.lists(st.integers(1, 4), min_size=1, max_size=40).map(made)


def nowhere(_anchor: str) -> Section | None:
    return None


@st.composite
def ticked_outlines(draw: st.DrawFn) -> tuple[Outline, frozenset[int]]:
    outline = draw(outlines)
    leaves = sorted(outline.leaves())
    return outline, frozenset(draw(st.lists(st.sampled_from(leaves), unique=True)))


@given(ticked_outlines())
def test_what_is_picked_means_the_same_ticks(both: tuple[Outline, frozenset[int]]):
    outline, ticks = both
    assert ticked(outline, fewest(outline, ticks), nowhere) == ticks


@given(ticked_outlines())
def test_no_part_is_picked_twice_and_no_fewer_would_do(both: tuple[Outline, frozenset[int]]):
    """A heading that is ticked throughout is that heading, so no picked part lies in another, nor could two be one."""
    outline, ticks = both
    picked = fewest(outline, ticks)
    places = {part.anchor: place for place, part in enumerate(outline.parts)}
    chosen = [places[anchor] for anchor in picked.anchors]
    for place in chosen:
        above = outline.parents[place]
        assert above < 0 or not outline.leaves(above) <= ticks
        assert not any(other < place < outline.ends[other] for other in chosen)
    assert picked.whole == (ticks == outline.leaves())


@given(ticked_outlines(), st.data())
def test_two_presses_on_a_whole_or_empty_part_change_nothing(
    both: tuple[Outline, frozenset[int]], data: st.DataObject
):
    outline, ticks = both
    place = data.draw(st.sampled_from(range(len(outline.parts))))
    before = states(outline, ticks)[place]
    once = toggled(outline, ticks, place)
    assert states(outline, once)[place] == ("off" if before == "on" else "on")
    if before != "some":
        assert toggled(outline, once, place) == ticks


@given(ticked_outlines())
def test_a_heading_is_ticked_as_what_is_in_it(both: tuple[Outline, frozenset[int]]):
    outline, ticks = both
    for place, state in enumerate(states(outline, ticks)):
        leaves = outline.leaves(place)
        wanted = "on" if leaves <= ticks else "some" if leaves & ticks else "off"
        assert state == wanted


def test_lines_typed_by_hand_stay_beside_what_is_ticked():
    outline = made([1, 2, 2, 1])
    lines = Section("L3-4", "lines 3–4", 1, 12, 15)
    assert fewest(outline, frozenset({2}), [lines]).anchors == ("L3-4", "s2")
    assert fewest(outline, frozenset({1}), [lines]).anchors == ("s1",)  # they lie in it now


def test_lines_around_a_listed_part_are_its_tick_and_go_with_it():
    outline = made([1, 1, 1])
    lines = Section("L2-9", "lines 2–9", 1, 8, 22)
    found = {"L2-9": lines}.get
    ticks = ticked(outline, Picked(("L2-9",)), found)
    assert ticks == {1}
    assert fewest(outline, ticks, [lines]).anchors == ("L2-9",)
    assert fewest(outline, frozenset({0}), [lines]).anchors == ("s0",)


def test_cells_hold_nothing_of_their_sheet():
    outline = made([1, 1])
    cells = Section("s0!A1:B9", "A1:B9", 2, 0, 10)
    assert fewest(outline, frozenset(), [cells]).anchors == ("s0!A1:B9",)
    assert ticked(outline, Picked(("s0!A1:B9",)), {"s0!A1:B9": cells}.get) == frozenset()
