"""Commands about watching: the dialog follows the state, and going on needs a watched chat."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.watched import CONVERSATION, watched_state
from workbench.domain.shown.sessions_view import WatchView
from workbench.domain.watch.request import Finding, Mend
from workbench.engine.program_intents import PauseWatching, WatchPrograms
from workbench.engine.state import WorkbenchState
from workbench.ui.window.session import Session
from workbench.ui.window.watching import open_watch, watch_table
from workbench.ui.wishes import Wishes


class FakeSession(QObject):
    """A session of which only what is asked here is there."""

    rendered = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.window = SimpleNamespace(wishes=Wishes(self))
        self.state, self.chat = WorkbenchState(), cast(Any, None)
        self.sent: list[object] = []
        self.told: list[str] = []
        self.gone_on: list[object] = []

    def send(self, intent: object) -> None:
        self.sent.append(intent)

    def tell(self, words: str) -> None:
        self.told.append(words)

    def go_on_from(self, chat: str, number: int | None) -> None:
        self.gone_on.append((chat, number))


def test_the_switch_and_the_pause_turn_and_going_on_needs_a_watched_chat(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    session = FakeSession(window)
    table = watch_table(cast(Session, session))
    table["watch-switch"]()
    session.state = replace(session.state, watch=WatchView("http://127.0.0.1:4040"))
    table["watch-switch"]()
    table["watch-pause"]()
    assert session.sent == [WatchPrograms(True), WatchPrograms(False), PauseWatching(True)]
    table["go-on-watched"]()
    assert session.told == ["Open a watched chat first."]
    session.chat = watched_state()[1]
    table["go-on-watched"]()
    assert session.gone_on == [(CONVERSATION, 3)]


def test_the_dialog_follows_the_state(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    session = FakeSession(window)
    cast(Any, session).window = window
    cast(Any, window).wishes = Wishes(window)
    dialog = open_watch(cast(Session, session))
    session.state = replace(session.state, watch=WatchView("http://127.0.0.1:4040"))
    session.rendered.emit()
    assert dialog.state.text() == "Watching at http://127.0.0.1:4040"
    dialog.accept()
    session.rendered.emit()


def test_lines_for_a_terminal_are_copied(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    session = FakeSession(window)
    table, clipboard = watch_table(cast(Session, session)), QGuiApplication.clipboard()
    table["copy-write"]()
    table["copy-mend"]()
    assert session.told == ["Open a watched chat first.", "No finding here has a line for its program."]
    session.chat = watched_state()[1]
    table["copy-write"]()
    assert clipboard.text() == f"workbench watch write {CONVERSATION} --dry-run"
    finding = Finding(
        "unused_tools", 9, "w", "a", mends=(Mend("Claude Code", "claude --disallowedTools Cron"),)
    )
    session.chat = replace(session.chat, opened=replace(session.chat.opened, findings=(finding,)))
    table["copy-mend"]()
    assert clipboard.text() == "claude --disallowedTools Cron"
