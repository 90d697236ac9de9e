"""The outline by mouse and key."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.parts_shown import parts_view
from workbench.domain.files.document import Section
from workbench.ui.inspector.sections.outline import MEASURE, Column, OutlineView
from workbench.ui.widgets.items.check_tree import CHEVRON_LEAD


@pytest.fixture
def view(qtbot: QtBot) -> OutlineView:
    made = OutlineView()
    qtbot.addWidget(made)
    made.resize(434, 500)
    made.show()
    made.parts.show_rows(parts_view().rows, frozenset({4, 5, 8}), frozenset())
    return made


def at(view: OutlineView, place: int, x: int) -> QPoint:
    rect = view.visualRect(view.parts.index_of(place))
    return QPoint(x, rect.center().y())


def test_what_is_ticked_in_part_comes_open_and_rows_are_as_high_as_drawn(view: OutlineView):
    three = next(n for n, part in enumerate(view.parts.outline.parts) if part.anchor == "Three")
    assert view.isExpanded(view.parts.index_of(three))
    assert view.visualRect(view.parts.index_of(0)).height() == MEASURE.row
    assert [view.parts.tick(n) for n in (0, 3, three)] == ["off", "on", "some"]


def test_a_press_on_the_box_ticks_and_one_on_the_chevron_opens(view: OutlineView):
    ticked: list[int] = []
    view.ticked.connect(ticked.append)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at(view, 0, MEASURE.check_lead + 7))
    assert ticked == [0]
    was = view.isExpanded(view.parts.index_of(0))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at(view, 0, CHEVRON_LEAD + 6))
    assert view.isExpanded(view.parts.index_of(0)) is not was
    assert ticked == [0]


def test_the_text_follows_the_row_and_slash_goes_to_the_filter(view: OutlineView):
    seen: list[int] = []
    wanted: list[bool] = []
    view.looked_at.connect(seen.append)
    view.filter_wanted.connect(lambda: wanted.append(True))
    view.go_to(8)
    QTest.keyClick(view, Qt.Key.Key_Slash)
    assert seen[-1] == 8
    assert wanted == [True]


def test_without_pages_there_is_no_column_for_them(qtbot: QtBot):
    made = OutlineView()
    qtbot.addWidget(made)
    assert not made.isColumnHidden(Column.PAGES)
    rows = parts_view().rows
    plain = tuple(type(row)(_without_pages(row.part), row.tokens) for row in rows)
    made.parts.show_rows(plain, frozenset(), frozenset())
    assert made.isColumnHidden(Column.PAGES)


def _without_pages(part: Section) -> Section:
    return replace(part, first_page=0, last_page=0)


def test_estimates_say_so_in_the_head(view: OutlineView):
    view.parts.set_exact(False)
    assert view.parts.headerData(Column.TOKENS, Qt.Orientation.Horizontal) == "≈ Tokens"
