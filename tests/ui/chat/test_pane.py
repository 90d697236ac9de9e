"""The chat pane: its parts speak through it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tests.fakes.sample_state import CHAT, sample_state, waiting_tool
from workbench.engine.intents import AnswerToolRequest, StopTurn
from workbench.engine.state import RunningTurn
from workbench.ui.chat.pane import ChatPane


def test_what_the_parts_want_comes_out_of_the_pane(qtbot):
    pane = ChatPane()
    qtbot.addWidget(pane)
    pane.show_state(sample_state(), sample_state().open[CHAT])
    for part in (pane.head, pane.transcript, pane.composer):
        with qtbot.waitSignal(pane.wishes.intent) as heard:
            part.wishes.intent.emit(StopTurn(CHAT))
        assert heard.args == [StopTurn(CHAT)]


def test_something_can_stand_in_the_place_of_the_transcript(qtbot):
    pane, other = ChatPane(), QLabel("welcome")
    qtbot.addWidget(pane)
    pane.show()
    pane.cover(other)
    assert (other.isVisible(), pane.transcript.isVisible()) == (True, False)
    pane.cover(None)
    assert (other.isVisible(), pane.transcript.isVisible()) == (False, True)


def test_escape_stops_from_anywhere_in_the_chat_unless_a_tool_waits(qtbot):
    """Deny and Stop both claimed the key; and only the composer took it."""
    state = sample_state()
    pane = ChatPane()
    qtbot.addWidget(pane)
    pane.resize(600, 800)
    pane.show()
    told: list[object] = []
    pane.wishes.intent.connect(told.append)
    chat = state.open[CHAT]
    pane.show_state(state, replace(chat, draft="", running=RunningTurn(9, "m17", "Why?")))
    assert pane.composer.strip.send._hint == "Esc"
    qtbot.keyClick(pane.transcript, Qt.Key.Key_Escape)
    assert told == [StopTurn(CHAT)]
    pane.show_state(state, waiting_tool(chat))
    assert (pane.composer.strip.send._hint, pane.composer.strip.send.icon_name()) == ("", "stop")
    qtbot.keyClick(pane.composer.text, Qt.Key.Key_Escape)
    assert [type(one) for one in told] == [StopTurn, AnswerToolRequest]
