"""Lists and trees by mouse and key."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QStringListModel, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest

from workbench.ui.widgets.items.views import PickList, RowTree


class Names(PickList):
    def __init__(self) -> None:
        self.picked: list[str] = []
        self.names = QStringListModel(["a", "b", "c"])
        super().__init__(self.names, "Names")

    def pick(self, index: QModelIndex) -> None:
        self.picked.append(index.data())


def test_a_click_and_the_arrows_choose(qtbot):
    view = Names()
    qtbot.addWidget(view)
    view.show()
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.names.index(1)).center()
    )
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Down)  # the end
    assert view.picked == ["b", "c"]
    assert view.accessibleName() == "Names"


def test_a_row_of_a_tree_is_opened_and_closed_from_any_column(qtbot):
    tree, model = RowTree(), QStandardItemModel()
    qtbot.addWidget(tree)
    above = QStandardItem("above")
    above.appendRow(QStandardItem("below"))
    model.appendRow([above, QStandardItem("figure")])
    tree.setModel(model)
    for opened in (True, False):
        tree.toggle_open(model.index(0, 1))
        assert tree.isExpanded(model.index(0, 0)) is opened
