"""Answers and tools' results edited in the real window: priced, kept beside what was said, turned through, undone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import WindowStage
from tests.ui.whole.test_words import picture
from workbench.engine.intents import RegenerateAnswer, SendMessage, StartChat
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.feed import Answer
from workbench.ui.inspector.layers.cells import Column

pytestmark = pytest.mark.usefixtures("no_window_left")
SAID = ["Only one renewal may be in flight. The first caller takes the lock.", "Yes, in one case."]
CONTROL = Qt.KeyboardModifier.ControlModifier


async def talked(data: Path, tmp_path: Path) -> WindowStage:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": text} for text in SAID]), encoding="utf-8")
    stage = await WindowStage.open(data)
    own = replace(stage.open_chat.chat.settings, model=f"scripted:{script}")
    await stage.workbench.dispatch(StartChat("talk", own, "Token refresh"))
    stage.session.open_chat("talk")
    await until(lambda: stage.session.chat_id == "talk" and stage.open_chat.view is not None)
    for number, words in enumerate(("How many renewals?", "Can one succeed all the same?"), start=1):
        await stage.workbench.dispatch(SendMessage("talk", words))
        await until(lambda: len(stage.open_chat.records) == 2 * number and stage.open_chat.running is None)  # noqa: B023
    return stage


def answer(stage: WindowStage) -> AnswerView:
    """The first answer, as it is shown now."""
    column = stage.window.chat.transcript.column
    first = next(item for item in column.items() if isinstance(item, Answer))
    view = column.view(first.key)
    assert isinstance(view, AnswerView)
    return view


def figure(stage: WindowStage) -> str:
    """Which version of the first answer is shown."""
    switch = answer(stage).head.siblings
    return "" if switch is None else switch.figure()


def row_state(stage: WindowStage) -> str:
    """What the first turn's row says in Layers."""
    rows, view = stage.window.inspector.layers.tree.rows, stage.open_chat.view
    assert view is not None
    turn = next(row for layer in view.layers for row in layer.rows if row.kind == "turn")
    return str(rows.index_of(turn.key, Column.STATE).data())


@in_qt_loop
async def test_an_answer_is_edited_priced_kept_turned_back_and_undone(data, tmp_path):
    stage = await talked(data, tmp_path)
    view = answer(stage)
    QTest.keyClick(view, Qt.Key.Key_E)
    await until(lambda: answer(stage).editor() is not None)
    editor = view.editor()
    assert editor is not None
    assert not editor.save.isEnabled()
    assert editor.price.text() == "a version beside this one; this one stays"
    editor.text.setPlainText("")
    assert editor.price.text().startswith("Empty words can’t be saved")
    QTest.keyClick(editor.text, Qt.Key.Key_S, CONTROL)
    assert not stage.open_chat.conversation.tuning.edits
    editor.text.setPlainText(f"{SAID[0]} A 409 means the same: wait one second.")
    await until(lambda: "tokens" in editor.price.text())
    line = stage.window.inspector.edit_line
    await until(lambda: line.accessibleName().startswith("With your edit: ") and not line.isHidden())
    assert row_state(stage) == "editing"
    picture(stage, "edit-answer")
    QTest.keyClick(editor.text, Qt.Key.Key_Escape)
    assert editor.price.text().startswith("Esc again")
    assert answer(stage).editor() is editor
    QTest.keyClick(editor.text, Qt.Key.Key_S, CONTROL)
    await until(lambda: answer(stage).editor() is None and bool(stage.open_chat.conversation.tuning.edits))
    view = answer(stage)
    assert "A 409 means" in view.body.text()
    assert view.head.words().edited
    assert figure(stage) == "2 / 2"
    assert view.head.siblings is not None
    assert line.isHidden()
    assert row_state(stage) == "sent"
    picture(stage, "edit-kept")
    view.head.siblings.before.click()
    await until(lambda: "A 409 means" not in answer(stage).body.text())
    assert figure(stage) == "1 / 2"
    stage.working.actions.run("undo")
    await until(lambda: "A 409 means" in answer(stage).body.text())
    stage.working.actions.run("undo")
    await until(lambda: not stage.open_chat.conversation.tuning.edits)
    await until(lambda: answer(stage).body.text() == SAID[0])
    await stage.close()


@in_qt_loop
async def test_undo_names_the_edit_and_brings_it_into_sight(data, tmp_path):
    """After "Make it a turn", Ctrl+Z took back an older edit that nobody saw."""
    stage = await talked(data, tmp_path)
    key = answer(stage).item.key  # type: ignore[union-attr]
    stage.window.chat.transcript.column.edited.emit(key, "Other words.")
    await until(lambda: bool(stage.open_chat.conversation.tuning.edits), 20)
    assert not answer(stage).is_marked()
    stage.working.actions.run("undo")
    await until(lambda: not stage.open_chat.conversation.tuning.edits, 20)
    assert stage.window.toast.accessibleName() == "Undone: Edit an answer"
    await until(lambda: answer(stage).is_marked(), 20)
    await stage.close()


@in_qt_loop
async def test_undo_says_that_what_it_takes_back_is_of_a_version_that_is_not_shown(data, tmp_path):
    stage = await talked(data, tmp_path)
    key = answer(stage).item.key  # type: ignore[union-attr]
    stage.window.chat.transcript.column.edited.emit(key, "Other words.")
    await until(lambda: bool(stage.open_chat.conversation.tuning.edits), 20)
    await stage.workbench.dispatch(RegenerateAnswer("talk", stage.open_chat.records[0].id))
    await until(lambda: [one.id for one in stage.open_chat.records[1:]] not in ([], [key]), 20)
    await until(lambda: stage.open_chat.running is None, 20)
    stage.working.actions.run("undo")
    await until(lambda: not stage.open_chat.conversation.tuning.edits, 20)
    assert stage.window.toast.accessibleName() == "Undone in a version that isn’t shown: Edit an answer"
    await stage.close()


@in_qt_loop
async def test_what_was_typed_is_there_again_after_another_chat(data, tmp_path):
    stage = await talked(data, tmp_path)
    answer(stage).edit()
    await until(lambda: answer(stage).editor() is not None)
    editor = answer(stage).editor()
    assert editor is not None
    assert not answer(stage).head.words().edited, "nothing is, as long as the editor is only open"
    editor.text.setPlainText("Half a thought")
    await stage.workbench.dispatch(StartChat("other", stage.open_chat.chat.settings))
    stage.session.open_chat("other")
    await until(lambda: stage.session.chat_id == "other")
    stage.session.open_chat("talk")
    await until(lambda: stage.session.chat_id == "talk" and answer(stage).editor() is not None)
    again = answer(stage).editor()
    assert again is not None
    assert again.text.toPlainText() == "Half a thought"
    QTest.keyClick(again.text, Qt.Key.Key_Escape)
    QTest.keyClick(again.text, Qt.Key.Key_Escape)
    await until(lambda: answer(stage).editor() is None)
    assert not stage.open_chat.conversation.tuning.edits
    await stage.close()


@in_qt_loop
async def test_a_side_question_is_asked_by_its_key_shown_listed_and_made_a_turn(data, tmp_path):
    stage = await talked(data, tmp_path)
    chat = stage.window.chat
    assert chat.side.isHidden()
    chat.composer.text.setPlainText("Which Python version added asyncio.timeout?")
    await until(lambda: stage.open_chat.draft != "" and stage.open_chat.view is not None)
    await until(lambda: chat.composer._send_state(chat.composer._request(None))[0] == "ready")
    stage.working.actions.run("ask-side")
    await until(lambda: len(stage.open_chat.sides) == 1 and stage.open_chat.running is None)
    await until(lambda: not chat.side.isHidden() and not chat.side.make.isHidden())
    assert chat.composer.text.text() == ""
    assert len(stage.open_chat.records) == 4
    assert chat.side.body.source
    assert "asyncio.timeout" in chat.side.question.text()
    page = stage.window.inspector.layers
    assert len(page.sides.lines) == 1
    assert not page.sides.isHidden()
    stage.window.resize(1600, 1000)
    await until(lambda: stage.window.width() == 1600)
    picture(stage, "side-card")
    chat.side.close_word.click()
    assert chat.side.isHidden()
    page.sides.lines[0].click()
    await until(lambda: not chat.side.isHidden())
    chat.side.make.click()
    await until(lambda: len(stage.open_chat.records) == 6 and not stage.open_chat.sides)
    await until(chat.side.isHidden)
    await stage.close()
