"""What every command does."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.widgets import all_of
from tests.ui.window.test_session import at_work, change
from workbench.domain.message import Message
from workbench.domain.variant import Variant
from workbench.engine.intents import SendMessage
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.commands import specs, with_keys
from workbench.ui.inspector.compare.page import ComparePage
from workbench.ui.steps import Step
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import KeyCap
from workbench.ui.window.actions import CommandKeys, left_out_commands
from workbench.ui.window.session import Session
from workbench.ui.wishes import CommandId, CompareRequest, ShowChat

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
        menus = [made, *all_of(QMenu, made)]
        actions = [action for one in menus for action in one.actions() if not action.isSeparator()]
        titles = [action.text() for action in actions if action.menu() is None]
        assert sorted(titles) == sorted(spec.title for spec in specs())
        most = max(len(one.actions()) for one in menus)
        assert most <= 16, "one menu had 40 entries, and ended below the screen"


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


def test_tips_made_later_name_the_key_that_was_chosen(qtbot: QtBot):
    """A tip that is written with every new figure said F1 again after another key was chosen."""
    window, figure = QWidget(), QWidget()
    qtbot.addWidget(window)
    figure.setParent(window)
    keys = CommandKeys(window, lambda _command: None)
    for chosen, tip in (
        ({"guide": "F8"}, "A sum.\nMore (F8)"),
        ({"guide": ""}, "A sum."),
        ({}, "A sum.\nMore (F1)"),
    ):
        keys.install(with_keys(specs(), chosen))
        tell_figure(figure, "A sum.", "budget")
        assert figure.toolTip() == tip


def test_other_keys_run_a_command_and_hints_follow(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    field, new = Field("Search", "search", "Ctrl+Shift+F"), QPushButton(window)
    field.setParent(window)
    new.setToolTip("New chat (Ctrl+N)")
    pressed: list[str] = []
    keys = CommandKeys(window, pressed.append)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    keys.install(with_keys(specs(), {"new-chat": "F9", "search": "Ctrl+Alt+F"}))
    QTest.keyClick(window, Qt.Key.Key_F9)
    QTest.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert pressed == ["new-chat"]
    (cap,) = all_of(KeyCap, field)
    assert (new.toolTip(), cap.text()) == ("New chat (F9)", "Ctrl+Alt+F")
    keys.install(with_keys(specs(), {"new-chat": ""}))
    assert (new.toolTip(), cap.text()) == ("New chat", "Ctrl+Shift+F")
    keys.install(specs())
    assert new.toolTip() == "New chat (Ctrl+N)"
    QTest.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert pressed == ["new-chat", "new-chat"]


SAMPLE = sample_state().open[CHAT]
MESSAGE = next(one.id for one in SAMPLE.records if isinstance(one.entry, Message))
FILE = SAMPLE.conversation.attached[0].key


def without(*keys: str) -> ChatState:
    tuning = replace(SAMPLE.conversation.tuning, excluded=frozenset(keys))
    return replace(SAMPLE, conversation=replace(SAMPLE.conversation, tuning=tuning))


def test_a_message_and_a_file_that_are_left_out_are_listed_and_put_back(qapp: object):
    done: list[Step | None] = []
    every, message, file = left_out_commands(without(MESSAGE, FILE), done.append)
    assert every.title == "Put back all 2"
    assert file.line == "attachment"
    for command in (message, file, every):
        command.run()
    assert [step.do for step in done if step is not None] == [
        (TuneMessages(CHAT, put_back=frozenset((MESSAGE,))),),
        (TuneMessages(CHAT, put_back=frozenset((FILE,))),),
        (
            TuneMessages(
                CHAT,
                put_back=frozenset(
                    (
                        MESSAGE,
                        FILE,
                    )
                ),
            ),
        ),
    ]


def test_nothing_is_listed_where_nothing_is_left_out_or_it_is_on_another_branch(qapp: object):
    assert left_out_commands(None, lambda step: None) == ()
    assert left_out_commands(without(), lambda step: None) == ()
    assert left_out_commands(without("of another branch"), lambda step: None) == ()


@in_qt_loop
async def test_a_turn_is_compared_with_other_settings_and_one_of_them_applied_in_one_step(qapp):
    async with at_work() as working:
        session, inspector = working.session, working.session.window.inspector
        session.send(SendMessage(session.chat_id, "What is this?"))
        await until(
            lambda: session.chat is not None and bool(session.chat.turns) and session.chat.running is None
        )
        log = Variant("Log", {"layout": "append_only"})
        working.actions.run(CompareRequest(1, log))
        await until(lambda: compared(session) == ["As sent", "Log"])
        assert inspector.page() == "compare"
        working.actions.run(CompareRequest(variant=log))
        await until(lambda: compared(session) == ["As sent", "Log", "Log 2"])
        page = inspector.pages.page("compare")
        assert isinstance(page, ComparePage)
        await until(page.apply.isEnabled)
        page.apply.click()
        await until(lambda: layout(session) == "append_only")
        session.undo.undo()
        await until(lambda: layout(session) != "append_only")
        page.diff.click()
        await until(lambda: session.chat is not None and session.chat.compared is not None)
        assert inspector.page() == "diff"
        working.actions.run("compare")
        assert inspector.page() == "compare"


def compared(session: Session) -> list[str]:
    chat = session.chat
    return [] if chat is None or chat.comparison is None else [one.name for one in chat.comparison.columns]


def layout(session: Session) -> str:
    return "" if session.chat is None else session.chat.chat.settings.layout


@in_qt_loop
async def test_the_rails_other_icon_goes_there_and_the_same_one_closes(qapp):
    """In a narrow window the second icon closed what the first had opened."""
    async with at_work() as working:
        window = working.session.window
        window.resize(1000, 700)
        await until(window.rail.isVisible)
        for part in (window.left.chats, window.left.attachments):
            working.actions.run("chats" if part is window.left.chats else "attachments")
            assert window.left.isVisible()
            focused = qapp.focusWidget()
            assert part.isAncestorOf(focused)
        working.actions.run("attachments")
        assert not window.left.isVisible()
