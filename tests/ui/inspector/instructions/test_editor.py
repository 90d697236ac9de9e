"""The editor over the tree: what it tries, prices, keeps apart, saves and asks, with values alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.settings.context_settings import PersonaSources
from workbench.domain.shown.envelope_view import PriceTag, StepPrice
from workbench.domain.workspace import Filed, Workspace, used
from workbench.engine.intents import ChangeSettings, PriceStep, TrySettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.ui.inspector.instructions.editor import InstructionsEditor, PriceBand
from workbench.ui.inspector.instructions.texts import LockedPart, variable_words
from workbench.ui.steps import Step

PLACE = Workspace("w", "Billing", instructions="In cents.")


class Desk:
    """An editor, and everything that was wanted of the engine."""

    def __init__(self, qtbot: QtBot, inside: bool = True) -> None:
        self.editor = InstructionsEditor()
        qtbot.addWidget(self.editor)
        self.sent: list[object] = []
        self.steps: list[Step] = []
        self.editor.wishes.intent.connect(self.sent.append)
        self.editor.wishes.step.connect(self.steps.append)
        self.state: WorkbenchState = replace(sample_state(), workspaces={"w": PLACE})
        chat = self.state.open[CHAT]
        persona = PersonaSources("Be kind.\nBe brief.\nBe right.", user="Only rounding.")
        settings = replace(chat.chat.settings, persona=persona, persona_mode="add")
        filed = Filed("w" if inside else "")
        self.chat: ChatState = replace(chat, chat=replace(chat.chat, settings=settings, filed=filed))
        self.show()

    def show(self, chat: ChatState | None = None) -> None:
        self.editor.show_state(self.state, chat or self.chat)

    def tried(self) -> TrySettings:
        return [one for one in self.sent if isinstance(one, TrySettings)][-1]


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def test_what_is_written_is_tried_and_priced_a_moment_later_and_saved_where_it_belongs(desk, qtbot):
    editor = desk.editor
    editor.edit("persona")
    assert editor.own.text.toPlainText() == "Only rounding."
    assert editor.default.more.text() == "2 more lines"
    editor.own.text.setPlainText("Only rounding, up.")
    editor.workspace.text.setPlainText("In whole cents.")
    qtbot.waitUntil(lambda: any(isinstance(one, PriceStep) and one.key for one in desk.sent))
    tried = desk.tried()
    assert tried.settings is not None
    assert tried.settings.persona.user == "Only rounding, up."
    assert tried.workspace == replace(PLACE, instructions="In whole cents.")
    editor.save_for_workspace()
    assert desk.steps[-1].do == (ReviseWorkspace(PLACE, replace(PLACE, instructions="In whole cents.")),)
    assert editor.subject() == "persona", "this chat's lines wait"
    desk.show()
    assert editor.workspace.text.toPlainText() == "In whole cents.", "what the engine says may be older"
    editor.save_for_chat()
    (change,) = desk.steps[-1].do
    assert isinstance(change, ChangeSettings)
    assert change.settings.persona.user == "Only rounding, up."
    assert change.settings.persona.workspace == "", "what is in effect is never written into the chat"
    assert editor.subject() is None
    assert desk.tried().settings is None, "the ghost goes with the editor"


def test_escape_asks_before_it_discards(desk):
    editor = desk.editor
    editor.show()
    editor.edit("persona")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.subject() is None, "nothing was written: there is nothing to ask"
    editor.edit("persona")
    editor.own.text.setPlainText("Else.")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.subject() == "persona"
    assert "again" in editor.foot.note.text()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.subject() is None
    assert not editor.unsaved()
    assert desk.steps == []
    editor.edit("persona")
    editor.own.text.setPlainText("Else.")
    editor.edit("system")
    assert (editor.subject(), editor.own.text.toPlainText()) == ("persona", "Else."), "nothing is lost"


def test_what_is_not_saved_waits_with_its_chat(desk):
    editor = desk.editor
    editor.edit("persona")
    editor.own.text.setPlainText("Else.")
    other = replace(desk.chat, chat=replace(desk.chat.chat, id="other"))
    desk.show(other)
    assert editor.subject() is None
    assert editor.unsaved()
    desk.show()
    assert editor.subject() == "persona"
    assert editor.own.text.toPlainText() == "Else."


def test_what_is_kept_meanwhile_is_followed_where_nobody_writes(desk):
    desk.editor.edit("persona")
    desk.editor.own.text.setPlainText("Mine.")
    desk.state = replace(desk.state, workspaces={"w": replace(PLACE, instructions="In dollars.")})
    desk.show()
    assert desk.editor.workspace.text.toPlainText() == "In dollars."
    assert desk.editor.own.text.toPlainText() == "Mine."


def test_changed_lines_of_the_workspace_are_not_saved_for_the_chat(desk):
    desk.editor.edit("persona")
    desk.editor.workspace.text.setPlainText("Else.")
    desk.editor.save_for_chat()
    assert desk.steps == []
    assert "workspace" in desk.editor.foot.note.text()


@pytest.mark.parametrize("subject", ["system", "project", "memory"])
def test_other_texts_are_written_for_the_chat(qtbot, subject):
    desk = Desk(qtbot, inside=False)
    desk.editor.edit(subject)
    assert not desk.editor.workspace.isVisibleTo(desk.editor)
    desk.editor.own.text.setPlainText("Written by hand.")
    desk.editor.save_for_chat()
    (change,) = desk.steps[-1].do
    assert isinstance(change, ChangeSettings)
    kept = (change.settings.system_prompt, change.settings.project_instructions, change.settings.user_memory)
    assert kept.count("Written by hand.") == 1


def test_the_price_is_that_of_this_edit(desk):
    desk.editor.edit("persona")
    desk.editor.own.text.setPlainText("Else.")
    tag = PriceTag(24, 11_240, 12_610, 0.013)
    desk.show(replace(desk.chat, price=StepPrice("instructions", tag)))
    words = desk.editor.band.words.text()
    assert words.startswith("Changes the prefix: ")
    assert "re-reads 11,240 of 12,610 cached" in words
    assert words.endswith("free when cold")
    desk.show(replace(desk.chat, price=StepPrice("untrim:x", PriceTag())))
    assert desk.editor.band.words.text() == words, "the price of something else is not this one's"


def test_a_variable_says_what_it_becomes_and_how_often(qtbot):
    told = [variable_words(one) for one in used("{{time}}{{date}}{{files}}{{folder}}{{who}}", _VALUES)]
    assert ["every turn" in told[0], "changes daily" in told[1], "attached" in told[2]] == [True] * 3
    assert told[3:] == [
        "{{folder}} becomes nothing.",
        "{{who}} is unknown and sent as written.",
    ]
    part = LockedPart("default", "Default")
    qtbot.addWidget(part)
    part.show_text("One.\nTwo.")
    part.more.click()
    assert part.more.text() == "Show less"
    band = PriceBand()
    qtbot.addWidget(band)
    band.show_tag(None)
    assert band.isHidden()


_VALUES = {"time": "10:00", "date": "2026-11-16", "files": "a.py", "folder": ""}
