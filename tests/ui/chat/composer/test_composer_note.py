"""The quiet line in the composer."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.chat.composer.frame import ComposerNote


def test_it_says_one_thing_and_does_at_most_one(qtbot: QtBot):
    note = ComposerNote()
    qtbot.addWidget(note)
    done: list[str] = []
    note.say("Pasted as attachment", ("Paste as text instead", lambda: done.append("put")))
    assert note.words.text() == "Pasted as attachment"
    note.buttons[0].click()
    assert done == ["put"]
    assert note.isHidden()


def test_what_is_said_next_takes_its_place(qtbot: QtBot):
    note = ComposerNote()
    qtbot.addWidget(note)
    note.say("first", ("do it", lambda: None))
    note.say("second")
    assert note.words.text() == "second"
    assert not note.buttons[0].isVisible()


def test_it_can_be_closed_and_goes_by_itself(qtbot: QtBot):
    note = ComposerNote()
    qtbot.addWidget(note)
    note.say("words")
    note.close_button.click()
    assert note.isHidden()
    note.say("words")
    note._timer.timeout.emit()
    assert note.isHidden()
