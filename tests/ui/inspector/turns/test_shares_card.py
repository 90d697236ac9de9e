"""The card with the chart, and the choice of a layout in it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from tests.fakes.shares_shown import cache_shares, cache_state, cache_turns
from workbench.domain.model import ModelLearnt
from workbench.domain.shown.turn_view import LayoutShares, Saving, ShareLine
from workbench.engine.intents import ChangeSettings
from workbench.engine.state import ChatState
from workbench.ui.inspector.turns.shares_card import (
    AXIS_LEFT,
    KEY_ROOM,
    PLOT_HEIGHT,
    TOP,
    ShareChart,
    SharesCard,
    TurnMark,
    lay_out_shares,
    line_name,
    line_pen,
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
from workbench.ui.look.theme import Theme
from workbench.ui.steps import Step
from workbench.ui.wishes import Wishes


@pytest.fixture
def card(qtbot) -> SharesCard:
    made = SharesCard(Wishes())
    qtbot.addWidget(made)
    made.resize(720, 260)
    made.show()
    made.show_chat(chat())
    return made


def chat(**changes: object) -> ChatState:
    return cache_state(**changes)[1]


def test_it_says_what_was_spared_over_the_chart(card: SharesCard):
    assert card.lead.text() == "auto saved 61,652 tokens, $0.0694"
    assert card.rest.text() == "against layered. Append-only until a rebuild is due, or free."
    assert card.chart.isVisible()
    assert not card.none.isVisible()
    assert card.choice.chosen() == "auto"


def test_choosing_a_layout_really_changes_the_chat_and_can_be_taken_back(card: SharesCard):
    steps: list[Step] = []
    card.wishes.step.connect(steps.append)
    card.choice.setCurrentIndex(card.choice.findData("layered"))
    card.choice.activated.emit(card.choice.currentIndex())
    (step,) = steps
    before = chat().chat.settings
    layered = replace(before, layout="layered")
    assert step.do == (ChangeSettings(step.chat, layered, before),)
    assert step.undo == (ChangeSettings(step.chat, before, layered),)
    assert step.title == "Layout: layered"
    card.choice.choose("auto")
    card.choice.activated.emit(card.choice.currentIndex())
    assert len(steps) == 1, "what holds already is no step"


def test_without_lines_it_says_why_and_still_offers_a_layout(card: SharesCard):
    rows = cache_turns()[:2]
    nothing = LayoutShares((1, 2), (ShareLine("sent", (None, None)),))
    for shares, words in (
        (None, "Calculating"),
        (cache_shares(1), "One answer so far"),
        (nothing, "The cache of "),
    ):
        card.show_chat(chat(turns=rows, shares=shares))
        assert card.none.text().startswith(words)
        assert card.none.isVisible()
        assert not card.chart.isVisible()
        assert not card.lead.isVisible()
        assert card.choice.isVisible()
    card.show_chat(chat(shares=cache_shares(9, 5)))
    assert card.waiting.text() == "5 turns to go"
    assert card.chart.isVisible()


def test_what_is_the_same_is_not_painted_again(card: SharesCard):
    shown = chat()
    card.show_chat(shown)
    told: list[object] = []
    card.chart.show_shares = lambda *_: told.append(1)  # type: ignore[method-assign]
    card.show_chat(replace(shown, draft="words"))
    assert told == []
    card.show_chat(replace(shown, shares=cache_shares(3)))
    assert told == [1]


def test_the_icon_is_a_check_only_where_something_was_spared(card: SharesCard):
    image = card.icon.grab().toImage()
    lost = cache_shares()
    assert lost.saving is not None
    card.show_chat(chat(shares=replace(lost, saving=replace(lost.saving, tokens=-5, usd=None))))
    QTest.qWait(1)
    assert card.icon.grab().toImage() != image


def test_how_often_forecasts_came_true_is_said_where_any_was_judged(card: SharesCard):
    assert not card.accuracy.isVisible()
    card.show_chat(chat(), ModelLearnt(32, 31))
    assert card.accuracy.text() == "Forecasts of gpt-5.1: 31 of 32 within 1 % of the request."
    assert card.accuracy.isVisible()
    card.show_chat(chat(), ModelLearnt())
    assert not card.accuracy.isVisible()


@pytest.fixture
def chart(qtbot) -> ShareChart:
    made = ShareChart()
    qtbot.addWidget(made)
    made.resize(690, made.sizeHint().height())
    made.show_shares(cache_shares(), turn_marks(cache_turns()))
    made.show()
    return made


def chosen(chart: ShareChart, *keys: Qt.Key) -> list[int]:
    told: list[int] = []
    chart.chosen.connect(told.append)
    for key in keys:
        QTest.keyClick(chart, key)
    return told


def test_the_arrows_go_by_turn(chart: ShareChart):
    keys = (
        Qt.Key.Key_Left,
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Home,
        Qt.Key.Key_Left,
        Qt.Key.Key_End,
    )
    assert chosen(chart, *keys) == [14, 13, 14, 1, 14]
    assert chart.accessibleDescription().startswith("Turn 14: append-only, as sent, 94 %")


def test_a_click_chooses_and_enter_or_a_double_click_opens(chart: ShareChart):
    opened: list[int] = []
    chart.opened.connect(opened.append)
    QTest.keyClick(chart, Qt.Key.Key_Return)
    assert opened == [], "nothing is chosen yet"
    where = QPoint(round(chart.laid_out().xs[7]), 40)
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=where)
    assert chart.selected() == 8
    QTest.keyClick(chart, Qt.Key.Key_Return)
    QTest.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=where)
    assert opened == [8, 8]


def test_a_turn_that_is_not_in_the_chart_is_not_marked(chart: ShareChart):
    chart.select(99)
    assert (chart.selected(), chart.accessibleDescription()) == (None, "")
    chart.select(None)
    assert chart.selected() is None


def test_a_tooltip_says_what_a_turn_was_like(chart: ShareChart):
    at = QPoint(round(chart.laid_out().xs[5]), 30)
    QApplication.sendEvent(chart, QHelpEvent(QEvent.Type.ToolTip, at, chart.mapToGlobal(at)))
    assert "Turn 6" in QToolTip.text()
    assert "cold: free" in QToolTip.text()


def test_what_was_sent_is_drawn_in_full_and_forecasts_in_dashes(theme: Theme):
    assert line_pen("sent", theme).style() == Qt.PenStyle.SolidLine
    dashes = [tuple(line_pen(name, theme).dashPattern()) for name in ("layered", "append_only", "trim_last")]
    assert len(set(dashes)) == 3


@pytest.mark.parametrize("width", [300, 446, 690, 1_400])
def test_it_is_painted_in_both_themes_at_any_width_with_any_number_of_turns(theme: Theme, qtbot, width: int):
    made = ShareChart()
    qtbot.addWidget(made)
    made.resize(width, made.sizeHint().height())
    for count in (0, 1, 2, 14, 1_000):
        turns = tuple(range(1, count + 1))
        shares = tuple(None if turn % 7 == 0 else (turn % 10) / 10 for turn in turns)
        lines = (ShareLine("sent", shares, 0.5), ShareLine("append_only", shares, 0.5))
        made.show_shares(LayoutShares(turns, lines), turn_marks(cache_turns()))
        made.select(count or None)
        assert not made.grab().isNull()


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
