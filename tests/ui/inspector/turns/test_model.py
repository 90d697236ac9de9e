"""The turns as a table that changes by as little as it can."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.fakes.requests_shown import many_turns, scripted_state
from workbench.ui.inspector.turns.columns import Column
from workbench.ui.inspector.turns.model import TurnModel
from workbench.ui.widgets.items.list_model import ITEM


class Watched:
    """A model under the tester, and what it told."""

    def __init__(self) -> None:
        self.model = TurnModel()
        mode = QAbstractItemModelTester.FailureReportingMode.Fatal
        self.tester = QAbstractItemModelTester(self.model, mode)
        self.told: list[object] = []
        self.model.rowsInserted.connect(lambda _parent, first, last: self.told.append(("in", first, last)))
        self.model.modelReset.connect(lambda: self.told.append("reset"))
        self.model.dataChanged.connect(lambda first, _last: self.told.append(("changed", first.row())))


@pytest.fixture
def watched(qapp) -> Watched:
    return Watched()


def test_the_newest_turn_comes_first(watched: Watched):
    watched.model.show(scripted_state()[1].turns)
    assert [watched.model.index(row, 0).data() for row in range(8)] == [
        "8",
        "7",
        "6",
        "5",
        "4",
        "3",
        "2",
        "1",
    ]
    assert watched.model.index(0, Column.CACHE).data() == "as predicted"
    assert watched.model.index(0, 0).data(ITEM).number == 8
    assert watched.model.row_of(3) == 5
    assert watched.model.row_of(99) == -1
    assert watched.model.largest_tokens == 12_590


def test_a_turn_more_is_one_row_more(watched: Watched):
    turns = many_turns(1_001)
    watched.model.show(turns[:1_000])
    watched.told.clear()
    watched.model.show(turns)
    assert watched.told == [("in", 0, 0)]


def test_a_turn_that_ended_changes_its_row_and_no_other(watched: Watched):
    turns = scripted_state()[1].turns
    running = (*turns[:-1], replace(turns[-1], state="running"))
    watched.model.show(running)
    watched.told.clear()
    watched.model.show(turns)
    watched.model.show(turns)
    assert watched.told == [("changed", 0)]


def test_another_branch_begins_anew(watched: Watched):
    turns = scripted_state()[1].turns
    watched.model.show(turns)
    watched.told.clear()
    watched.model.show(turns[:3])
    watched.model.show(())
    assert watched.told == ["reset", "reset"]


def test_a_row_is_spoken_as_a_whole_and_its_tooltip_says_why(watched: Watched):
    watched.model.show(scripted_state()[1].turns)
    index = watched.model.index(1, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Turn 7: 3,379 tokens in")
    assert "trimmed up to message 12" in index.data(Qt.ItemDataRole.ToolTipRole).replace("\n", " ")
    assert watched.model.headerData(0, Qt.Orientation.Horizontal) == "Turn"
    assert watched.model.headerData(0, Qt.Orientation.Vertical) is None
