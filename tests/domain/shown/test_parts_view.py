"""A file that is listed part by part can be looked up again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.document import ReadAs, Section
from workbench.domain.files.document_parts import find_section
from workbench.domain.shown.parts_view import (
    ChangedLine,
    FileChanges,
    Outline,
    PartRow,
    PartsView,
    Picked,
    fewest,
    states,
    ticked,
    toggled,
)

ROWS = (
    PartRow(Section("Terms", "Terms", 1, 0, 20, 1, 2)),
    PartRow(Section("p1", "page 1", 2, 0, 10, 1, 1)),
    PartRow(Section("p2", "page 2", 2, 10, 20, 2, 2)),
)


def test_pages_are_told_from_headings_so_that_ranges_of_them_are_found():
    view = PartsView("a.pdf", "a.pdf", "a.pdf", read_as=ReadAs("pdf", pages=2), text="x" * 20, rows=ROWS)
    assert [part.anchor for part in view.document.pages] == ["p1", "p2"]
    assert [part.anchor for part in view.document.sections] == ["Terms"]
    found = find_section(view.document, "p1-2")
    assert found is not None
    assert (found.start, found.end) == (0, 20)


def test_a_file_that_is_still_read_has_nothing_to_show_yet():
    view = PartsView("a.pdf", "a.pdf#p1", "a.pdf", reading=True)
    assert (view.rows, view.tokens, view.text, view.problem) == ((), None, "", "")


# Ticks in an outline mean parts, and the fewest parts mean the ticks: held against outlines of every shape.


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


# What a file's changes are shown from.


def test_nothing_is_said_before_the_file_was_read():
    seen = FileChanges("a.md", reading=True)
    assert seen.lines == ()
    assert not seen.problem
    assert ChangedLine(1, None, "-", "old").new is None
