"""What a person writes for later, in the real window over a real store: instructions, memory, prompts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import WindowStage
from workbench.domain.message import Message
from workbench.domain.workspace import Fact, Filed, SavedPrompt, Workspace
from workbench.engine.intents import SendMessage, StartChat
from workbench.engine.workspace_intents import SavePrompt, StartWorkspace
from workbench.ui.dialogs.facts import RememberDialog
from workbench.ui.wishes import EditMemory

pytestmark = pytest.mark.usefixtures("no_window_left")
Key, Ctrl, Shift = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
BILLING = Workspace(
    "w1", "Billing", instructions="Money is in cents, as integers.", facts=(Fact("f1", "Tokens live 900 s."),)
)


def picture(stage: WindowStage, name: str) -> None:
    """A look at the window, where somebody wants one."""
    place = os.environ.get("WORKBENCH_PICTURES")
    if place:
        stage.window.resize(1600, 1000)
        stage.window.grab().save(str(Path(place) / f"{name}.png"))


async def in_billing(data: Path) -> WindowStage:
    """A window with a chat in a workspace, in which something was said."""
    stage = await WindowStage.open(data)
    settings = stage.open_chat.chat.settings
    await stage.workbench.dispatch(
        StartWorkspace(BILLING, settings),
        SavePrompt(SavedPrompt("Release notes", "Notes for {{version}} on {{date}}, read by {{who}}.", "w1")),
        StartChat("talk", settings, "Invoice rounding", filed=Filed("w1")),
    )
    stage.session.open_chat("talk")
    await until(lambda: stage.session.chat_id == "talk" and stage.open_chat.view is not None)
    await stage.workbench.dispatch(SendMessage("talk", "How far off can an invoice be?"))
    await until(lambda: len(stage.open_chat.records) == 2 and stage.open_chat.running is None)
    await stage.settle()  # nobody can press what is not drawn yet
    return stage


@in_qt_loop
async def test_instructions_are_tried_priced_saved_and_undone_in_place(data):
    """Were the trial the chat's own settings, the bar would show no ghost; were it saved early, it would be sent."""
    stage = await in_billing(data)
    layers = stage.window.inspector.layers
    editor = layers.editor
    stage.working.actions.run("edit-instructions")
    assert editor.isVisible()
    editor.own.text.setPlainText("In this chat work on rounding only. It is {{weekday}}.")
    await until(lambda: stage.open_chat.trial is not None and stage.open_chat.price is not None)
    assert stage.open_chat.trial is not None
    assert stage.open_chat.trial.view.total_tokens > stage.open_chat.view.total_tokens  # type: ignore[union-attr]
    await until(lambda: editor.head.delta.word().startswith("+"))
    assert editor.band.isVisible()
    assert "daily" in editor.own.becomes.text()
    assert [line.sign for line in editor.against.diff.lines()].count("+") >= 1
    assert stage.open_chat.chat.settings.persona.user == "", "nothing is changed before it is saved"
    picture(stage, "instructions")
    editor.workspace.text.setPlainText("All money is in cents.")
    editor.save_for_workspace()
    await until(lambda: stage.session.state.workspaces["w1"].instructions == "All money is in cents.")
    assert editor.isVisible(), "this chat's lines are not saved yet"
    assert stage.window.inspector.unsaved()
    stage.window.close()
    assert stage.window.isVisible()
    assert "aren’t saved" in stage.window.toast.text()
    editor.save_for_chat()
    await until(lambda: stage.open_chat.chat.settings.persona.user.startswith("In this chat"))
    assert not editor.isVisible()
    await until(lambda: stage.open_chat.trial is None)
    persona = stage.open_chat.view.row(layers.tree.selected_key())  # type: ignore[union-attr, arg-type]
    assert persona is not None
    assert [part.source for part in persona.parts][-2:] == ["workspace", "chat"]
    picture(stage, "instructions-tree")
    stage.working.actions.run("undo")
    await until(lambda: stage.open_chat.chat.settings.persona.user == "")
    stage.working.actions.run("undo")
    await until(lambda: stage.session.state.workspaces["w1"].instructions == BILLING.instructions)
    await stage.close()


@in_qt_loop
async def test_words_are_remembered_and_prompts_are_written_with_a_slash(data):
    stage = await in_billing(data)
    question = stage.open_chat.records[0]
    stage.window.chat.transcript.column.asked.emit("remember", question.id)
    (dialog,) = cast(list[RememberDialog], stage.window.findChildren(RememberDialog))
    assert isinstance(question.entry, Message)
    assert dialog.text.toPlainText() == question.entry.text
    dialog.text.setPlainText("An invoice may be 20 cents off.")
    dialog.keep.click()
    await until(lambda: len(stage.session.state.workspaces["w1"].facts) == 2)
    fact = stage.session.state.workspaces["w1"].facts[1]
    assert (fact.text, fact.chat, fact.message) == ("An invoice may be 20 cents off.", "talk", question.id)
    await until(lambda: "20 cents" in _memory(stage))
    stage.working.actions.run(EditMemory())
    facts = stage.working.actions._words._facts
    assert facts is not None
    assert [facts.list.item(row).text() for row in range(facts.list.count())][1] == fact.text
    facts.list.setCurrentRow(0)
    QTest.keyClick(facts.list, Key.Key_Delete)
    await until(lambda: stage.session.state.workspaces["w1"].facts == (fact,))
    facts.undo.click()
    await until(lambda: len(stage.session.state.workspaces["w1"].facts) == 2)
    facts.close()
    await _write_prompt(stage)
    await stage.close()


async def _write_prompt(stage: WindowStage) -> None:
    """Choose a prompt by its first letters, fill what it asks for, and keep the message as another one."""
    composer = stage.window.chat.composer
    composer.text.setFocus()
    QTest.keyClicks(composer.text, "/rel")
    assert composer.prompts.is_open()
    picture(stage, "slash")
    QTest.keyClick(composer.text, Key.Key_Return)
    assert composer.text.textCursor().selectedText() == "{{version}}"
    QTest.keyClicks(composer.text, "2.0")
    QTest.keyClick(composer.text, Key.Key_Tab)
    assert composer.text.textCursor().selectedText() == "{{who}}"
    QTest.keyClicks(composer.text, "all")
    text = composer.text.text()
    assert text.startswith("Notes for 2.0 on 20")
    assert text.endswith(", read by all.")
    await until(lambda: stage.open_chat.draft == text)
    stage.working.actions.run("save-prompt")
    library = stage.working.actions._words._prompts
    assert library is not None
    assert library.text.toPlainText() == text
    await until(lambda: library.tokens.text().endswith("tokens"))
    library.name.setText("All notes")
    library.save.click()
    await until(lambda: SavedPrompt("All notes", text, "w1") in stage.session.state.prompts)
    library.close()


def _memory(stage: WindowStage) -> str:
    view = stage.open_chat.view
    rows = [row for layer in view.layers for row in layer.rows if row.key.id == "memory"] if view else []
    return " ".join(part.text for row in rows for part in row.parts)
