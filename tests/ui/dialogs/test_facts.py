"""The list of what is remembered: added, changed, forgotten with a way back, accepted one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.domain.workspace import Fact, Workspace
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.facts import FactsDialog, RememberDialog
from workbench.ui.wishes import ShowFound

TEA, LATER = Fact("a", "I like tea.", chat="talk", message="m1"), Fact("b", "Maybe.", suggested=True)
PLACE = Workspace("w", "Billing", facts=(TEA, LATER))
STATE = WorkbenchState(workspaces={"w": PLACE}, everywhere=Workspace("", facts=(Fact("c", "For all."),)))


@pytest.fixture
def dialog(qtbot: QtBot) -> FactsDialog:
    made = FactsDialog()
    qtbot.addWidget(made)
    made.new_id = lambda: "new"
    made.open_for("w")
    made.show_state(STATE, {"I like tea.": 5})
    return made


def revisions(dialog: FactsDialog) -> list[tuple[Workspace, Workspace]]:
    found: list[tuple[Workspace, Workspace]] = []
    dialog.revised.connect(lambda before, after, _title: found.append((before, after)))
    return found


def test_facts_are_added_changed_and_accepted(dialog):
    found = revisions(dialog)
    dialog.field.setText("  Money is in cents. ")
    dialog.add.click()
    assert found[-1] == (PLACE, replace(PLACE, facts=(TEA, LATER, Fact("new", "Money is in cents."))))
    dialog.list.item(0).setText("I like green tea.")
    assert found[-1][1].facts[0] == replace(TEA, text="I like green tea.")
    dialog.list.setCurrentRow(1)
    assert "in no request" in dialog.said.text()
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    assert found[-1][1].facts == (TEA, replace(LATER, suggested=False))


def test_a_fact_is_forgotten_with_a_way_back_and_shows_where_it_was_said(dialog):
    found = revisions(dialog)
    wished: list[object] = []
    dialog.wishes.wish.connect(wished.append)
    dialog.list.setCurrentRow(0)
    assert dialog.said.text() == "5 tokens"
    dialog.source.click()
    assert wished == [ShowFound("talk", "m1")]
    QTest.keyClick(dialog.list, Qt.Key.Key_Delete)
    without = replace(PLACE, facts=(LATER,))
    assert found[-1] == (PLACE, without)
    dialog.undo.click()
    assert found[-1] == (without, PLACE)


def test_facts_for_all_are_another_list(dialog):
    dialog.open_for("")
    dialog.show_state(STATE)
    assert [dialog.list.item(row).text() for row in range(dialog.list.count())] == ["For all."]
    dialog.show_state(replace(STATE, everywhere=Workspace("")))
    assert dialog.list.isHidden()
    assert not dialog.empty.isHidden()


def test_what_is_remembered_can_be_made_shorter_and_be_for_all(qtbot):
    dialog = RememberDialog("Well, money is in cents, I think.", PLACE)
    qtbot.addWidget(dialog)
    kept: list[tuple[str, str]] = []
    dialog.remembered.connect(lambda text, place: kept.append((text, place)))
    dialog.text.setPlainText("  ")
    assert not dialog.keep.isEnabled()
    dialog.text.setPlainText("Money is in cents.")
    assert dialog.place.current() == "w"
    dialog.place.set_current("all")
    dialog.keep.click()
    assert kept == [("Money is in cents.", "")]
