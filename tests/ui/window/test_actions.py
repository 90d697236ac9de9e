"""What every command does."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.widgets import all_of
from tests.ui.window.test_session import at_work, change
from workbench.ui.commands import specs
from workbench.ui.wishes import CommandId, ShowChat

CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


@in_qt_loop
async def test_every_command_of_the_list_is_one_that_does_something(qapp):
    async with at_work() as working:
        with_subject = {"settings", "export"}
        known = set(working.actions._named) | with_subject
        assert {spec.id for spec in specs()} - known == set()


@in_qt_loop
async def test_commands_need_what_they_are_about(qapp):
    async with at_work() as working:
        actions = working.actions
        assert actions.allowed("rename-chat")
        assert not actions.allowed("stop")
        assert not actions.allowed("undo")
        assert actions.allowed("palette")


@in_qt_loop
async def test_a_new_chat_is_begun_and_gone_back_from(qapp):
    async with at_work() as working:
        session = working.session
        first = session.chat_id
        working.actions.run("new-chat")
        await until(lambda: session.chat_id not in ("", first))
        working.actions.run(ShowChat(first))
        await until(lambda: session.chat_id == first)


@in_qt_loop
async def test_what_is_on_the_clipboard_is_attached(qapp):
    async with at_work() as working:
        QGuiApplication.clipboard().setText("many words\n" * 500)
        working.actions.run("attach-clipboard")
        await until(lambda: working.session.chat is not None and len(working.session.chat.attachments) == 1)


@in_qt_loop
async def test_the_menu_has_every_command(qapp):
    async with at_work() as working:
        made = working.actions.fill_menu(working.session.window)
        groups = all_of(QMenu, made)
        titles = [action.text() for group in groups for action in group.actions()]
        assert titles == [spec.title for spec in specs()]


@in_qt_loop
async def test_every_command_that_can_be_wished_for_is_done_by_something(qapp):
    async with at_work() as working:
        assert set(working.actions._named) == set(get_args(CommandId))


@in_qt_loop
async def test_undo_takes_back_tuning_where_nothing_is_typed_and_typing_where_something_is(qapp):
    """The lesson said Ctrl+Z, which took tuning back on one page of the inspector only."""
    async with at_work() as working:
        session, window = working.session, working.session.window
        chats, composer = window.left.chats.chats, window.chat.composer.text
        await until(window.isActiveWindow)
        assert session.chat is not None
        change(session, replace(session.chat.chat.settings, user_memory="- likes tea"), "Set temperature")

        def press(widget: QWidget, modifiers: Qt.KeyboardModifier) -> tuple[str, str]:
            widget.setFocus()
            QTest.keyClick(widget, Qt.Key.Key_Z, modifiers)
            return session.undo.undo_text(), session.undo.redo_text()

        done, undone = ("Set temperature", ""), ("", "Set temperature")
        no_texts: tuple[QWidget, ...] = (chats, window.inspector.layers.tree, window.inspector.head.copy)
        for widget in no_texts:
            assert press(widget, CTRL) == undone
            assert press(widget, CTRL | SHIFT) == done
        composer.setFocus()
        QTest.keyClicks(composer, "words")
        assert (press(composer, CTRL), composer.text()) == (done, "")
        assert (press(composer, CTRL | SHIFT), composer.text()) == (done, "words")
        field = window.left.chats.search
        field.setFocus()
        QTest.keyClicks(field, "sought")
        assert (press(field, CTRL), field.text()) == (done, "")
        for place in (field, composer, chats):
            assert press(place, CTRL | ALT) == undone
            assert press(place, CTRL | ALT | SHIFT) == done
        assert composer.text() == "words"
