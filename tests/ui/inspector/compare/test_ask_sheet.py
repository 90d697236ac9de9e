"""The sheet that says what is to be asked, and what that takes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea

from tests.fakes.compared import MINI, compared
from tests.fakes.experiments import experiment_view
from tests.fakes.read_aloud import unspoken
from tests.fakes.widgets import all_of
from workbench.domain.experiment import Check, Plan
from workbench.ui.inspector.compare.asking import AskSheet
from workbench.ui.widgets.labels import tell_roles


@pytest.fixture
def sheet(qtbot) -> AskSheet:
    tell_roles()
    made = AskSheet(*compared(), (MINI,))
    qtbot.addWidget(made)
    made.show()
    return made


def test_what_is_set_is_the_plan(sheet: AskSheet):
    assert sheet.plan() == Plan((MINI,))
    name, box = next(iter(sheet.models.items()))
    box.setChecked(True)
    sheet.repeats.setValue(3)
    sheet.cap.setValue(0.5)
    sheet.judge.setCurrentIndex(1)
    sheet.checks.setPlainText("contains:line\n\njudged:It is short.\n")
    checks = (Check("contains", "line"), Check("judged", "It is short."))
    assert sheet.plan() == Plan((MINI,), (name,), 3, 0.5, checks, judge=sheet.judge.itemData(1))
    assert unspoken(sheet) == []


def test_the_first_box_has_the_focus_and_not_the_list_around_it(sheet: AskSheet):
    (area,) = (one for one in all_of(QScrollArea, sheet) if one.accessibleName() == "Models")
    assert area.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_a_line_that_is_no_check_is_said_and_nothing_is_asked(sheet: AskSheet):
    asked: list[object] = []
    sheet.changed.connect(asked.append)
    sheet.wanted.connect(asked.append)
    sheet.checks.setPlainText("maybe")
    sheet._settle.stop()
    sheet._tell()
    sheet._ask()
    assert "maybe" in sheet.said.text()
    assert "--expect" not in sheet.said.text()
    assert (asked, sheet.go.isEnabled()) == ([], False)


def test_it_can_be_asked_once_its_price_is_known(sheet: AskSheet):
    wanted: list[object] = []
    sheet.wanted.connect(wanted.append)
    assert not sheet.go.isEnabled()
    sheet.show_price(experiment_view("q", stage="working"))
    assert not sheet.go.isEnabled()
    sheet.show_price(experiment_view("q", stage="offered", most_usd=0.0))
    assert sheet.said.text() == "4 requests · 26,468 tokens · no cost"
    sheet.go.click()
    assert wanted == [Plan((MINI,))]
    sheet.show_price(experiment_view("q", stage="offered", most_usd=0.0, problem="Small is not asked."))
    assert sheet.said.text().endswith("no cost\nSmall is not asked.")
    assert sheet.go.isEnabled()
    sheet.show_price(experiment_view("q", stage="failed", problem="It does not fit."))
    assert (sheet.said.text(), sheet.go.isEnabled()) == ("It does not fit.", False)
