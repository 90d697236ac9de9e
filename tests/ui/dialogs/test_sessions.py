"""The dialog of sessions on this computer: lists them, opens one, and says what cannot be read."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.shown.sessions_view import SessionLine, SessionsView
from workbench.engine.intents import OpenChat
from workbench.engine.program_intents import ListSessions, OpenSession
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.sessions import SessionsDialog, line_words
from workbench.ui.wishes import Wishes

NOW = "2026-11-12T09:30:00Z"
GOOD = SessionLine(
    "claude", "p/s1.jsonl", "2026-11-12T09:00:00Z", 12_000, "/home/ada/app", "Why does it loop?"
)
BAD = SessionLine("codex", "s2.jsonl", "2026-11-11T09:00:00Z", 90, problem="1 line is damaged.")


def test_the_words_of_a_session():
    assert line_words(GOOD, NOW) == ("Why does it loop?", "Claude Code · /home/ada/app", "09:00", "12.0 kB")
    assert line_words(BAD, NOW) == ("1 line is damaged.", "Codex · s2.jsonl", "yesterday", "90 bytes")


def test_they_are_listed_when_asked_and_one_is_opened(qtbot: QtBot, qapp, appearance):
    wishes = Wishes()
    sent: list[object] = []
    wishes.intent.connect(sent.append)
    dialog = SessionsDialog(NOW, wishes)
    qtbot.addWidget(dialog)
    assert sent == [ListSessions()]
    dialog.show_state(WorkbenchState(sessions=SessionsView(reading=True)))
    assert not dialog.opener.isEnabled()
    listed = SessionsView((GOOD, BAD), more=4)
    dialog.show_state(WorkbenchState(sessions=listed))
    dialog.show()
    dialog.grab()
    assert dialog.state.text() == "4 older sessions aren’t listed."
    dialog.opener.click()
    assert sent[-1] == OpenSession("claude", "p/s1.jsonl")
    dialog.show_state(WorkbenchState(sessions=SessionsView(listed.lines, opening="p/s1.jsonl")))
    assert not dialog.opener.isEnabled()
    assert dialog.state.text() == "Reading p/s1.jsonl…"
    with qtbot.waitSignal(dialog.accepted):
        dialog.show_state(WorkbenchState(sessions=SessionsView(listed.lines, opened="c1")))
    assert OpenChat("c1") in sent


def test_a_session_that_cannot_be_read_leaves_the_list_open(qtbot: QtBot, qapp, appearance):
    dialog = SessionsDialog(NOW)
    qtbot.addWidget(dialog)
    dialog.show_state(WorkbenchState(sessions=SessionsView((GOOD,), opening=GOOD.file)))
    dialog.show_state(WorkbenchState(sessions=SessionsView((GOOD,), problem="It is gone.")))
    assert dialog.state.text() == "It is gone."
    assert dialog.opener.isEnabled()
    dialog.show_state(WorkbenchState(sessions=SessionsView()))
    assert not dialog.empty.isHidden()
