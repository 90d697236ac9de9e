"""The painted chart of cached shares."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from tests.fakes.shares_shown import cache_shares, cache_turns
from workbench.domain.shown.shares_view import LayoutShares, ShareLine
from workbench.ui.inspector.turns.share_chart import ShareChart, line_pen
from workbench.ui.inspector.turns.shares_layout import turn_marks
from workbench.ui.look.theme import Theme


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
    assert chart.turn() == 8
    QTest.keyClick(chart, Qt.Key.Key_Return)
    QTest.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=where)
    assert opened == [8, 8]


def test_a_turn_that_is_not_in_the_chart_is_not_marked(chart: ShareChart):
    chart.select(99)
    assert (chart.turn(), chart.accessibleDescription()) == (None, "")
    chart.select(None)
    assert chart.turn() is None


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
