"""The outline beside the payload: layers and rows, as they follow each other on the wire."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow
from workbench.ui import formatting
from workbench.ui.inspector.payload.outline_row import OutlineDelegate, item_key, item_name
from workbench.ui.inspector.rows.key_diff import edits
from workbench.ui.widgets.plain import tip

WIDTH = 188
Index = QModelIndex | QPersistentModelIndex
ITEM_ROLE = int(Qt.ItemDataRole.UserRole)
ROOT = QModelIndex()


class OutlineModel(QAbstractListModel):
    """Layers and rows in one list; a request that changed changes only the lines that differ."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[LayerRow | SegmentRow] = []

    def show(self, view: EnvelopeView | None) -> None:
        """Show another request."""
        layers = view.layers if view is not None else ()
        new: list[LayerRow | SegmentRow] = []
        for layer in layers:
            new += [layer, *layer.rows]
        if not self._items and new:
            self._insert(0, new)
            return
        changes = edits([item_key(item) for item in self._items], [item_key(item) for item in new])
        for run in changes.removed:
            self.beginRemoveRows(ROOT, run.first, run.first + run.length - 1)
            del self._items[run.first : run.first + run.length]
            self.endRemoveRows()
        for run in changes.inserted:
            self._insert(run.first, new[run.first : run.first + run.length])
        for number, item in enumerate(new):
            if item != self._items[number]:
                self._items[number] = item
                self.dataChanged.emit(self.index(number), self.index(number))

    def number_of(self, key: RowKey | None) -> int:
        """Which line a row is; -1 where there is none."""
        keys = (
            number
            for number, item in enumerate(self._items)
            if isinstance(item, SegmentRow) and item.key == key
        )
        return next(keys, -1)

    def rowCount(self, parent: Index = ROOT) -> int:
        """How many lines there are."""
        return 0 if parent.isValid() else len(self._items)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """A layer is a heading: it cannot be chosen."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        enabled = Qt.ItemFlag.ItemIsEnabled
        is_row = isinstance(self._items[index.row()], SegmentRow)
        return enabled | Qt.ItemFlag.ItemIsSelectable if is_row else enabled

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a line says."""
        if not index.isValid():
            return None
        item = self._items[index.row()]
        if role == ITEM_ROLE:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._spoken(item)
        return tip(item_name(item)) if role == Qt.ItemDataRole.ToolTipRole else None

    def _insert(self, first: int, items: list[LayerRow | SegmentRow]) -> None:
        self.beginInsertRows(ROOT, first, first + len(items) - 1)
        self._items[first:first] = items
        self.endInsertRows()

    def _spoken(self, item: LayerRow | SegmentRow) -> str:
        if isinstance(item, SegmentRow) and not item.counted:
            return self.tr("{name}, not sent").format(name=item_name(item))
        words = self.tr("{name}, {n} tokens")
        return words.format(name=item_name(item), n=formatting.tokens(item.tokens))


class Outline(QListView):
    """Chooses a row by a click or the arrows."""

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._model = OutlineModel()
        self.setFixedWidth(WIDTH)
        self.setUniformItemSizes(True)
        self.setModel(self._model)
        self.setItemDelegate(OutlineDelegate(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Outline of the request"))
        self.clicked.connect(self._tell)

    def show_view(self, view: EnvelopeView | None) -> None:
        """Show another request."""
        self._model.show(view)

    def select(self, key: RowKey | None) -> None:
        """Mark a row, without telling anyone."""
        number = self._model.number_of(key)
        if number < 0:
            self.clearSelection()
            return
        index = self._model.index(number)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index)

    def sizeHint(self) -> QSize:
        """As wide as the design has it."""
        return QSize(WIDTH, 400)

    def moveCursor(self, action: QAbstractItemView.CursorAction, keys: Qt.KeyboardModifier) -> QModelIndex:
        """Step over headings."""
        reached = super().moveCursor(action, keys)
        down = 1 if reached.row() > self.currentIndex().row() else -1
        index = _nearest_row(reached, down)
        if not index.isValid():
            index = _nearest_row(reached, -down)
        return index

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows choose."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().row() != before:
            self._tell(self.currentIndex())

    def _tell(self, index: QModelIndex) -> None:
        item = index.data(ITEM_ROLE) if index.isValid() else None
        if isinstance(item, SegmentRow):
            self.picked.emit(item.key)


def _nearest_row(index: QModelIndex, step: int) -> QModelIndex:
    """The first line from here on that can be chosen."""
    while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsSelectable:
        index = index.sibling(index.row() + step, 0)
    return index
