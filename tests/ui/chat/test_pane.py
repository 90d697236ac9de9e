"""The chat pane: its parts speak through it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from workbench.engine.intents import StopTurn
from workbench.ui.chat.pane import ChatPane
from workbench.ui.scenes.sample_state import CHAT, sample_state


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
