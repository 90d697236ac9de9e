"""Several windows over one engine: chats, drafts, keys, the lock, closing, and what comes back at the next start."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.fakes.chat_model import Forever
from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.given import RIGHT, PaperGiven
from tests.fakes.qt_loop import in_qt_loop, until
from tests.ui.window.test_session import at_work
from workbench.domain.answer import TextGrew
from workbench.domain.record import Chat
from workbench.engine.events import NoticeGiven
from workbench.engine.intents import SendMessage
from workbench.sources.exchange_files import FolderExchange
from workbench.ui.chat.pasting import can_take
from workbench.ui.chats.lines import ChatLine
from workbench.ui.dialogs.crash_report import CrashDialog
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.memory import WindowMemory
from workbench.ui.steps import rename
from workbench.ui.window.dragging import DraggedFiles
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.session import LAST_CHAT, Session
from workbench.ui.window.working import Working
from workbench.ui.wishes import ShowChat


@asynccontextmanager
async def with_chats(*titles: str, memory: WindowMemory | None = None) -> AsyncIterator[Working]:
    """A program whose chats have these titles for ids; the first one is in view, and answers go on for ever."""
    paper = PaperGiven()
    for at, title in enumerate(titles):
        await paper.store.create_chat(Chat(title, f"2026-01-01T00:00:{59 - at}Z", title, SETTINGS))
    world = fake_world([TextGrew("It begins "), Forever()], store=paper.store, exchange=FolderExchange())
    given, memory = paper.given(world=lambda store, report: world), memory or WindowMemory(None)
    memory.keep(LAST_CHAT, titles[0])
    async with at_work(fresh=False, given=given, memory=memory) as working:
        await until(lambda: working.session.chat is not None and working.session.chat.view is not None)
        yield working


async def opened(working: Working, chat: str) -> Session:
    """Open a chat in a window of its own, and wait until it is there."""
    working.actions.run(ShowChat(chat, new_window=True))
    session = working.windows.all[-1].session
    await until(lambda: session.chat is not None and session.chat.view is not None)
    return session


def line(session: Session, chat: str) -> ChatLine:
    lines = session.window.left.chats.chats.lines()
    found = lines.item(lines.index(lines.row_of(chat)))
    assert isinstance(found, ChatLine)
    return found


async def settle(*sessions: Session) -> None:
    """Let everything that was sent be done and drawn."""
    await until(lambda: not any(session.bridge.pending() for session in sessions))
    await asyncio.sleep(0.05)


class Paints(QObject):
    """Counts what is painted in a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.count = 0
        children: list[QWidget] = list(window.findChildren(QWidget))
        for widget in children:
            widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


@in_qt_loop
async def test_a_chat_in_a_window_of_its_own_goes_on_when_it_is_closed(qapp: QApplication):
    async with with_chats("one", "two") as working:
        first, second = working.session, await opened(working, "two")
        assert (first.chat_id, second.chat_id) == ("one", "two")
        assert not second.window.left.isVisible()
        assert not second.window.rail.isVisible()
        assert not second.window.inspector.isVisible()
        second.window.chat.head.request.click()
        await until(second.window.inspector.isVisible)
        assert line(first, "two").elsewhere
        assert not line(first, "one").elsewhere
        second.send(SendMessage("two", "Well?"))
        await until(lambda: "two · answering" in second.window.windowTitle())
        second.window.close()
        await until(lambda: len(working.windows.all) == 1 and "two" not in first.state.open)
        assert first.state.away["two"].question
        assert not line(first, "two").elsewhere
        assert line(first, "two").running
        first.open_chat("two")
        await until(lambda: first.chat is not None and first.chat.chat.id == "two")
        assert first.chat is not None
        assert first.chat.running is not None


@in_qt_loop
async def test_a_middle_click_and_a_key_open_windows(qapp: QApplication):
    async with with_chats("one", "two") as working:
        view, windows = working.session.window.left.chats.chats, working.windows
        box = view.visualRect(view.lines().index(view.lines().row_of("two")))
        QTest.mouseClick(view.viewport(), Qt.MouseButton.MiddleButton, pos=box.center())
        await until(lambda: [one.session.chat_id for one in windows.all] == ["one", "two"])
        working.session.window.activateWindow()
        await until(lambda: windows.front.session is working.session)
        working.session.window.chat.composer.text.setFocus()
        keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        QTest.keyClick(working.session.window.chat.composer.text, Qt.Key.Key_N, keys)
        await until(lambda: [one.session.chat_id for one in windows.all] == ["one", "two", "one"])


@in_qt_loop
async def test_one_draft_in_two_windows_loses_no_letter_and_moves_no_cursor(qapp: QApplication):
    async with with_chats("one") as working:
        first, second = working.session, await opened(working, "one")
        here, there = (session.window.chat.composer.text for session in (first, second))
        QTest.keyClicks(here, "brown fox")
        await until(lambda: there.text() == "brown fox")
        assert there.textCursor().position() == 9, "whoever goes on here goes on at the end"
        cursor = there.textCursor()
        cursor.setPosition(5)
        there.setTextCursor(cursor)
        QTest.keyClicks(here, " jumps")
        await until(lambda: there.text() == "brown fox jumps")
        assert there.textCursor().position() == 5
        cursor = here.textCursor()
        cursor.setPosition(0)
        here.setTextCursor(cursor)
        QTest.keyClicks(here, "quick ")
        await until(lambda: there.text() == "quick brown fox jumps")
        assert there.textCursor().position() == 11
        working.windows._set_front(working.windows.all[1])
        QTest.keyClicks(there, "er")
        working.windows._set_front(working.windows.all[0])
        await until(lambda: here.text() == "quick browner fox jumps")
        assert here.textCursor().position() == 6
        for word in "abc":  # faster than the engine is told
            QTest.keyClicks(here, word)
            QTest.keyClicks(there, word.upper())
        assert here.text() == there.text()
        assert sorted(here.text()) == sorted("quick browner fox jumpsabcABC")
        await settle(first, second)
        assert first.chat is not None
        assert first.chat.draft == here.text() == there.text()
        there.setPlainText("quick browner fox jumps")
        await until(lambda: here.text() == "quick browner fox jumps")
        second.window.close()
        await until(lambda: len(working.windows.all) == 1)
        assert "one" in first.state.open, "the first window still shows it"
        await until(lambda: first.chat is not None and first.chat.draft == "quick browner fox jumps")


@in_qt_loop
async def test_a_key_repaints_no_other_window(qapp: QApplication):
    async with with_chats("one", "two") as working:
        first, second = working.session, await opened(working, "two")
        await settle(first, second)
        drawn: list[str] = []
        first.rendered.connect(lambda: drawn.append("first"))
        second.rendered.connect(lambda: drawn.append("second"))
        first.window.chat.composer.text.setFocus()
        await settle(first, second)
        drawn.clear()
        paints = Paints(second.window)
        QTest.keyClicks(first.window.chat.composer.text, "words")
        await until(lambda: first.chat is not None and first.chat.draft == "words")
        await settle(first, second)
        assert "first" in drawn
        assert (drawn.count("second"), paints.count) == (0, 0)


@in_qt_loop
async def test_keys_run_in_the_window_in_front(qapp: QApplication):
    """Two windows with the same shortcut made Qt run neither."""
    async with with_chats("one", "two") as working:
        first, second = working.session, await opened(working, "two")
        for session, other in ((second, first), (first, second)):
            session.window.activateWindow()
            await until(lambda: working.windows.front.session is session)  # noqa: B023
            other.window.chat.finder.close()
            session.window.chat.composer.text.setFocus()
            QTest.keyClick(
                session.window.chat.composer.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier
            )
            await until(session.window.chat.finder.is_open)
            assert not other.window.chat.finder.is_open()


@in_qt_loop
async def test_a_step_of_one_window_is_undone_in_another(qapp: QApplication):
    async with with_chats("one") as working:
        first, second = working.session, await opened(working, "one")
        assert first.chat is not None
        first.do_step(rename(first.chat, "Renamed"))
        await until(lambda: "Renamed" in second.window.windowTitle())
        assert second.undo.undo()
        await until(lambda: "one" in first.window.windowTitle())
        assert not first.undo.undo_text()


@in_qt_loop
async def test_what_is_said_is_said_once_in_the_window_it_is_about(qapp: QApplication):
    async with with_chats("one", "two") as working:
        first, second = working.session, await opened(working, "two")
        emit = working._workbench._states.emit
        emit(NoticeGiven("two", "About the second"))
        await until(lambda: second.window.toast.text() == "About the second")
        assert first.window.toast.text() == ""
        front, other = (first, second) if working.windows.front.session is first else (second, first)
        before = other.window.toast.text()
        emit(NoticeGiven(None, "About none"))
        await until(lambda: front.window.toast.text() == "About none")
        assert other.window.toast.text() == before
        working.windows.crash("Something broke")
        shown = [one for one in QApplication.topLevelWidgets() if isinstance(one, CrashDialog)]
        assert [one.parentWidget() for one in shown] == [front.window]
        shown[0].close()


@in_qt_loop
async def test_the_lock_covers_all_windows_and_opens_them_together(qapp: QApplication):
    async with with_chats("one", "two") as working:
        first, second = working.session, await opened(working, "two")
        working.windows.lock()
        await until(lambda: any(isinstance(one, UnlockDialog) for one in QApplication.topLevelWidgets()))
        for session in (first, second):
            assert session.window.is_covered()
            assert session.window.windowTitle() == "Context Workbench"
        assert first.window.isVisible() + second.window.isVisible() == 1
        unlock = next(one for one in QApplication.topLevelWidgets() if isinstance(one, UnlockDialog))
        unlock.tried.emit(RIGHT)
        await until(lambda: first.window.isVisible() and second.window.isVisible())
        await until(lambda: "two" in second.window.windowTitle() and "one" in first.window.windowTitle())


@in_qt_loop
async def test_a_deleted_chat_takes_its_window_with_it(qapp: QApplication):
    async with with_chats("one", "two") as working:
        await opened(working, "two")
        working.session.delete_chats(("two",))
        await until(lambda: len(working.windows.all) == 1)
        third = await opened(working, "one")
        third.delete_chats(("one",))
        await until(lambda: working.session.chat is None and not working.session.state.open)


@in_qt_loop
async def test_windows_come_back_at_the_next_start_those_that_were_closed_do_not(
    qapp: QApplication, tmp_path: Path
):
    place = tmp_path / "window.ini"
    qapp.setQuitOnLastWindowClosed(False)
    async with with_chats("one", "two", "three", memory=WindowMemory(place)) as working:
        second = await opened(working, "two")
        second.window.setGeometry(140, 90, 610, 520)
        (await opened(working, "three")).window.close()
        await until(lambda: len(working.windows.all) == 2)
        working.windows.open("two")
        assert len(working.windows.all) == 2, "it has its window"
    async with with_chats("one", "two", "three", memory=WindowMemory(place)) as working:
        await until(lambda: len(working.windows.all) == 2)
        again = working.windows.all[1].session
        await until(lambda: again.chat_id == "two")
        assert again.window.geometry().getRect() == (140, 90, 610, 520)
        assert working.session.chat_id == "one"
        # The first window is only hidden while there is another one; the last one ends the program.
        working.session.window.close()
        assert not working.session.window.isVisible()
        ends: list[Any] = []
        working.session.window.closing.connect(lambda: ends.append(1))
        again.window.close()
        assert ends == [1]


@in_qt_loop
async def test_chats_are_dragged_as_markdown_files_that_only_their_owner_reads(qapp: QApplication):
    async with with_chats("one", "two") as working:
        view, dragged = working.session.window.left.chats.chats, DraggedFiles(working.session)
        found: list[list[str]] = []
        # As from the mouse: not within a task, which could not go on while another one waits in it.
        QTimer.singleShot(0, lambda: found.append(dragged.files_of(("one", "two"))))
        await until(lambda: bool(found))
        paths = [Path(path) for path in found[0]]
        assert [path.name for path in paths] == ["2026-01-01-one.md", "2026-01-01-two.md"]
        assert "# one" in paths[0].read_text(encoding="utf-8")
        if os.name == "posix":
            assert [stat.S_IMODE(path.stat().st_mode) for path in (paths[0], paths[0].parent)] == [
                0o600,
                0o700,
            ]
        view.lines().files = found[0]
        data = view.lines().mimeData([view.lines().index(view.lines().row_of("one"))])
        assert [Path(url.toLocalFile()) for url in data.urls()] == paths
        assert not can_take(data), "dropped on a chat of ours, it is no attachment"
        await until(lambda: not working.session.state.jobs)
        dragged.remove()
        assert not paths[0].parent.exists()


@in_qt_loop
async def test_what_was_spent_is_kept_up_to_date_while_any_window_shows_it(qapp: QApplication):
    async with with_chats("one", "two") as working:
        first, second = working.session, await opened(working, "two")
        for window in (first.window, second.window):
            window.wishes.run("spend")
        await until(lambda: first.state.spending is not None)
        first.window.wishes.run("spend")
        await settle(first, second)
        assert first.state.spending is not None
        second.window.close()
        await until(lambda: first.state.spending is None)
