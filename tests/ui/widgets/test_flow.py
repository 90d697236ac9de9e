"""A layout that begins another row where there is no room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from workbench.ui.widgets.stack import FlowLayout


class Box(QWidget):
    """60 by 20."""

    def sizeHint(self) -> QSize:
        return QSize(60, 20)


@pytest.fixture
def filled(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    layout = FlowLayout(parent, 6, 4)
    boxes = [Box() for _ in range(5)]
    for box in boxes:
        layout.addWidget(box)
    return parent, layout, boxes


def place(parent: QWidget, width: int) -> None:
    parent.resize(width, 200)
    parent.show()
    parent.layout().activate()


def test_items_fill_a_row_before_they_begin_another(filled):
    parent, layout, boxes = filled
    place(parent, 200)
    assert [(box.x(), box.y()) for box in boxes] == [(0, 0), (66, 0), (132, 0), (0, 24), (66, 24)]
    assert layout.heightForWidth(200) == 44
    assert layout.heightForWidth(400) == 20


def test_a_hidden_item_takes_no_room(filled):
    parent, layout, boxes = filled
    boxes[0].hide()
    place(parent, 200)
    assert boxes[1].x() == 0
    assert layout.heightForWidth(264) == 20


def test_an_item_wider_than_the_row_is_made_narrower(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    layout = FlowLayout(parent)
    box = Box()
    layout.addWidget(box)
    place(parent, 40)
    assert box.width() == 40


def test_items_can_be_taken_out(filled):
    _, layout, boxes = filled
    assert layout.takeAt(0).widget() is boxes[0]
    assert layout.itemAt(99) is None
    assert layout.takeAt(99) is None


def test_margins_count(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    layout = FlowLayout(parent)
    layout.setContentsMargins(10, 5, 10, 5)
    layout.addWidget(Box())
    assert layout.heightForWidth(200) == 30
    assert layout.minimumSize().width() == 20
    assert layout.sizeHint() == QSize(80, 30)
