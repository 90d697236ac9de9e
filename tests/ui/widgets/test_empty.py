"""An empty pane says what to do next."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.ui.widgets.stack import EmptyState


def test_it_offers_one_thing_to_do(qtbot):
    empty = EmptyState("chat", "No chats yet", "The first message starts one.", "New chat")
    qtbot.addWidget(empty)
    empty.show()
    with qtbot.waitSignal(empty.pressed):
        QTest.mouseClick(empty.button, Qt.MouseButton.LeftButton)


def test_without_an_offer_there_is_no_button(qtbot):
    empty = EmptyState("chat", "No chats yet", "The first message starts one.")
    qtbot.addWidget(empty)
    assert empty.button.isHidden()


def test_both_lines_are_wrapped_and_whole(qtbot):
    empty = EmptyState("clip", "Nothing attached", "Drop files or a folder anywhere, or paste. " * 3)
    qtbot.addWidget(empty)
    empty.resize(260, 300)
    empty.show()
    needed = empty.line.heightForWidth(empty.line.width())
    assert empty.line.width() > 150
    assert empty.line.height() >= needed


def test_it_can_say_something_else(qtbot):
    empty = EmptyState("search", "Nothing found", "Try fewer words.")
    qtbot.addWidget(empty)
    empty.say("No chats", "Ask something.")
    assert (empty.title.text(), empty.line.text()) == ("No chats", "Ask something.")
