"""The stack: widgets one below the other, measured only when something about them changed."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.stack import Stack, StackItem, measured, tell_height


class Box(QWidget):
    """As high as it is told, and counts how often it is asked."""

    def __init__(self, height: int) -> None:
        super().__init__()
        self.wanted, self.asked = height, 0

    def sizeHint(self) -> QSize:
        self.asked += 1
        return QSize(10, self.wanted)

    def grow(self, height: int) -> None:
        self.wanted = height
        tell_height(self)


def filled(*boxes: Box) -> Stack:
    stack = Stack((10, 5, 10, 5))
    stack.set_stack_items([StackItem(box, 8) for box in boxes])
    stack.resize(100, stack.heightForWidth(100))
    stack.show()
    return stack


def test_they_stand_below_each_other_with_their_gaps(qtbot: QtBot):
    one, two = Box(20), Box(30)
    stack = filled(one, two)
    qtbot.addWidget(stack)
    assert stack.height() == 5 + 20 + 8 + 30 + 5
    assert one.geometry().getRect() == (10, 5, 80, 20)
    assert two.geometry().getRect() == (10, 33, 80, 30)


def test_one_that_grows_moves_the_others_and_is_the_only_one_measured(qtbot: QtBot):
    one, two, three = Box(20), Box(30), Box(40)
    stack = filled(one, two, three)
    qtbot.addWidget(stack)
    before = three.asked
    told: list[int] = []
    stack.height_changed.connect(lambda: told.append(stack.heightForWidth(100)))
    two.grow(50)
    stack.resize(100, told[-1])
    assert three.y() == 5 + 20 + 8 + 50 + 8
    assert three.asked == before


def test_a_stack_in_a_stack_tells_on(qtbot: QtBot):
    box = Box(20)
    inner = Stack()
    inner.set_stack_items([StackItem(box)])
    outer = Stack()
    outer.set_stack_items([StackItem(inner), StackItem(Box(10), 4)])
    qtbot.addWidget(outer)
    outer.resize(100, outer.heightForWidth(100))
    outer.show()
    box.grow(60)
    assert outer.heightForWidth(100) == 60 + 4 + 10
    outer.resize(100, 74)
    assert box.height() == 60


def test_what_no_longer_stands_there_is_hidden(qtbot: QtBot):
    one, two = Box(20), Box(30)
    stack = filled(one, two)
    qtbot.addWidget(stack)
    stack.set_stack_items([StackItem(two)])
    assert one.isHidden()
    assert not two.isHidden()


def test_an_indent_takes_room_at_the_beginning(qtbot: QtBot):
    box = Box(20)
    stack = Stack()
    qtbot.addWidget(stack)
    stack.set_stack_items([StackItem(box, 0, 24)])
    stack.show()
    stack.resize(100, 20)
    assert (box.x(), box.width()) == (24, 76)


def test_text_that_wraps_is_as_high_as_its_width_makes_it(qtbot: QtBot):
    label = QLabel("some words that need several lines when there is little room")
    label.setWordWrap(True)
    qtbot.addWidget(label)
    assert measured(label, 60) > measured(label, 600)


def test_a_widget_with_a_layout_of_its_own_is_measured_again_when_it_asks(qtbot: QtBot):
    card = QWidget()
    inside = QVBoxLayout(card)
    inside.setContentsMargins(0, 0, 0, 0)
    inside.addWidget(Box(20))
    stack = Stack()
    stack.set_stack_items([StackItem(card)])
    qtbot.addWidget(stack)
    stack.resize(100, stack.heightForWidth(100))
    stack.show()
    more = Box(30)
    inside.addWidget(more)
    qtbot.waitUntil(lambda: stack.heightForWidth(100) >= 50)
