"""The library of prompts: found, written, moved, deleted with a way back, inserted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from workbench.domain.workspace import SavedPrompt, Workspace
from workbench.engine.state import WorkbenchState
from workbench.engine.workspace_intents import DeletePrompt, SavePrompt
from workbench.ui.dialogs.prompts import PromptsDialog, ordered, variable_words

ALL, OWN = SavedPrompt("Alpha", "One."), SavedPrompt("Notes", "For {{who}} on {{date}}.", "w")
OTHER = SavedPrompt("Aside", "Two.", "other")
STATE = WorkbenchState(prompts=(ALL, OTHER, OWN), workspaces={"w": Workspace("w", "Billing")})
VALUES = {"date": "2026-11-16"}


class Desk:
    def __init__(self, qtbot: QtBot) -> None:
        self.dialog = PromptsDialog()
        qtbot.addWidget(self.dialog)
        self.sent: list[object] = []
        self.moved: list[object] = []
        self.dialog.wishes.intent.connect(self.sent.append)
        self.dialog.moved.connect(self.moved.append)
        self.show(STATE)

    def show(self, state: WorkbenchState) -> None:
        self.dialog.show_state(state, "w", VALUES)

    def names(self) -> list[str]:
        return [self.dialog.list.item(row).text().split("  ·")[0] for row in range(self.dialog.list.count())]


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def test_those_of_the_workspace_come_first_and_are_found_by_their_words(desk):
    assert [one.name for one in ordered(STATE.prompts, "w")] == ["Notes", "Alpha", "Aside"]
    assert desk.names() == ["Notes", "Alpha", "Aside"]
    assert desk.dialog.written() == OWN
    assert "{{date}} → 2026-11-16" in desk.dialog.told.text()
    desk.dialog.search.setText("two")
    assert desk.names() == ["Aside"]


def test_one_is_renamed_moved_and_deleted_with_a_way_back(desk):
    dialog = desk.dialog
    assert not dialog.save.isEnabled(), "nothing is changed"
    dialog.name.setText("Release notes")
    dialog.save.click()
    assert desk.sent == [SavePrompt(replace(OWN, name="Release notes"), "Notes")]
    desk.show(replace(STATE, prompts=(ALL, replace(OWN, name="Release notes"))))
    dialog.where.choose("all")
    dialog.where.activated.emit(0)
    dialog.save.click()
    assert desk.moved == [
        (SavePrompt(SavedPrompt("Release notes", OWN.text)), DeletePrompt("w", "Release notes"))
    ]
    desk.show(replace(STATE, prompts=(ALL,)))
    dialog.list.setCurrentRow(0)
    dialog.remove.click()
    assert desk.sent[-1] == DeletePrompt("", "Alpha")
    dialog.undo.click()
    assert desk.sent[-1] == SavePrompt(ALL)


def test_what_is_not_saved_is_there_again(desk):
    dialog = desk.dialog
    dialog.text.setPlainText("Not done yet")
    dialog.list.setCurrentRow(1)
    assert dialog.written() == ALL
    dialog.list.setCurrentRow(0)
    assert dialog.text.toPlainText() == "Not done yet"
    assert dialog.save.isEnabled()


def test_a_new_one_takes_no_name_that_there_is_and_is_inserted_as_it_is_written(desk):
    dialog = desk.dialog
    dialog.begin_new("Say {{what}}.")
    assert dialog.written() == SavedPrompt("", "Say {{what}}.", "w")
    dialog.name.setText("Notes")
    dialog.save.click()
    assert desk.sent == []
    assert "already" in dialog.said.text()
    given: list[str] = []
    dialog.inserted.connect(given.append)
    dialog.put_in.click()
    assert given == ["Say {{what}}."]


def test_variables_are_told_before():
    assert "Tab" in variable_words("{{who}}", VALUES)
    assert "{{date}}" in variable_words("Nothing.", VALUES)
