"""The outline beside the payload: layers and rows, as they follow each other on the wire."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView

from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow
from workbench.ui import formatting
from workbench.ui.inspector.payload.outline_row import OutlineDelegate, item_name
from workbench.ui.widgets.items.list_model import ITEM, ListModel
from workbench.ui.widgets.items.views import PickList

WIDTH = 188


class OutlineModel(ListModel[LayerRow | SegmentRow]):
    """Layers and rows in one list; a request that changed changes only the lines that differ."""

    def show(self, view: EnvelopeView | None) -> None:
        layers = view.layers if view is not None else ()
        items: list[LayerRow | SegmentRow] = []
        for layer in layers:
            items += [layer, *layer.rows]
        self.show_items(items)

    def number_of(self, key: RowKey | None) -> int:
        """Which line a row is; -1 where there is none."""
        keys = (
            number
            for number, item in enumerate(self.items)
            if isinstance(item, SegmentRow) and item.key == key
        )
        return next(keys, -1)

    def key_of(self, item: LayerRow | SegmentRow) -> RowKey | str:
        """A row by its key, a layer by its name."""
        return item.key if isinstance(item, SegmentRow) else item.name

    def can_choose(self, item: LayerRow | SegmentRow) -> bool:
        return isinstance(item, SegmentRow)

    def text_of(self, item: LayerRow | SegmentRow) -> str:
        if isinstance(item, SegmentRow) and not item.counted:
            return self.tr("{name}, not sent").format(name=item_name(item))
        words = self.tr("{name}, {tokens}")
        return words.format(name=item_name(item), tokens=formatting.token_words(item.tokens))

    def tip_of(self, item: LayerRow | SegmentRow) -> str:
        return item_name(item)


class Outline(PickList):
    """Chooses a row by a click or the arrows."""

    picked = Signal(object)

    def __init__(self) -> None:
        self._model = OutlineModel()
        super().__init__(self._model, self.tr("Outline of the request"))
        self.setFixedWidth(WIDTH)
        self.setItemDelegate(OutlineDelegate(self))

    def show_view(self, view: EnvelopeView | None) -> None:
        self._model.show(view)

    def select(self, key: RowKey | None) -> None:
        number = self._model.number_of(key)
        if number < 0:
            self.clearSelection()
            return
        index = self._model.index(number)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    def moveCursor(self, action: QAbstractItemView.CursorAction, keys: Qt.KeyboardModifier) -> QModelIndex:
        reached = super().moveCursor(action, keys)
        down = 1 if reached.row() > self.currentIndex().row() else -1
        index = _nearest_row(reached, down)
        if not index.isValid():
            index = _nearest_row(reached, -down)
        return index

    def pick(self, index: QModelIndex) -> None:
        item = index.data(ITEM) if index.isValid() else None
        if isinstance(item, SegmentRow):
            self.picked.emit(item.key)


def _nearest_row(index: QModelIndex, step: int) -> QModelIndex:
    """The first line from here on that can be chosen."""
    while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsSelectable:
        index = index.sibling(index.row() + step, 0)
    return index
