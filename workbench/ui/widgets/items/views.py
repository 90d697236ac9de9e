"""The bases of lists and trees: rows lit under the pointer, scrolled by pixels and never sideways."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyleOptionViewItem, QTreeView, QWidget

from workbench.ui.look.focus_ring import came_by_keyboard
from workbench.ui.look.painting import stroke_rounded
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.items.delegate import Index


class PickList(QListView):
    """A list in which a click or the arrows choose a row; a subclass says in `pick` what follows."""

    def __init__(self, model: QAbstractItemModel, name: str) -> None:
        super().__init__()
        set_up(self)
        self.setUniformItemSizes(True)
        self.setModel(model)
        self.setAccessibleName(name)
        self.clicked.connect(self.pick)

    def pick(self, index: QModelIndex) -> None:
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().row() != before:
            self.pick(self.currentIndex())


class RowTree(QTreeView):
    """Rows chosen as a whole; their chevrons are painted with their names, so Qt neither indents nor decorates."""

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

    def paint_ring(self) -> None:
        """The ring round the whole row that the keyboard is on, over its cells: Qt tells none of them."""
        here = self.currentIndex()
        if self.is_ringed(here):
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
