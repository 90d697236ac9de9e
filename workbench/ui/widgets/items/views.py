"""The bases of lists and trees: rows lit under the pointer, scrolled by pixels and never sideways."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from workbench.ui.look.focus_ring import came_by_keyboard
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of

# The base of delegates that paint whole rows, and what views tell about an item.


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
        """Paint what stands in a row; the painter's state is restored afterwards. A view may paint its rows itself."""

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


class ColumnHead(QHeaderView):
    """The names of columns in small letters over a hairline; a subclass says where in its cell a name stands."""

    def __init__(self, height: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(False)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(1)
        self.setFixedHeight(height)

    @abstractmethod
    def paint_name(self, painter: QPainter, box: QRectF, section: int) -> None: ...

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        paint_rule(painter, QRectF(rect))
        set_text_style(painter, font("meta"), colour("t3", theme_of(self)))
        self.paint_name(painter, QRectF(rect), section)
        painter.restore()


class CalmView:
    """Paints nothing again when its window comes or goes behind another: no row looks different there."""

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            return True
        return super().viewportEvent(event)  # type: ignore[misc, no-any-return]  # stands before a view of Qt's


class PickList(CalmView, QListView):
    """A list in which a click or the arrows choose a row; a subclass says in `pick` what follows."""

    def __init__(self, model: QAbstractItemModel, name: str) -> None:
        super().__init__()
        set_up(self)
        self.setUniformItemSizes(True)
        self.setModel(model)
        self.setAccessibleName(name)
        self.clicked.connect(self.pick)

    @abstractmethod
    def pick(self, index: QModelIndex) -> None: ...

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().row() != before:
            self.pick(self.currentIndex())


class RowTree(CalmView, QTreeView):
    """Rows chosen as a whole; their chevrons are painted with their names, so Qt neither indents nor decorates.

    Attributes:
        rings_rows: whether the row that the keyboard is on has a ring over all its cells, of which Qt tells none.
    """

    rings_rows = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_up(self)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)

    def toggle_open(self, index: Index) -> None:
        first = self.model().index(index.row(), 0, index.parent())
        self.setExpanded(first, not self.isExpanded(first))

    def row_box(self, option: QStyleOptionViewItem) -> QRectF:
        rect: QRect = option.rect  # type: ignore[attr-defined]  # the stub leaves the field out
        return QRectF(0, rect.top(), self.viewport().width(), rect.height())

    def is_ringed(self, index: Index) -> bool:
        here = self.currentIndex()
        same = here.isValid() and index.row() == here.row() and index.parent() == here.parent()
        return same and self.hasFocus() and came_by_keyboard(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        here = self.currentIndex()
        if self.rings_rows and self.is_ringed(here):
            row = self.visualRect(here)
            box = QRectF(0, row.top(), self.viewport().width(), row.height())
            stroke_rounded(QPainter(self.viewport()), box, theme_of(self).accent, 2, 2)

    def drawBranches(self, _painter: QPainter, _rect: QRect, _index: Index) -> None:
        """None."""


def set_up(view: QAbstractItemView) -> None:
    """What all of them share."""
    view.setFrameShape(QAbstractItemView.Shape.NoFrame)
    view.setMouseTracking(True)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
