"""The chat pane: its parts speak through it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel

from tests.fakes.sample_state import CHAT, sample_state, waiting_tool
from workbench.engine.intents import AnswerToolRequest, CheckFacts, EditDraft, QueueMessage, StopTurn
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
    pane.wishes.intent.connect(lambda one: None if isinstance(one, CheckFacts) else told.append(one))
    chat = state.open[CHAT]
    pane.show_state(state, replace(chat, draft="", running=RunningTurn(9, "m17", "Why?")))
    assert pane.composer.strip.send._hint == "Esc"
    qtbot.keyClick(pane.transcript, Qt.Key.Key_Escape)
    assert told == [StopTurn(CHAT)]
    pane.show_state(state, waiting_tool(chat))
    assert (pane.composer.strip.send._hint, pane.composer.strip.send.icon_name()) == ("", "stop")
    qtbot.keyClick(pane.composer.text, Qt.Key.Key_Escape)
    assert [type(one) for one in told] == [StopTurn, AnswerToolRequest]


def test_enter_in_an_empty_composer_allows_the_tool_whose_card_is_in_sight(qtbot, qapp):
    """The card draws Enter on Allow once, and took it only after a click into itself."""
    state = sample_state()
    pane = ChatPane()
    qtbot.addWidget(pane)
    pane.resize(600, 800)
    pane.show()
    told: list[object] = []
    pane.wishes.intent.connect(lambda one: None if isinstance(one, CheckFacts) else told.append(one))
    waiting = replace(waiting_tool(state.open[CHAT]), draft="")
    pane.show_state(state, waiting)
    qapp.processEvents()
    card = pane.transcript.waiting_card()
    assert card is not None
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", True)
    qapp.sendEvent(pane.composer.text, held)
    assert told == [], "a key that is held down since the question was sent is no answer"
    pane.resize(600, 300)
    pane.transcript.verticalScrollBar().setValue(0)
    qtbot.keyClick(pane.composer.text, Qt.Key.Key_Return)
    assert told == [], "what is not seen is not allowed; it comes into sight"
    pane.resize(600, 800)
    qapp.processEvents()
    pane.transcript.ensureWidgetVisible(card)
    pane.composer.text.setFocus()
    qtbot.keyClick(pane.composer.text, Qt.Key.Key_Return)
    assert told == [AnswerToolRequest(CHAT, card.card.call.id, allowed=True)]
    pane.show_state(state, waiting)
    qtbot.keyClicks(pane.composer.text, "And then?")
    qtbot.keyClick(pane.composer.text, Qt.Key.Key_Return)
    assert [type(one) for one in told if not isinstance(one, EditDraft)] == [AnswerToolRequest, QueueMessage]
