"""The head of a message: who and when, and the way to its siblings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.message_head import HeadWords, MessageHead, SiblingSwitch
from workbench.ui.widgets.buttons import QuietButton


def head(qtbot: QtBot) -> MessageHead:
    made = MessageHead()
    qtbot.addWidget(made)
    made.resize(400, 20)
    made.show()
    return made


def test_siblings_are_shown_where_there_are_any(qtbot: QtBot):
    made = head(qtbot)
    made.show_siblings("b", ())
    assert not made.findChildren(SiblingSwitch)
    made.show_siblings("b", ("a", "b", "c"))
    assert made.siblings is not None
    assert made.siblings.figure() == "2 / 3"
    assert made.siblings.accessibleName() == "Version 2 of 3"
    made.show_siblings("b", ("b",))
    assert made.siblings.isHidden()


def test_the_note_ends_before_the_versions_also_beside_buttons_that_are_not_seen(qtbot: QtBot):
    """The room of a button that only hovering shows was left free, and "turn 1" was painted under the chevron."""
    made = head(qtbot)
    made.add_end(QuietButton("edit", "Edit", 20, shy=True))
    made.show_siblings("b", ("a", "b", "c"))
    made.show_words(HeadWords("You", note="turn 1"))
    assert made.siblings is not None
    noted = made.grab().toImage()
    made.show_words(HeadWords("You"))
    empty = made.grab().toImage()
    places = [(x, y) for x in range(made.width()) for y in range(made.height())]
    changed = [x for x, y in places if empty.pixel(x, y) != noted.pixel(x, y)]
    assert changed
    assert max(changed) < made.siblings.x()


def test_the_chevrons_lead_to_the_neighbours(qtbot: QtBot):
    made = head(qtbot)
    made.show_siblings("b", ("a", "b", "c"))
    assert made.siblings is not None
    with qtbot.waitSignal(made.branch_wished) as told:
        QTest.mouseClick(made.siblings.before, Qt.MouseButton.LeftButton)
    assert told.args == ["a"]
    with qtbot.waitSignal(made.branch_wished) as told:
        QTest.keyClick(made.siblings.after, Qt.Key.Key_Space)
    assert told.args == ["c"]


def test_at_an_end_one_chevron_is_of_no_use(qtbot: QtBot):
    made = head(qtbot)
    made.show_siblings("a", ("a", "b"))
    assert made.siblings is not None
    assert not made.siblings.before.isEnabled()
    assert made.siblings.after.isEnabled()


def test_everything_it_can_say_can_be_painted(qtbot: QtBot):
    made = head(qtbot)
    made.show_words(HeadWords("You", "14:08", "src/auth.py", "clip", "excluded", True, True))
    made.show_siblings("a", ("a", "b"))
    made.resize(401, 20)
    assert not made.grab().isNull()
    assert made.siblings is not None
    assert made.siblings.x() > 200


def test_a_name_without_end_leaves_room_for_the_rest(qtbot: QtBot):
    made = head(qtbot)
    made.show_words(HeadWords("x" * 500, "14:08"))
    assert not made.grab().isNull()
    assert made.words().name == "x" * 500
