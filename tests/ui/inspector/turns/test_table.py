"""The list of turns and its sums."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import many_turns, scripted_state
from workbench.ui.inspector.turns.table import (
    EDGE,
    HEAD_HEIGHT,
    ROW_HEIGHT,
    Column,
    TurnSums,
    TurnTable,
    inner_box,
    paint_cell,
    paint_turn,
)
from workbench.ui.look.fonts import font
from workbench.ui.look.theme import Theme, colour


@pytest.fixture
def table(qtbot) -> TurnTable:
    made = TurnTable()
    qtbot.addWidget(made)
    made.resize(752, 250)
    made.show_turns(scripted_state()[1].turns)
    made.show()
    return made


def test_a_click_and_the_arrows_choose_a_turn(table: TurnTable):
    picked: list[int] = []
    table.picked.connect(picked.append)
    where = table.visualRect(table.model().index(1, 3)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_End)
    assert picked == [7, 6, 1]


def test_enter_wants_more_of_it(table: TurnTable):
    opened: list[int] = []
    table.opened.connect(opened.append)
    table.select(5)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert opened == [5]


def test_choosing_from_outside_tells_nobody_and_can_be_taken_back(table: TurnTable):
    picked: list[int] = []
    table.picked.connect(picked.append)
    table.select(7)
    assert [index.data() for index in table.selectedIndexes() if index.column() == 0] == ["7"]
    table.select(None)
    assert table.selectedIndexes() == []
    assert picked == []


def test_it_is_no_higher_than_its_rows(table: TurnTable):
    assert table.maximumHeight() == HEAD_HEIGHT + 8 * ROW_HEIGHT
    table.show_turns(many_turns(1_000))
    assert table.maximumHeight() == HEAD_HEIGHT + 1_000 * ROW_HEIGHT


def test_where_it_is_narrow_the_layout_gives_way(table: TurnTable):
    table.resize(588, 250)
    assert table.isColumnHidden(Column.LAYOUT)
    table.resize(752, 250)
    assert not table.isColumnHidden(Column.LAYOUT)


def test_sums_stand_under_their_columns(qtbot):
    sums = TurnSums()
    qtbot.addWidget(sums)
    sums.resize(752, 28)
    sums.show_turns(scripted_state()[1].turns)
    assert {column.name: sums.words(column) for column in Column if sums.words(column)} == {
        "TURN": "8",
        "SENT": "turns",
        "TOKENS_IN": "57,283",
        "PREDICTED": "31,872",
        "REPORTED": "23,680",
        "CACHE": "41 % read from cache",
        "OUT": "6,064",
        "PRICE": "≈ $0.025",
    }
    assert "Tokens in 57,283" in sums.accessibleDescription()
    sums.set_room(740)
    sums.grab()


def test_what_has_no_price_has_no_sum_of_prices(qtbot):
    sums = TurnSums()
    qtbot.addWidget(sums)
    sums.show_turns(())
    assert sums.words(Column.PRICE) == "—"
    assert sums.words(Column.CACHE) == "nothing reported"
    sums.show_turns((replace(scripted_state()[1].turns[0], local=True, cost_usd=0.0),))
    assert sums.words(Column.PRICE) == "no cost"


def test_the_sum_names_the_layout_of_the_chat_and_leaves_out_what_nobody_reported(qtbot):
    sums = TurnSums()
    qtbot.addWidget(sums)
    told, silent = scripted_state()[1].turns[1], replace(scripted_state()[1].turns[2], cached_tokens=None)
    sums.show_turns((told, silent), "auto")
    assert sums.words(Column.SENT) == "turns, layout auto"
    assert sums.words(Column.REPORTED) == "1,024"
    assert sums.words(Column.CACHE) == "17 % read from cache"
    several = replace(
        told, requests=2, cached_tokens=9_000, last_prompt_tokens=6_000, last_cached_tokens=3_000
    )
    sums.show_turns((several, silent), "auto")
    assert sums.words(Column.REPORTED) == "3,000"
    assert sums.words(Column.CACHE) == "50 % of last requests cached"


def test_left_and_right_go_by_turn_as_in_the_chart(table: TurnTable):
    picked: list[int] = []
    table.picked.connect(picked.append)
    table.select(5)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        QTest.keyClick(table, key)
    assert picked == [4, 3, 4]


def test_a_row_says_who_answered(table: TurnTable):
    told = table.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert told.endswith("Model: gpt-4.1-mini.")


def inked(paint) -> list[int]:
    image = QImage(100, 28, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    painter.setFont(font("small"))
    paint(painter, QRectF(0, 0, 100, 28))
    painter.end()
    return [x for x in range(100) if any(image.pixelColor(x, y).lightness() < 128 for y in range(28))]


def test_the_first_and_the_last_column_keep_the_edge_of_the_pane():
    box = QRectF(0, 0, 100, 28)
    assert inner_box(box, Column.TURN).left() == EDGE
    assert inner_box(box, Column.PRICE).right() == 100 - EDGE


def test_figures_stand_at_the_end_and_numbers_of_turns_at_the_beginning(qapp):
    assert inked(lambda p, box: paint_cell(p, box, "1,792", at_end=True))[-1] > 90
    assert inked(lambda p, box: paint_turn(p, box, "1,000"))[0] < 10


def test_the_chosen_turn_has_its_ground_and_its_edge(qtbot, theme: Theme):
    table = TurnTable()
    qtbot.addWidget(table)
    table.resize(752, 260)
    table.show_turns(scripted_state()[1].turns)
    table.select(7)
    table.show()
    table.clearFocus()
    seen = table.viewport().grab().toImage()
    row = table.visualRect(table.model().index(1, 0))
    assert seen.pixelColor(1, row.center().y()) == colour(theme.accent)
    assert seen.pixelColor(6, row.top() + 3) == colour(theme.sel)
