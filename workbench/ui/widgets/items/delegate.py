"""The base of delegates that paint whole rows, and what views tell about an item."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.ui.look.painting import stroke_rounded
from workbench.ui.look.theme import colour, theme_of

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class ItemOption(NamedTuple):
    """Where an item is painted, and in which state it is."""

    box: QRectF
    state: QStyle.StateFlag

    @property
    def selected(self) -> bool:
        return bool(self.state & QStyle.StateFlag.State_Selected)

    @property
    def hovered(self) -> bool:
        return bool(self.state & QStyle.StateFlag.State_MouseOver)

    @property
    def opened(self) -> bool:
        return bool(self.state & QStyle.StateFlag.State_Open)

    @property
    def ringed(self) -> bool:
        """Whether it has the focus, and the focus was moved by keyboard."""
        wanted = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        return self.state & wanted == wanted


def item_option(option: QStyleOptionViewItem) -> ItemOption:
    """Read an option; Qt's stubs leave these fields out."""
    return ItemOption(QRectF(option.rect), option.state)  # type: ignore[attr-defined]


class RowDelegate(QStyledItemDelegate):
    """Paints rows; a subclass says how high they are, and what stands in them.

    Attributes:
        width, height: of every row, unless `row_height` says otherwise; a list makes rows wider where it is.
    """

    width = height = 0

    def row_height(self, _index: Index) -> int:
        return self.height

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        """Paint what stands in a row; the painter's state is restored afterwards."""
        raise NotImplementedError

    def view(self) -> QAbstractItemView:
        """The view painted on: asked for rather than kept, since a reference back would keep both alive."""
        view = self.parent()
        assert isinstance(view, QAbstractItemView)
        return view

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.width, self.row_height(index))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        self.paint_row(painter, item_option(option), index)
        painter.restore()


def paint_ground(painter: QPainter, row: ItemOption) -> None:
    """The ground of a row that is selected or under the pointer."""
    if row.selected or row.hovered:
        painter.fillRect(row.box, colour("sel" if row.selected else "hover", theme_of()))


def paint_ring(painter: QPainter, row: ItemOption) -> None:
    """The ring of the row that the keyboard is on."""
    if row.ringed:
        stroke_rounded(painter, row.box, theme_of().accent, 2, 2)


def paint_rule(painter: QPainter, box: QRectF, top: bool = False) -> None:
    """A hairline along the bottom of a row, or its top."""
    y = box.top() if top else box.bottom() - 1
    painter.fillRect(QRectF(box.left(), y, box.width(), 1), colour("line", theme_of()))
