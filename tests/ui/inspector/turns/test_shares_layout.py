"""Where the lines of cached shares run."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.shares_shown import cache_shares, cache_turns
from workbench.domain.shown.shares_view import LayoutShares, ShareLine
from workbench.ui.inspector.turns.shares_layout import (
    AXIS_LEFT,
    KEY_ROOM,
    PLOT_HEIGHT,
    TOP,
    TurnMark,
    lay_out_shares,
    nearest,
    share_y,
    turn_marks,
)


def wide(word: str) -> float:
    return 6.0 * len(word)


def test_the_lines_of_the_picture():
    layout = lay_out_shares(cache_shares(), turn_marks(cache_turns()), 690, wide)
    assert [curve.name for curve in layout.curves] == ["sent", "layered", "trim_last"]
    (piece,) = layout.curves[0].pieces
    assert len(piece) == 14
    assert piece[0].y == share_y(0) == TOP + PLOT_HEIGHT
    assert TOP < piece[-1].y < share_y(0.9)
    assert layout.numbers == tuple(range(1, 15))
    assert layout.dots
    assert [(one.mark.turn, one.mark.free, one.mark.word) for one in layout.marks] == [
        (6, True, "rebuilt, cold: free"),
        (9, True, "expired"),
        (13, False, "rebuilt, over threshold"),
    ]


def test_a_line_is_broken_where_nobody_knows():
    line = ShareLine("sent", (0.5, None, 0.5, 1.0))
    (curve,) = lay_out_shares(LayoutShares((1, 2, 3, 4), (line,)), (), 600, wide).curves
    assert [len(piece) for piece in curve.pieces] == [1, 2]
    nothing = ShareLine("sent", (None, None))
    assert lay_out_shares(LayoutShares((1, 2), (nothing,)), (), 600, wide).curves[0].pieces == ()


def test_the_nearest_turn_is_found_anywhere():
    layout = lay_out_shares(cache_shares(), (), 690, wide)
    assert [nearest(layout, x) for x in (-50, layout.xs[6] + 3, 9_999)] == [0, 6, 13]
    assert nearest(lay_out_shares(LayoutShares(), (), 690, wide), 5) is None


@given(
    st.integers(0, 1_200), st.floats(200, 2_000), st.lists(st.integers(1, 1_200), max_size=40, unique=True)
)
def test_everything_stays_inside_and_nothing_touches(count: int, width: float, marked: list[int]):
    turns = tuple(range(1, count + 1))
    line = ShareLine("sent", tuple((turn * 37 % 101) / 100 for turn in turns))
    marks = [TurnMark(turn, turn % 2 == 0, "rebuilt, over threshold") for turn in sorted(marked)]
    layout = lay_out_shares(LayoutShares(turns, (line,)), marks, width, wide)
    assert all(layout.left <= x <= layout.right for x in layout.xs)
    assert layout.left == AXIS_LEFT
    assert layout.right <= max(width - KEY_ROOM, AXIS_LEFT + 40)
    assert all(
        TOP <= spot.y <= TOP + PLOT_HEIGHT
        for curve in layout.curves
        for piece in curve.pieces
        for spot in piece
    )
    at = dict(zip(turns, layout.xs, strict=True))
    assert all(at[b] - at[a] >= wide(str(count)) or count == 1 for a, b in pairwise(layout.numbers))
    for one, following in pairwise(layout.marks):
        assert one.x + one.room <= following.x
    assert {one.mark.turn for one in layout.marks} == set(marked) & set(turns)
