"""The list of causes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from tests.fakes.requests_shown import scripted_state
from tests.fakes.sample_state import sample_diff
from workbench.ui.inspector.diff.body import MOST_ROWS, ROW_HEIGHT, CauseList, CauseModel, Entry, entries
from workbench.ui.look.theme import LIGHT, colour


def scripted() -> tuple[Entry, ...]:
    return entries(sample_diff(), scripted_state()[1])


@pytest.fixture
def causes(qtbot) -> CauseList:
    made = CauseList()
    qtbot.addWidget(made)
    made.resize(720, 160)
    made.show_entries(scripted())
    made.show()
    return made


def test_causes_come_in_wire_order_with_their_effect():
    found = scripted()
    assert [entry.title.split(" at ")[0] for entry in found] == [
        "docs/api.md changed on disk",
        "Turn 8 moved into history",
        "src/auth.py attached",
        "New question",
    ]
    assert [entry.breaks for entry in found] == [True, False, False, False]


def test_the_model_keeps_its_promises(qapp):
    model = CauseModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_items(scripted())
    assert model.index(1).data() == "Turn 8 moved into history. History, +1,310 tokens. after the break"
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    model.show_items((scripted()[0]._replace(line="another"), *scripted()[1:]))
    assert changed == [0]
    model.show_items(scripted()[:2])
    assert model.rowCount() == 2
    assert tester.model() is model


def test_many_causes_scroll(causes: CauseList):
    diff = sample_diff()
    many = replace(diff, causes=diff.causes * 5)
    causes.show_entries(entries(many, scripted_state()[1]))
    assert causes.height() == ROW_HEIGHT * MOST_ROWS


def test_a_click_and_the_arrows_choose(causes: CauseList):
    picked: list[int] = []
    causes.picked.connect(picked.append)
    QTest.mouseClick(
        causes.viewport(),
        Qt.MouseButton.LeftButton,
        pos=causes.visualRect(causes.model().index(2, 0)).center(),
    )
    QTest.keyClick(causes, Qt.Key.Key_Up)
    assert picked == [2, 1]
    causes.select(3)
    assert picked == [2, 1]


def test_the_chosen_cause_has_its_ground(causes: CauseList):
    causes.select(0)
    causes.clearFocus()
    assert causes.viewport().grab().toImage().pixelColor(400, 10) == colour(LIGHT.sel)
