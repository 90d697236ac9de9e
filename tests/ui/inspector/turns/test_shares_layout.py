"""Where the lines of cached shares run."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.shares_shown import cache_shares, cache_turns
from workbench.domain.shown.turn_view import LayoutShares, Saving, ShareLine
from workbench.ui.inspector.turns.shares_card import (
    AXIS_LEFT,
    KEY_ROOM,
    PLOT_HEIGHT,
    TOP,
    TurnMark,
    lay_out_shares,
    line_name,
    line_told,
    mark_told,
    nearest,
    saving_words,
    share_y,
    turn_marks,
    turn_told,
    waiting_words,
    why_none,
)

SENT = ShareLine("sent", (0.7,), 0.7, 30, None, "append_only")


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


def shares(saving: Saving | None, sent: ShareLine = SENT) -> LayoutShares:
    return LayoutShares((1, 2), (sent, ShareLine("layered", (0.4,), 0.4, 60)), saving)


@pytest.mark.parametrize(
    ("saving", "lead", "rest"),
    [
        (Saving("layered", 61_440, 0.1812), "auto saved 61,440 tokens, $0.181", "against layered."),
        (Saving("layered", 61_440), "auto saved 61,440 tokens", "against layered."),
        (Saving("layered", 0), "auto saved nothing", "against layered."),
        (
            Saving("layered", 500, -0.02),
            "auto saved 500 tokens",
            "against layered, but cost $0.0200 more, since writing to the cache is paid for.",
        ),
        (
            Saving("layered", -900),
            "auto saved nothing:",
            "it re-read 900 more tokens than layered would have.",
        ),
        (
            Saving("layered", -900, -0.01),
            "auto saved nothing:",
            "it re-read 900 more tokens than layered would have, $0.0100.",
        ),
        (
            Saving("layered", -900, 0.01),
            "auto saved nothing:",
            "it re-read 900 more tokens than layered would have, and still cost $0.0100 less.",
        ),
    ],
)
def test_what_was_spared_is_said_as_it_is(saving: Saving, lead: str, rest: str):
    words = saving_words(shares(saving), "auto")
    assert (words.lead, words.good) == (lead, saving.tokens > 0)
    assert words.rest == f"{rest} Append-only until a rebuild is due, or free."


def test_a_layout_that_was_not_sent_gets_no_praise():
    """Automatic since a minute ago, the turns before were sent otherwise."""
    layered = replace(SENT, layout="layered")
    assert saving_words(shares(Saving("append_only", 5), layered), "auto").lead == "layered saved 5 tokens"
    assert saving_words(shares(Saving("layered", 5)), "append_only").lead == "append-only saved 5 tokens"
    mixed = replace(SENT, layout=None)
    assert saving_words(shares(Saving("layered", 5), mixed), "auto").lead == "What was sent saved 5 tokens"
    assert saving_words(shares(None), "auto").lead == ""


def test_a_line_has_a_name_and_its_share():
    assert [(line_name(line), line_told(line)) for line in cache_shares().lines] == [
        ("append-only", "as sent, 70 %"),
        ("layered", "forecast, 45 %"),
        ("trim-last", "forecast, 21 %"),
    ]
    assert line_name(ShareLine("sent", ())) == "as sent"
    assert line_told(ShareLine("layered", (None,))) == "not known"


def test_where_there_is_no_chart_it_says_why():
    assert why_none(None, "m").startswith("Calculating")
    assert why_none(LayoutShares(), "m").startswith("No answers yet.")
    unknown = LayoutShares((1, 2), (ShareLine("sent", (None, None)),))
    assert "cache of gpt-5.1 is unknown: there are no rules" in why_none(unknown, "openai:gpt-5.1")
    assert why_none(cache_shares(1), "m").startswith("One answer so far")
    assert why_none(cache_shares(), "m") == ""
    assert waiting_words(cache_shares(9, 5)) == "5 turns to go"
    assert [waiting_words(one) for one in (None, cache_shares())] == ["", ""]


def test_a_turn_is_told_in_a_sentence():
    marks = turn_marks(cache_turns())
    told = turn_told(cache_shares(), 12, marks)
    assert (
        told == "Turn 13: append-only, as sent, 45 %, layered 46 %, trim-last 25 %. Rebuilt, over threshold."
    )
    assert turn_told(cache_shares(), 1, marks).endswith("trim-last 25 %.")
    assert mark_told(marks[1]) == "Expired"
    unknown = LayoutShares((1,), (ShareLine("sent", (None,)),))
    assert turn_told(unknown, 0, ()) == "Turn 1: as sent not known."
