"""The real window over a real store and a real engine: what a person does in the first hour."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextEdit

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.widgets import all_of
from tests.fakes.window_stage import PASSPHRASE, WindowStage, dialog, folder_given, scripted_folder
from workbench.engine.intents import ChangeSettings, OpenTurn, SendMessage
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.pane import Match
from workbench.ui.dialogs.protect import ProtectDialog, RecoveryCodeDialog
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.given import Choice
from workbench.ui.program.app import FirstPaint, run_until_closed
from workbench.ui.program.system import SingleInstance
from workbench.ui.widgets.floating import Scrim
from workbench.ui.window.main_window import MainWindow
from workbench.ui.wishes import ShowFound

RESOURCES = Path(__file__).parents[3] / "resources"


pytestmark = pytest.mark.usefixtures("no_window_left")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder whose new chats are answered with more than words."""
    return scripted_folder(tmp_path, "The **first** answer.\n\n```python\nprint('hello')\n```\n")


async def type_and_send(stage: WindowStage, words: str) -> None:
    editor = stage.window.chat.composer.text
    editor.setFocus()
    QTest.keyClicks(editor, words)
    await stage.until_chat(lambda chat: chat.draft == words)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    await stage.until_chat(lambda chat: chat.running is None and chat.ended is not None)


def shown_texts(stage: WindowStage) -> str:
    """Everything that stands in the transcript as text."""
    editors = all_of(QTextEdit, stage.window.chat.transcript)
    return "\n".join(editor.toPlainText() for editor in editors)


@in_qt_loop
async def test_a_first_start_makes_the_store_shows_the_code_and_the_sample(qapp, tmp_path: Path):
    given = folder_given(tmp_path / "data")
    life = asyncio.get_running_loop().create_task(
        run_until_closed(given, FirstPaint(RESOURCES, None), SingleInstance(str(tmp_path)))
    )
    protect = await dialog(ProtectDialog)
    assert isinstance(protect, ProtectDialog)
    protect.typed.setChecked(True)
    protect.keyring.setChecked(False)
    protect.fields.first.setText(PASSPHRASE.reveal_text())
    protect.fields.again.setText(PASSPHRASE.reveal_text())
    protect.go_on.click()
    shown = await dialog(RecoveryCodeDialog)
    assert isinstance(shown, RecoveryCodeDialog)
    assert len(shown.words.text()) > 20
    shown.check.setChecked(True)
    shown.go_on.click()
    window = await dialog(MainWindow)
    assert isinstance(window, MainWindow)
    await until(lambda: "Sample" in window.windowTitle())
    assert [veil for veil in all_of(Scrim, window) if veil.isVisible()] == []
    window.close()
    assert await life == 0


@in_qt_loop
async def test_whoever_looks_around_first_sees_the_sample_at_once_and_keeps_it_later(qapp, tmp_path: Path):
    given = folder_given(tmp_path / "data")
    life = asyncio.get_running_loop().create_task(
        run_until_closed(given, FirstPaint(RESOURCES, None), SingleInstance(str(tmp_path)))
    )
    protect = await dialog(ProtectDialog)
    assert isinstance(protect, ProtectDialog)
    protect.look.click()
    window = await dialog(MainWindow)
    assert isinstance(window, MainWindow)
    await until(lambda: "Sample" in window.windowTitle())
    assert window.chat.looking.isVisible()
    assert not given.store_exists()
    window.wishes.intent.emit(SendMessage("nowhere", "written while looking"))
    window.close()
    await until(lambda: "aren’t saved" in window.toast.accessibleName())
    window.chat.looking.keep.click()
    later = await dialog(ProtectDialog)
    assert isinstance(later, ProtectDialog)
    later.chosen.emit(Choice(PASSPHRASE, keyring=False))
    shown = await dialog(RecoveryCodeDialog)
    assert isinstance(shown, RecoveryCodeDialog)
    shown.kept.emit()
    await until(lambda: not window.chat.looking.isVisible())
    window.close()
    assert await life == 0
    store = await folder_given(tmp_path / "data").open(PASSPHRASE)
    assert [chat.title for chat in await store.chats()] == ["Sample: three turns"]
    await store.close()


@in_qt_loop
async def test_a_wrong_passphrase_is_said_and_the_right_one_opens(qapp, folder: Path):
    stage = await WindowStage.open(folder)
    title = stage.open_chat.chat.title
    await stage.close()
    life = asyncio.get_running_loop().create_task(
        run_until_closed(folder_given(folder), FirstPaint(RESOURCES, None), SingleInstance(str(folder)))
    )
    unlock = await dialog(UnlockDialog)
    assert isinstance(unlock, UnlockDialog)
    unlock.secret.setText("wrong")
    unlock.go_on.click()
    await until(lambda: unlock.problem.isVisible() and unlock.go_on.isEnabled())
    unlock.secret.setText(PASSPHRASE.reveal_text())
    unlock.go_on.click()
    window = await dialog(MainWindow)
    await until(lambda: title in window.windowTitle())
    window.close()
    assert await life == 0


@in_qt_loop
async def test_attach_type_watch_send_tune_undo_reload_and_find(qapp, folder: Path, tmp_path: Path):
    """The whole path: each step is seen in the inspector's own snapshot, and survives a restart."""
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nThe release is on Friday.\n" * 20, encoding="utf-8")
    stage = await WindowStage.open(folder)
    stage.session.start_chat()
    await stage.until_chat(lambda chat: not chat.records and not chat.attachments and chat.chat.title == "")

    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(notes))])
    assert stage.window.chat.composer.take(mime)
    chat = await stage.until_chat(lambda chat: len(chat.attachments) == 1)
    assert chat.view is not None
    attached_tokens = chat.view.total_tokens

    editor = stage.window.chat.composer.text
    QTest.keyClicks(editor, "When is the release?")
    chat = await stage.until_chat(
        lambda chat: chat.view is not None and chat.view.total_tokens > attached_tokens
    )
    assert stage.window.inspector.block.bar.bar().total_tokens == chat.view.total_tokens  # type: ignore[union-attr]

    QTest.keyClick(editor, Qt.Key.Key_Return)
    chat = await stage.until_chat(lambda chat: chat.ended is not None and len(chat.records) == 2)
    chat = await stage.until_chat(lambda chat: chat.draft == "")
    assert chat.turns[-1].state == "complete"
    assert "The first answer." in shown_texts(stage)

    from workbench.ui import steps

    stage.session.do_step(steps.pin(chat, [chat.attachments[0].key], True))
    await stage.until_chat(lambda chat: chat.attachments[0].pinned)
    stage.working.actions.run("undo")
    await stage.until_chat(lambda chat: not chat.attachments[0].pinned)
    stage.working.actions.run("redo")
    await stage.until_chat(lambda chat: chat.attachments[0].pinned)

    stage.working.actions.run("regenerate")
    chat = await stage.until_chat(lambda chat: any(len(ids) == 2 for ids in chat.versions.values()))
    await stage.close()
    assert stage.crashes == []
    await reopen_and_find(folder, chat.chat.id)


def is_found(stage: WindowStage, words: str) -> bool:
    found = stage.session.state.found
    return found is not None and found.query == words and len(found.hits) > 0


async def open_found(stage: WindowStage, words: str) -> None:
    """Search all chats, and open the first hit."""
    stage.working.actions.run("search")
    field = stage.window.left.chats.search
    field.selectAll()
    QTest.keyClicks(field, words)
    await until(lambda: is_found(stage, words))
    await stage.settle()
    QTest.keyClick(field, Qt.Key.Key_Return)


async def reopen_and_find(folder: Path, kept: str) -> None:
    again = await WindowStage.open(folder)
    chat = await again.until_chat(lambda chat: chat.chat.id == kept)
    assert chat.attachments[0].pinned
    assert len(chat.records) == 2
    again.session.start_chat()
    await again.until_chat(lambda chat: chat.chat.id != kept)
    await open_found(again, "Friday")
    await again.until_chat(lambda chat: chat.chat.id == kept)
    preview = again.window.left.attachments.preview()
    assert preview is not None
    words = [one.cursor.selectedText() for one in preview.text.extraSelections()]  # type: ignore[attr-defined]
    assert words == ["Friday"] * 20
    preview.reject()
    again.session.start_chat()
    await again.until_chat(lambda chat: chat.chat.id != kept)
    await open_found(again, "hello")
    await again.until_chat(lambda chat: chat.chat.id == kept)
    finder = again.window.chat.finder
    assert finder.bar.count.text() == "1 of 1"
    assert finder.current() == Match(chat.records[-1].id, "text", 0)
    found = again.session.state.found
    assert found is not None
    aside = next(hit.subject for hit in found.hits if hit.subject not in {one.id for one in chat.records})
    again.working.actions.run(ShowFound(kept, aside, words=("hello",)))
    await again.until_chat(lambda chat: chat.records[-1].id == aside)
    await until(lambda: finder.current() == Match(aside, "text", 0))
    await again.close()
    assert again.crashes == []


@in_qt_loop
async def test_a_turn_is_opened_as_it_was_sent_and_compared(qapp, folder: Path):
    stage = await WindowStage.open(folder)
    await stage.new_chat()
    await type_and_send(stage, "One?")
    await type_and_send(stage, "Two?")
    stage.session.send(OpenTurn(stage.session.chat_id, 1))
    chat = await stage.until_chat(lambda chat: chat.opened is not None)
    assert chat.opened is not None
    assert (chat.opened.standing, chat.opened.turn) == ("sent", 1)
    assert chat.view is not None
    assert chat.view.diff() is not None
    wire = chat.view.wire()
    assert wire is not None
    assert "One?" in str(wire.body)
    await stage.close()
    assert stage.crashes == []


@in_qt_loop
async def test_a_request_that_does_not_fit_is_blocked_and_a_fix_makes_it_fit(
    qapp, folder: Path, tmp_path: Path
):
    big = tmp_path / "big.md"
    big.write_text("many words of a long file\n" * 3000, encoding="utf-8")
    stage = await WindowStage.open(folder)
    chat = await stage.new_chat()
    small = replace(chat.chat.settings, context_window=4_000, reserved_output_tokens=500)
    stage.session.send(ChangeSettings(chat.chat.id, small))
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(big))])
    stage.window.chat.composer.take(mime)
    chat = await stage.until_chat(lambda chat: len(chat.attachments) == 1)

    from workbench.ui import steps

    stage.session.do_step(steps.pin(chat, [chat.attachments[0].key], True))
    chat = await stage.until_chat(
        lambda chat: chat.view is not None and chat.view.over_tokens > 0 and bool(chat.fixes)
    )
    editor = stage.window.chat.composer.text
    QTest.keyClicks(editor, "Hello?")
    chat = await stage.until_chat(lambda chat: chat.draft == "Hello?" and bool(chat.fixes))
    QTest.keyClick(editor, Qt.Key.Key_Return)
    await stage.settle()
    assert stage.open_chat.running is None
    assert stage.open_chat.records == ()
    fitting = next(fix for fix in chat.fixes if fix.fits)
    stage.session.do_step(steps.apply_fix(chat, fitting, "Fix"))
    chat = await stage.until_chat(lambda chat: chat.view is not None and chat.view.over_tokens == 0)
    await stage.close()
    assert stage.crashes == []


@in_qt_loop
async def test_the_built_in_model_is_stopped_and_what_arrived_is_kept(qapp, tmp_path: Path):
    stage = await WindowStage.open(tmp_path / "data")
    chat = await stage.new_chat()
    short = replace(chat.chat.settings, reserved_output_tokens=400)
    stage.session.send(ChangeSettings(chat.chat.id, short))
    editor = stage.window.chat.composer.text
    asked = "Count from one to one hundred in words."
    QTest.keyClicks(editor, asked)
    # Enter sends nothing while the tokens are being counted.
    await stage.until_chat(lambda chat: chat.draft == asked and chat.view is not None)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    # A short answer may be whole before anybody looks.
    await stage.until_chat(lambda chat: chat.ended is not None or bool(chat.running and chat.running.text))
    stage.working.actions.run("stop")
    chat = await stage.until_chat(lambda chat: chat.running is None and chat.ended is not None)
    assert chat.ended is not None
    assert chat.ended.state in ("stopped", "complete")
    assert chat.ended.answer
    await stage.close()
    assert stage.crashes == []


@in_qt_loop
async def test_a_question_that_cannot_be_asked_stays_in_the_composer(qapp, folder: Path):
    """The words of a refused question were lost: the composer had let go of them before the engine had them."""
    stage = await WindowStage.open(folder)
    chat = await stage.new_chat()
    nobody = replace(chat.chat.settings, model="no-such-provider:nothing")
    stage.session.send(ChangeSettings(chat.chat.id, nobody))
    await stage.until_chat(lambda chat: chat.chat.settings.model == nobody.model and chat.view is not None)
    text = stage.window.chat.composer.text
    QTest.keyClicks(text, "Is anybody there?")
    await stage.until_chat(lambda chat: chat.draft == "Is anybody there?")
    QTest.keyClick(text, Qt.Key.Key_Return)
    await until(lambda: bool(stage.window.toast.text()) or stage.open_chat.ended is not None)
    await stage.settle()
    assert text.text() == "Is anybody there?"
    assert stage.open_chat.draft == "Is anybody there?"
    await stage.close()


@in_qt_loop
async def test_a_new_chat_is_in_the_list_with_its_title(qapp, folder: Path):
    stage = await WindowStage.open(folder)
    await stage.new_chat()
    await type_and_send(stage, "What is the meaning of this?")
    # The answer was there before the question was among the messages, and the question stayed out of sight.
    assert stage.window.chat.transcript.column.first == 0
    assert "What is the meaning of this?" in shown_texts(stage)
    await until(
        lambda: any(
            one.id == stage.session.chat_id and "meaning" in one.title for one in stage.session.state.chats
        )
    )
    await stage.close()


@in_qt_loop
async def test_coming_back_while_another_chat_loads_stays_where_one_is(qapp, folder: Path):
    stage = await WindowStage.open(folder)
    first = stage.session.chat_id
    stage.session.start_chat()
    await until(lambda: stage.session.chat_id not in ("", first))
    second = stage.session.chat_id
    stage.session.open_chat(first)
    stage.session.open_chat(second)
    await until(lambda: set(stage.session.state.open) == {second})
    assert stage.session.chat_id == second
    await stage.close()


@in_qt_loop
async def test_what_is_typed_right_after_new_chat_belongs_to_the_new_one(qapp, folder: Path):
    """It was appended to the draft of the chat before, and sent there."""
    stage = await WindowStage.open(folder)
    before = stage.session.chat_id
    draft = stage.open_chat.draft
    stage.working.actions.run("new-chat")
    text = stage.window.chat.composer.text
    QTest.keyClicks(text, "secret")
    QTest.keyClick(text, Qt.Key.Key_Return)
    chat = await stage.until_chat(lambda chat: chat.chat.id != before)
    await stage.settle()
    assert text.text() == "secret"
    assert chat.records == ()
    assert len([one for one in stage.session.state.chats if not one.title]) <= 1
    stage.session.open_chat(before)
    chat = await stage.until_chat(lambda chat: chat.chat.id == before)
    assert chat.draft == draft
    await stage.close()


@in_qt_loop
async def test_a_locked_window_shows_nothing_until_the_passphrase_and_loses_no_draft(qapp, folder: Path):
    """Also not by a key: commands do nothing while it is locked."""
    stage = await WindowStage.open(folder)
    await stage.new_chat()
    await type_and_send(stage, "A secret question?")
    QTest.keyClicks(stage.window.chat.composer.text, "half a thought")
    stage.session.send(ChangePreferences(replace(stage.session.state.preferences, lock_after_minutes=5)))
    await until(stage.working.lock.idle.isActive)
    assert stage.working.lock.idle.interval() == 5 * 60_000
    stage.working.lock.idle.timeout.emit()
    unlock = await dialog(UnlockDialog)
    assert isinstance(unlock, UnlockDialog)
    stage.session.redraw()
    assert not stage.window.chat.isVisible()
    assert stage.window.windowTitle() == "Context Workbench"
    assert not stage.working.actions.allowed("copy-answer")
    assert not stage.working.lock.idle.isActive()
    unlock.secret.setText("wrong")
    unlock.go_on.click()
    await until(lambda: unlock.problem.isVisible() and unlock.go_on.isEnabled())
    assert not stage.window.chat.isVisible()
    unlock.secret.setText(PASSPHRASE.reveal_text())
    unlock.go_on.click()
    await until(stage.window.chat.isVisible)
    assert stage.window.chat.composer.text.text() == "half a thought"
    assert "A secret question?" in stage.window.windowTitle()
    await until(stage.working.lock.idle.isActive)
    await stage.close()
    assert stage.crashes == []


@in_qt_loop
async def test_a_chat_is_forked_named_by_its_model_and_keys_are_changed(qapp, folder: Path):
    """The price of a title is said before it is asked for, and the rename can be taken back."""
    stage = await WindowStage.open(folder)
    chat = await stage.new_chat()
    await type_and_send(stage, "One?")
    await type_and_send(stage, "Two?")
    answer = stage.window.chat.transcript.column.view(stage.open_chat.records[1].id)
    assert isinstance(answer, AnswerView)
    answer.asked.emit("fork", stage.open_chat.records[1].id)
    forked = await stage.until_chat(lambda one: one.chat.id != chat.chat.id)
    assert (forked.chat.title, len(forked.records)) == ("One? (fork)", 2)

    toast = stage.window.toast
    stage.working.actions.run("write-title")
    await until(lambda: "for a title" in toast.text())
    assert "tokens" in toast.text()
    assert stage.open_chat.chat.title == "One? (fork)"
    toast.action.click()
    await stage.until_chat(lambda one: one.chat.title == "The first answer")
    stage.working.actions.run("undo")
    await stage.until_chat(lambda one: one.chat.title == "One? (fork)")

    chosen = replace(stage.session.state.preferences, shortcuts={"new-chat": "F9"})
    stage.session.send(ChangePreferences(chosen))
    await until(lambda: "(F9)" in stage.window.left.chats.new.toolTip())
    assert {one.id: one.shortcut for one in stage.working.actions.commands}["new-chat"] == "F9"
    await stage.close()
    assert stage.crashes == []
    again = await WindowStage.open(folder)
    await until(lambda: "(F9)" in again.window.left.chats.new.toolTip())
    await again.close()
