"""A tree with boxes by mouse and key."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import QModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest

from workbench.ui.widgets.items.check_tree import CheckTree, HeadColumn, Measure
from workbench.ui.widgets.items.views import Index

LEFT = Qt.MouseButton.LeftButton


class Shelf(CheckTree):
    def __init__(self) -> None:
        self.ticked: list[str] = []
        self.shifts: dict[str, int] = {}
        self.books = QStandardItemModel()
        top = _book("top")
        top.appendRow(_book("below"))
        fixed = _book("fixed")
        fixed.setCheckable(False)
        self.books.appendColumn([top, fixed])
        super().__init__(self.books, Measure(row=26, indent=20, check_lead=33), (HeadColumn(),))

    def press_box(self, index: QModelIndex) -> None:
        self.ticked.append(index.data())

    def paint_cells(self, _painter: QPainter, index: Index, _cells: Sequence[QRectF], shift: int) -> None:
        self.shifts[index.data()] = shift


def _book(name: str) -> QStandardItem:
    made = QStandardItem(name)
    made.setCheckable(True)
    made.setData(Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    return made


@pytest.fixture
def shelf(qtbot) -> Shelf:
    made = Shelf()
    qtbot.addWidget(made)
    made.resize(300, 200)
    made.show()
    return made


def test_a_press_on_a_box_ticks_and_one_on_a_chevron_opens(shelf: Shelf):
    top, fixed = shelf.books.index(0, 0), shelf.books.index(1, 0)
    QTest.mouseClick(shelf.viewport(), LEFT, pos=shelf.check_box(top).center().toPoint())
    QTest.mouseClick(shelf.viewport(), LEFT, pos=shelf.check_box(fixed).center().toPoint())
    assert shelf.ticked == ["top"]
    QTest.mouseClick(shelf.viewport(), LEFT, pos=shelf.chevron_box(top).center().toPoint())
    assert shelf.isExpanded(top)


def test_the_arrows_open_and_go_in_then_out_and_close(shelf: Shelf):
    shelf.setCurrentIndex(shelf.books.index(0, 0))
    seen: list[tuple[str, bool]] = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Left):
        QTest.keyClick(shelf, key)
        seen.append((shelf.currentIndex().data(), shelf.isExpanded(shelf.books.index(0, 0))))
    assert seen == [("top", True), ("below", True), ("top", True), ("top", False)]


def test_what_lies_deeper_stands_in(shelf: Shelf):
    shelf.expandAll()
    assert not shelf.grab().isNull()
    assert shelf.shifts == {"top": 0, "below": 20, "fixed": 0}
