"""A window over an engine: which chat is in view, steps, deletions, and what is said."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from tests.fakes.engine import SETTINGS
from tests.fakes.exports import chatgpt
from tests.fakes.given import PaperGiven
from tests.fakes.qt_loop import in_qt_loop, until
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.intents import AttachText, DeleteChat, OpenChat, RenameChat, SendMessage
from workbench.engine.program_intents import ChangePreferences, ImportChats, UndoImport
from workbench.engine.state import ChatState, RunningTurn
from workbench.engine.workbench import Workbench
from workbench.engine.world import World
from workbench.sources.exchange_files import FolderExchange
from workbench.ui.given import Given
from workbench.ui.look.appearance import Appearance
from workbench.ui.memory import WindowMemory
from workbench.ui.steps import Step, apply_settings, nudge_priority
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.session import LAST_CHAT, Session
from workbench.ui.window.working import Working
from workbench.ui.wishes import DeleteChats


@asynccontextmanager
async def at_work(
    *, fresh: bool = True, given: Given | None = None, memory: WindowMemory | None = None
) -> AsyncIterator[Working]:
    given = given or PaperGiven().given()
    store = await given.open(None)
    world = given.world(store, lambda name, error: None)
    workbench, memory = Workbench(world), memory or WindowMemory(None)
    window = MainWindow(memory)
    window.show()
    working = Working(window, workbench, world.tasks, given, (memory, Appearance(QApplication.instance())))
    try:
        await working.begin(fresh)
        await until(lambda: working.session.chat is not None)
        yield working
    finally:
        working.close()
        await workbench.close()
        window.let_go()
        window.deleteLater()


def change(session: Session, settings: ContextSettings, title: str) -> None:
    """Change the settings of the chat in view, undoably."""
    assert session.chat is not None
    session.do_step(apply_settings(session.chat, settings, title))


@in_qt_loop
async def test_the_chat_in_view_is_written_down_when_it_is_shown(qapp, tmp_path: Path):
    """A program that was killed opened the chat before: it was written when the window lost the focus."""
    async with at_work(memory=WindowMemory(tmp_path / "window.ini")) as working:
        first = working.session.chat_id
        working.session.start_chat()
        await until(lambda: working.session.chat_id not in ("", first))
        shown = working.session.chat_id
        await until(lambda: WindowMemory(tmp_path / "window.ini").text_of(LAST_CHAT) == shown)


@in_qt_loop
async def test_the_chat_in_view_is_the_one_that_was_asked_for_last(qapp):
    async with at_work() as working:
        session = working.session
        first = session.chat_id
        session.start_chat()
        await until(lambda: session.chat_id not in ("", first))
        second = session.chat_id
        session.send(OpenChat(first))
        session.send(OpenChat(second))
        session.send(OpenChat(first))
        await until(lambda: session.chat_id == first)
        assert first in session.state.open


@in_qt_loop
async def test_a_deleted_chat_is_gone_from_view_and_can_be_brought_back(qapp):
    async with at_work() as working:
        session = working.session
        gone = session.chat_id
        session.send(DeleteChat(gone))
        await until(lambda: all(chat.id != gone for chat in session.state.chats))
        assert session.chat is None
        session._restore((gone,))
        await until(lambda: session.chat_id == gone)


def _other_than(session: Session, chat: str) -> bool:
    return session.chat_id not in ("", chat)


@in_qt_loop
async def test_several_chats_are_deleted_and_brought_back_with_one_press(qapp):
    async with at_work() as working:
        session = working.session
        for _ in range(3):
            before = session.chat_id
            session.start_chat(then=lambda chat: (AttachText(chat, "t", "Note"),))
            await until(partial(_other_than, session, before))
        await until(lambda: len(session.state.chats) == 4)
        gone = [chat.id for chat in session.state.chats][:3]
        working.actions.run(DeleteChats(tuple(gone)))
        await until(lambda: len(session.state.chats) == 1)
        assert session.window.toast.text() == "3 chats deleted"
        session.window.toast._act()
        await until(lambda: len(session.state.chats) == 4)
        await until(lambda: session.chat_id == gone[0])


@in_qt_loop
async def test_a_temporary_chat_says_that_it_is_not_saved_and_closing_it_offers_to_keep_it(qapp):
    async with at_work() as working:
        session, window = working.session, working.session.window
        first = session.chat_id
        assert window.chat.temporary.isHidden()
        assert not working.actions.allowed("keep-chat")
        working.actions.run("new-temporary-chat")
        await until(partial(_other_than, session, first))
        temporary = session.chat_id
        window.close()  # there is nothing in it to be lost
        assert window.toast.text() == ""
        session.send(SendMessage(temporary, "Only between us."))
        await until(lambda: any(one.id == temporary and one.used_utc for one in session.state.chats))
        await until(
            lambda: session.chat is not None and session.chat.running is None
        )  # else it can't be kept yet
        assert not window.chat.temporary.isHidden()
        lines = window.left.chats.chats.lines()
        await until(lambda: lines.row_of(temporary) >= 0)
        line = lines.item(lines.index_of(temporary))
        assert line is not None
        assert "temporary, not saved" in lines.spoken_of(line)
        assert session.memory.text_of(LAST_CHAT) != temporary
        window.close()
        assert window.toast.text() == "A temporary chat isn’t saved. Keep it, or close."
        working.actions.run("delete-chat")
        await until(lambda: all(one.id != temporary for one in session.state.chats))
        assert window.toast.text() == "The temporary chat is closed, and not saved."
        assert window.toast.action.word() == "Keep this chat"
        window.toast._act()
        await until(lambda: session.chat is not None and session.chat_id == temporary)
        await until(lambda: session.chat is not None and not session.chat.chat.filed.temporary)
        await until(window.chat.temporary.isHidden)


@in_qt_loop
async def test_settings_are_changed_undone_and_done_again(qapp):
    async with at_work() as working:
        session = working.session
        other = replace(SETTINGS, context_window=5_000)
        change(session, other, "Smaller")
        await until(lambda: session.chat is not None and session.chat.chat.settings == other)
        assert session.undo.undo_text() == "Smaller"
        working.actions.run("undo")
        await until(lambda: session.chat is not None and session.chat.chat.settings != other)
        working.actions.run("redo")
        await until(lambda: session.chat is not None and session.chat.chat.settings == other)


@in_qt_loop
async def test_what_is_refused_is_told(qapp):
    async with at_work() as working:
        working.session.send(AttachText("no such chat", "x"))
        await until(lambda: bool(working.session.window.toast.text()))


@in_qt_loop
async def test_a_trial_is_shown_and_ended(qapp):
    async with at_work() as working:
        session = working.session
        session.try_settings(replace(SETTINGS, context_window=5_000))
        await until(lambda: session.chat is not None and session.chat.trial is not None)
        session.try_settings(None)
        await until(lambda: session.chat is not None and session.chat.trial is None)


@in_qt_loop
async def test_a_refusal_of_something_else_gives_no_sent_words_back(qapp):
    """Any refusal did, so that the same question could be sent twice."""
    async with at_work() as working:
        session, composer = working.session, working.session.window.chat.composer
        composer.text.setPlainText("Well?")
        await until(lambda: session.chat is not None and session.chat.draft == "Well?")
        composer.send()
        session.send(RenameChat("no-such-chat", "x"))
        assert composer.text.text() == ""
        await until(lambda: session.chat is not None and session.chat.ended is not None)
        assert (composer.text.text(), session.chat.draft if session.chat else None) == ("", "")


@in_qt_loop
async def test_the_words_of_a_refused_question_are_in_the_composer_again(qapp):
    async with at_work() as working:
        session, composer = working.session, working.session.window.chat.composer
        change(session, replace(SETTINGS, context_window=30), "Tiny")
        await until(lambda: session.chat is not None and session.chat.chat.settings.context_window == 30)
        session.send(SendMessage(session.chat_id, "long " * 50, drafted=True))
        await until(lambda: composer.text.text() == "long " * 50)


@in_qt_loop
async def test_priority_keys_pressed_quickly_each_count(qapp):
    """Each was reckoned from the last state that was drawn, so that most of them were lost."""
    async with at_work() as working:
        session = working.session
        session.send(AttachText(session.chat_id, "words " * 40, "a.md"))
        await until(lambda: session.chat is not None and len(session.chat.conversation.attached) > 0)
        drawn = session.chat
        assert drawn is not None
        key = drawn.conversation.attached[-1].key
        old = drawn.conversation.attached[-1].priority
        for _ in range(3):
            session.do_step(nudge_priority(drawn, (key,), 1))
        await until(lambda: not session.bridge.pending())
        assert _priority(session.chat, key) == old + 3
        for _ in range(3):
            working.actions.run("undo")
        await until(lambda: not session.bridge.pending())
        assert _priority(session.chat, key) == old


def _priority(chat: ChatState | None, key: str) -> int:
    assert chat is not None
    return next(artifact.priority for artifact in chat.conversation.attached if artifact.key == key)


@in_qt_loop
async def test_a_refused_step_cannot_be_taken_back(qapp):
    async with at_work() as working:
        session = working.session
        wrong = RenameChat("no-such-chat", "x")
        session.do_step(Step(session.chat_id, "Nothing", (wrong,), (wrong,)))
        await until(lambda: session.undo.undo_text() == "")


@in_qt_loop
async def test_what_is_attached_without_a_chat_begins_one(qapp):
    """The choice in the file dialog was dropped without a word."""
    async with at_work() as working:
        session = working.session
        session.send(DeleteChat(session.chat_id))
        await until(lambda: session.chat is None)
        session.send_in_chat(lambda chat: (AttachText(chat, "notes"),))
        await until(lambda: session.chat is not None and len(session.chat.conversation.attached) == 1)


@in_qt_loop
async def test_the_undo_steps_of_a_deleted_chat_are_gone(qapp):
    async with at_work() as working:
        session = working.session
        change(session, replace(SETTINGS, context_window=5_000), "Smaller")
        gone = session.chat_id
        session.send(DeleteChat(gone))
        assert gone not in session.undo._stacks


@in_qt_loop
async def test_new_chats_have_the_tools_that_are_switched_on(qapp):
    """Settings > Tools had no effect: new chats always started without."""
    async with at_work() as working:
        session = working.session
        asked: list[bool] = []
        make = session.given.new_chat_settings

        def noted(tools: bool) -> ContextSettings:
            asked.append(tools)
            return make(tools)

        session.given = replace(session.given, new_chat_settings=noted)
        session.start_chat()
        await until(lambda: bool(session.chat_id))  # until it is in view, another start is the same one
        session.send(ChangePreferences(replace(session.state.preferences, tools_enabled=("read",))))
        await until(lambda: session.state.preferences.tools_enabled == ("read",))
        session.start_chat()
        await until(lambda: not session.bridge.pending())
        assert asked == [False, True]


@in_qt_loop
async def test_an_import_that_is_undone_takes_the_chat_in_view_along(qapp, tmp_path):
    (tmp_path / "c.json").write_bytes(chatgpt())
    given = PaperGiven().given()

    def world_of(*arguments: Any) -> World:
        return replace(given.world(*arguments), exchange=FolderExchange())

    async with at_work(given=replace(given, world=world_of)) as working:
        session = working.session
        before = {chat.id for chat in session.state.chats}
        session.send(ImportChats("j", (str(tmp_path / "c.json"),)))
        await until(lambda: any(job.state == "done" for job in session.state.jobs))
        (brought,) = session.state.jobs[-1].chats
        session.send(OpenChat(brought))
        await until(lambda: session.chat is not None and session.chat_id == brought)
        session.send(UndoImport("j"))
        assert session.chat_id == ""
        await until(lambda: session.state.jobs[-1].undone and brought not in session.state.open)
        await until(lambda: {chat.id for chat in session.state.chats} == before)


@in_qt_loop
async def test_an_answer_that_grows_is_shown_in_the_chat_alone(qapp, monkeypatch):
    """All panes looked at every state, thirty times a second, of which none but the chat shows the answer."""
    async with at_work() as working:
        session = working.session
        session.send(SendMessage(session.chat_id, "What is a lock?"))
        await until(lambda: session.chat is not None and session.chat.ended is not None)
        state, chat = session.state, session.chat
        assert chat is not None
        drawn: list[str] = []
        monkeypatch.setattr(session, "redraw", lambda: drawn.append("all"))
        monkeypatch.setattr(session.window.chat, "show_growth", lambda *_: drawn.append("growth"))
        running = RunningTurn(2, "q")
        for now in (
            running,
            grown := replace(running, text="A lock"),
            replace(grown, text="A lock is"),
            thought := replace(grown, thinking="Hm"),
            retried := replace(thought, progress="reading"),
            replace(retried, side=True, text="A"),
            None,
        ):
            session.show_state(replace(state, open={chat.chat.id: replace(chat, running=now)}))
        assert drawn == ["all", "growth", "growth", "growth", "all", "all", "all"]
