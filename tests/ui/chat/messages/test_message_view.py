"""What all messages have in common."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.chunk import WorkingFlowChunk
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.ui.chat.messages.feed import Note
from workbench.ui.chat.messages.message_view import MessageView, NoteView, PutBackLine
from workbench.ui.chat.text.ink import Ink


class PlainView(MessageView):
    def show_item(self, item: object) -> None:
        """Nothing of it is shown."""


def test_it_can_be_marked_and_says_so(qtbot: QtBot):
    made = PlainView(Ink())
    qtbot.addWidget(made)
    assert not made.is_marked()
    made.set_marked(True)
    assert made.is_marked()
    made.read_all()


def test_the_button_tells(qtbot: QtBot):
    made = PutBackLine()
    qtbot.addWidget(made)
    with qtbot.waitSignal(made.pressed):
        made.button.click()


def test_they_are_named_after_what_they_are(qtbot: QtBot):
    made = NoteView(Ink())
    qtbot.addWidget(made)
    made.resize(400, 100)
    made.show()
    for entry, name in (
        (Message("s", "system", ("Be careful.",)), "System"),
        (Message("t", "tool", ("Be careful.",)), "Tool result"),
        (WorkingFlowChunk("w", "Be careful.", "thinking"), "Working flow"),
    ):
        made.show_item(Note(entry.id, Record("c", entry, "2026-11-12T14:00:00Z")))
        assert made.accessibleName() == f"{name}, 14:00"
        assert made.body.text() == "Be careful."
    made.read_all()
    assert not made.grab().isNull()
