"""The list of turns and its sums."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import many_turns, scripted_state
from workbench.ui.inspector.turns.columns import Column
from workbench.ui.inspector.turns.table import HEAD_HEIGHT, TurnSums, TurnTable


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
    assert table.maximumHeight() == HEAD_HEIGHT + 8 * 28
    table.show_turns(many_turns(1_000))
    assert table.maximumHeight() == HEAD_HEIGHT + 1_000 * 28


def test_where_it_is_narrow_the_model_gives_way(table: TurnTable):
    table.resize(588, 250)
    assert table.isColumnHidden(Column.MODEL)
    table.resize(752, 250)
    assert not table.isColumnHidden(Column.MODEL)


def test_sums_stand_under_their_columns(qtbot):
    sums = TurnSums()
    qtbot.addWidget(sums)
    sums.resize(752, 28)
    sums.show_turns(scripted_state()[1].turns)
    assert {column.name: sums.words(column) for column in Column if sums.words(column)} == {
        "TURN": "8",
        "SENT": "turns",
        "TOKENS_IN": "57,283",
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
    assert sums.words(Column.CACHE) == "0 % read from cache"
