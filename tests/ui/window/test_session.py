"""A window over an engine: which chat is in view, steps, deletions, and what is said."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from PySide6.QtWidgets import QApplication

from tests.fakes.desks import PaperDesk
from tests.fakes.engine import SETTINGS
from tests.fakes.qt_loop import in_qt_loop, until
from workbench.engine.intents import AttachText, DeleteChat, OpenChat
from workbench.engine.workbench import Workbench
from workbench.ui.look.appearance import Appearance
from workbench.ui.memory import WindowMemory
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.working import Working


@asynccontextmanager
async def at_work(*, fresh: bool = True) -> AsyncIterator[Working]:
    desk = PaperDesk().desk()
    store = await desk.open(None)
    world = desk.world(store, lambda name, error: None)
    workbench, memory = Workbench(world), WindowMemory(None)
    window = MainWindow(memory)
    window.show()
    working = Working(window, workbench, world.tasks, desk, (memory, Appearance(QApplication.instance())))
    await working.begin(fresh)
    await until(lambda: working.session.chat is not None)
    yield working
    working.close()
    await workbench.close()
    window.let_go()
    window.deleteLater()


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
        session._restore(gone)
        await until(lambda: session.chat_id == gone)


@in_qt_loop
async def test_settings_are_changed_undone_and_done_again(qapp):
    async with at_work() as working:
        session = working.session
        other = replace(SETTINGS, context_window=5_000)
        session.change_settings(other, "Smaller")
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
