"""Lists and trees by mouse and key."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, QStringListModel, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.items.views import (
    NOWHERE,
    Index,
    ItemOption,
    PickList,
    RowDelegate,
    RowTree,
    item_option,
    paint_ground,
    paint_rule,
)


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


State = QStyle.StateFlag


class Plain(RowDelegate):
    height = 24

    def paint_row(self, painter: QPainter, row: ItemOption, _index: Index) -> None:
        paint_ground(painter, row)
        paint_rule(painter, row.box)
        painter.setFont(QFont("Inter", 40))


def option(state: QStyle.StateFlag) -> QStyleOptionViewItem:
    made = QStyleOptionViewItem()
    made.rect = QRect(0, 0, 30, 24)  # type: ignore[attr-defined]
    made.state = state  # type: ignore[attr-defined]
    return made


def painted(view: QListView, state: QStyle.StateFlag) -> QImage:
    image = QImage(30, 24, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("#FFFFFF"))
    painter = QPainter(image)
    before = painter.font()
    Plain(view).paint(painter, option(state), NOWHERE)
    assert painter.font() == before
    painter.end()
    return image


def test_a_row_has_its_height_its_ground_and_a_line_below(qtbot, theme: Theme):
    view = QListView()
    qtbot.addWidget(view)
    assert Plain(view).sizeHint(option(QStyle.StateFlag.State_None), NOWHERE) == QSize(0, 24)
    assert Plain(view).view() is view
    for state, ground in (
        (QStyle.StateFlag.State_Selected, theme.sel),
        (QStyle.StateFlag.State_MouseOver, theme.hover),
        (QStyle.StateFlag.State_None, "#FFFFFF"),
    ):
        image = painted(view, state)
        assert image.pixelColor(10, 10) == QColor(ground)
        assert image.pixelColor(10, 23) == QColor(theme.line)


def test_place_and_state_are_read(qapp):
    seen = item_option(option(State.State_Selected))
    assert seen.box == QRectF(0, 0, 30, 24)
    assert (seen.selected, seen.hovered, seen.ringed) == (True, False, False)
    assert item_option(option(State.State_MouseOver)).hovered


def test_only_a_focus_moved_by_keyboard_has_a_ring(qapp):
    assert not item_option(option(State.State_HasFocus)).ringed
    assert item_option(option(State.State_HasFocus | State.State_KeyboardFocusChange)).ringed
