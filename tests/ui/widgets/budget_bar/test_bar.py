"""The budget bar as one uses it: pointer, keyboard, words, and the way from one bar to the next."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.widgets.budget_bar.bar import (
    BudgetBar,
    flag_words,
    ghost_words,
    segment_name,
    segment_words,
    sentence,
)
from workbench.ui.widgets.budget_bar.layout import lay_out
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment

A, B, C = RowKey("L1_SYSTEM", "a"), RowKey("L3_TURN", "b"), RowKey("L5_USER", "c")
BAR = BarModel(
    (BarSegment(A, 4000, "persona"), BarSegment(B, 6000, "src/auth.py"), BarSegment(C, 40, "question")),
    16_000,
    2000,
    12_800,
    4000,
)
TURNS = BarModel(
    (
        BarSegment(RowKey("L1_SYSTEM", "persona"), 820, "persona"),
        BarSegment(RowKey("L4_STRIP", "t"), 1480, "", 1, 6),
        BarSegment(RowKey("L4_STRIP", "u"), 890, "", 7, 7),
    ),
    16_000,
    2000,
    12_800,
    1000,
)


@pytest.fixture
def widget(qtbot) -> BudgetBar:
    made = BudgetBar()
    qtbot.addWidget(made)
    made.resize(720, 60)
    made.show()
    made.show_bar(BAR)
    return made


def middle(widget: BudgetBar, index: int) -> QPoint:
    left, right = widget.layout_now().box(index)
    return QPoint(round((left + right) / 2), round(widget.bar_box().center().y()))


def test_a_click_chooses_the_segment_under_it(widget: BudgetBar, qtbot):
    with qtbot.waitSignal(widget.selected) as told:
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=middle(widget, 1))
    assert told.args == [B]
    assert widget.cursor_key() == B


def test_a_click_beside_the_segments_chooses_nothing(widget: BudgetBar, qtbot):
    with qtbot.assertNotEmitted(widget.selected):
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(600, 30))


def test_the_arrows_move_the_ring_and_enter_chooses(widget: BudgetBar, qtbot):
    QTest.keyClick(widget, Qt.Key.Key_Right)
    assert widget.cursor_key() == A
    QTest.keyClick(widget, Qt.Key.Key_Right)
    assert widget.cursor_key() == B
    with qtbot.waitSignal(widget.selected) as told:
        QTest.keyClick(widget, Qt.Key.Key_Return)
    assert told.args == [B]


def test_the_ring_stops_at_both_ends(widget: BudgetBar):
    QTest.keyClick(widget, Qt.Key.Key_End)
    QTest.keyClick(widget, Qt.Key.Key_Right)
    assert widget.cursor_key() == C
    QTest.keyClick(widget, Qt.Key.Key_Home)
    QTest.keyClick(widget, Qt.Key.Key_Left)
    assert widget.cursor_key() == A


def test_what_is_selected_elsewhere_is_ringed_without_an_echo(widget: BudgetBar, qtbot):
    with qtbot.assertNotEmitted(widget.selected):
        widget.select(B)
    assert widget.cursor_key() == B


def test_its_sentence_is_its_description(widget: BudgetBar):
    assert widget.accessibleDescription().startswith("10,040 of 16,000 tokens; 5,960 free")


def test_the_tooltip_names_the_segment(widget: BudgetBar):
    place = middle(widget, 1)
    QApplication.sendEvent(widget, QHelpEvent(QHelpEvent.Type.ToolTip, place, widget.mapToGlobal(place)))
    assert "src/auth.py" in QToolTip.text()
    QToolTip.hideText()


def test_the_ghost_makes_room_for_itself(widget: BudgetBar):
    before = widget.sizeHint().height()
    widget.show_ghost(replace(BAR, cached_tokens=0))
    assert widget.sizeHint().height() > before
    widget.show_ghost(None)
    assert widget.sizeHint().height() == before


def test_the_strips_bar_is_low_and_not_a_stop_for_the_keyboard(qtbot):
    compact = BudgetBar(compact=True)
    qtbot.addWidget(compact)
    assert compact.sizeHint().height() == 18
    assert compact.focusPolicy() == Qt.FocusPolicy.NoFocus


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(
    "bar", [BarModel(), BAR, replace(BAR, limit_tokens=5000), replace(BAR, cached_tokens=None)]
)
def test_every_bar_can_be_painted(qtbot, theme, compact: bool, bar: BarModel):
    made = BudgetBar(compact)
    qtbot.addWidget(made)
    made.resize(300, 60)
    made.show_bar(bar)
    made.show_ghost(bar)
    assert not made.grab().isNull()


WIDER = replace(BAR, segments=(replace(BAR.segments[0], tokens=8000), *BAR.segments[1:]))


def test_without_motion_a_new_bar_is_there_at_once(widget: BudgetBar):
    widget.show_bar(WIDER)
    assert widget.layout_now().box(0)[1] > 300


def test_segments_move_to_their_new_widths(widget: BudgetBar, moving, qtbot):
    before = widget.layout_now().box(0)[1]
    widget.show_bar(WIDER)
    assert widget.layout_now().box(0)[1] == pytest.approx(before, abs=2)
    goal = 720 * 8000 / 18_000
    qtbot.waitUntil(lambda: widget.layout_now().box(0)[1] == pytest.approx(goal, abs=3))


def test_the_latest_bar_wins_and_begins_where_the_last_one_was(widget: BudgetBar, moving, qtbot):
    widget.show_bar(WIDER)
    qtbot.wait(60)
    reached = widget.layout_now().box(0)[1]
    widget.show_bar(BAR)
    assert widget.layout_now().box(0)[1] == pytest.approx(reached, abs=2)
    qtbot.waitUntil(lambda: widget.layout_now().box(0)[1] == pytest.approx(160, abs=3))
    assert widget.bar() is BAR


def test_the_words_change_at_once_while_segments_move(widget: BudgetBar, moving):
    widget.show_bar(WIDER)
    assert widget.accessibleDescription().startswith("14,040 of 16,000")


def test_thousands_of_segments_do_not_move(widget: BudgetBar, moving):
    many = replace(BAR, segments=tuple(BarSegment(RowKey("L4_STRIP", str(i)), 4) for i in range(2000)))
    widget.show_bar(many)
    assert len(widget.layout_now().keys) == 2000


class CountedBar(BudgetBar):
    """Counts its paints."""

    paints = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.paints += 1
        super().paintEvent(event)


def test_a_letter_that_moves_nothing_is_not_painted(moving, qtbot):
    """Every letter was ten paints of a bar in which no pixel changed."""
    bar = CountedBar(compact=True)
    qtbot.addWidget(bar)
    bar.resize(720, 30)
    bar.show()
    large = replace(BAR, limit_tokens=1_000_000)
    bar.show_bar(large)
    qtbot.waitUntil(lambda: bar.layout_now() == lay_out(large, 720.0, bar.devicePixelRatioF()))
    qtbot.wait(50)
    before = bar.paints
    *rest, last = large.segments
    typed = replace(large, segments=(*rest, replace(last, tokens=last.tokens + 1)))
    bar.show_bar(typed)
    qtbot.wait(250)
    assert bar.bar() is typed
    assert bar.paints == before


def test_a_segment_that_comes_moves_in(widget: BudgetBar, moving, qtbot):
    more = replace(BAR, segments=(*BAR.segments, BarSegment(RowKey("L5_USER", "more"), 3000)))
    widget.show_bar(more)
    assert widget.layout_now().used < lay_out(more, 720.0, widget.devicePixelRatioF()).used
    qtbot.waitUntil(lambda: widget.layout_now().used == lay_out(more, 720.0, widget.devicePixelRatioF()).used)


@pytest.fixture(autouse=True)
def in_english(qapp):
    """Figures are written as in English."""


def test_the_sentence_says_all_that_the_bar_shows():
    assert sentence(TURNS) == (
        "3,190 of 16,000 tokens; 12,810 free; 1,000 expected from the cache; trimming begins at 12,800; "
        "2,000 kept for the reply; System 820; History 2,370"
    )


def test_the_sentence_says_how_far_it_is_over():
    assert "over by 190" in sentence(replace(TURNS, limit_tokens=3000))


def test_an_estimate_is_called_one():
    assert sentence(replace(TURNS, exact=False)).startswith("about 3,190 of 16,000")


def test_what_nobody_knows_is_not_said():
    quiet = sentence(replace(TURNS, cached_tokens=None, threshold_tokens=None))
    assert "cache" not in quiet
    assert "trimming" not in quiet


def test_flags_are_the_marks():
    assert flag_words(TURNS) == {
        "limit": "limit 16,000",
        "cached": "cached 1,000",
        "trim": "trim at 12,800",
        "reply": "reply 2,000",
    }
    assert flag_words(replace(TURNS, limit_tokens=3000))["over"] == "over by 190"


def test_history_is_called_by_its_turns():
    assert [segment_name(segment) for segment in TURNS.segments] == ["persona", "turns 1–6", "turn 7"]


def test_a_foreign_name_is_made_safe():
    assert segment_name(replace(TURNS.segments[0], name="a\u202eb")) == "a⟨U+202E⟩b"


def test_a_segment_says_how_much_of_it_is_cached():
    assert segment_words(TURNS, 1) == (
        "turns 1–6\nHistory, 1,480 tokens, 9 % of the limit\n180 expected from the cache"
    )
    assert "cache" not in segment_words(TURNS, 2)


def test_a_name_that_looks_like_a_place_for_a_figure_is_left_alone():
    named = replace(TURNS, segments=(replace(TURNS.segments[0], name="%4 and %1"),))
    assert segment_words(named, 0).startswith("%4 and %1\n")


def test_the_ghost_says_what_it_would_be():
    assert ghost_words(TURNS) == "what if: 3,190 tokens, 1,000 cached"
    assert ghost_words(replace(TURNS, cached_tokens=None)) == "what if: 3,190 tokens"
