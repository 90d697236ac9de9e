"""What a person wants reaches one listener, from any depth, without being relayed."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.engine.intents import StopTurn
from workbench.ui.chat.pane import ChatPane
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.steps import Step
from workbench.ui.window.columns import LeftColumn
from workbench.ui.wishes import OpenSettings, Wishes


def test_intents_steps_and_wishes_are_heard_as_they_are(qapp):
    wishes = Wishes()
    heard: list[object] = []
    for signal in (wishes.intent, wishes.step, wishes.wish):
        signal.connect(heard.append)
    step = Step("c", "Pin", (), ())
    wishes.send(StopTurn("c"))
    wishes.do(step)
    wishes.do(None)
    wishes.run(OpenSettings("context"))
    assert heard == [StopTurn("c"), step, OpenSettings("context")]


def test_every_part_of_a_pane_has_the_object_that_was_handed_in(qtbot: QtBot):
    """A part with an object of its own would press into the void."""
    wishes = Wishes()
    panes: tuple[QWidget, ...] = (ChatPane(wishes), InspectorPane(wishes), LeftColumn(wishes))
    for pane in panes:
        qtbot.addWidget(pane)
        parts = [pane, *pane.findChildren(QWidget)]
        held = [part.wishes for part in parts if hasattr(part, "wishes")]
        assert held
        assert all(one is wishes for one in held)
