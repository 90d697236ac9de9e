"""Messages that neither of the two said."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.chunk import WorkingFlowChunk
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.ui.chat.messages.feed import Note
from workbench.ui.chat.messages.message_view import NoteView
from workbench.ui.chat.text.ink import Ink


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
