"""The rows of a request as Qt's views want them: only the cells that changed are told to be painted again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow
from workbench.ui.inspector.layers.cells import (
    Column,
    Item,
    Scale,
    cell_text,
    changed_columns,
    head_text,
    scale_of,
    spoken,
)
from workbench.ui.inspector.layers.tips import tip_with_acts
from workbench.ui.inspector.rows import key_diff
from workbench.ui.inspector.rows.row_acts import can_prioritise
from workbench.ui.look.layers import WIRE_ORDER
from workbench.ui.widgets.plain import tip

Index = QModelIndex | QPersistentModelIndex
Columns = frozenset[Column]
COLUMNS = len(Column)
_TOP = QModelIndex()
# Made once: every operation on Qt's flags makes an object in Python, and views ask for each cell they paint.
_LAYER_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_ROW_FLAGS = _LAYER_FLAGS | Qt.ItemFlag.ItemNeverHasChildren
_TYPED_FLAGS = _ROW_FLAGS | Qt.ItemFlag.ItemIsEditable
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEADING = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
_FIGURES = (Column.TOKENS, Column.PRIORITY)
_BARS: Columns = frozenset({Column.SHARE})
_OWNERS: dict[str, int] = {name: place + 1 for place, name in enumerate(WIRE_ORDER)}


class TreeModel(QAbstractItemModel):
    """Layers, and under each its rows.

    An index under a layer carries the layer's place in wire order, plus one, which stays when layers come and go.

    Signals:
        priority_typed: somebody typed a priority for a row.
    """

    priority_typed = Signal(object, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._layers: list[LayerRow] = []
        self._rows: dict[str, list[SegmentRow]] = {}
        self._places: dict[RowKey, tuple[str, int]] | None = {}
        self._scale = Scale()
        self._view: EnvelopeView | None = None

    @property
    def scale(self) -> Scale:
        """What tokens are compared with."""
        return self._scale

    def show_view(self, view: EnvelopeView | None) -> None:
        """Show another request, touching nothing that is the same."""
        self._view = view
        wanted = view.layers if view is not None else ()
        self._change_layers(wanted)
        scale = scale_of(view) if view is not None else Scale()
        rescaled = scale != self._scale
        self._scale = scale
        for place, layer in enumerate(wanted):
            old = self._layers[place]
            if old is not layer:
                self._change_layer(place, old, layer)
            if rescaled:
                self._tell_rows(self.index(place, 0), range(len(layer.rows)), _BARS)
        if rescaled and wanted:
            self._tell_rows(_TOP, range(len(wanted)), _BARS)

    def item(self, index: Index) -> Item | None:
        """The layer or row at an index."""
        if not index.isValid():
            return None
        owner = index.internalId()
        if not owner:
            return self._layers[index.row()] if index.row() < len(self._layers) else None
        return self._rows[WIRE_ORDER[owner - 1]][index.row()]

    def row(self, index: Index) -> SegmentRow | None:
        """The row at an index; None for a layer."""
        found = self.item(index)
        return found if isinstance(found, SegmentRow) else None

    def index_of(self, key: RowKey, column: int = 0) -> QModelIndex:
        """Where a row stands; an invalid index where it does not."""
        if self._places is None:
            self._places = {
                row.key: (layer, place)
                for layer, rows in self._rows.items()
                for place, row in enumerate(rows)
            }
        found = self._places.get(key)
        return self.createIndex(found[1], column, _owner(found[0])) if found else QModelIndex()

    def layer_indexes(self) -> Iterator[QModelIndex]:
        """The layers."""
        return (self.index(place, 0) for place in range(len(self._layers)))

    # --- what Qt asks -----------------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: Index = _TOP) -> QModelIndex:
        """The index of a cell."""
        if not 0 <= column < COLUMNS or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        owner = _owner(self._layers[parent.row()].name) if parent.isValid() else 0
        return self.createIndex(row, column, owner)

    def parent(self, index: Index = _TOP) -> QModelIndex:  # type: ignore[override]
        """The layer of a row."""
        owner = index.internalId() if index.isValid() else 0
        if not owner:
            return QModelIndex()
        name = WIRE_ORDER[owner - 1]
        place = next((n for n, layer in enumerate(self._layers) if layer.name == name), -1)
        return self.createIndex(place, 0, 0) if place >= 0 else QModelIndex()

    def rowCount(self, parent: Index = _TOP) -> int:
        """How many layers there are, or rows in one."""
        if not parent.isValid():
            return len(self._layers)
        if parent.internalId() or parent.column():
            return 0
        return len(self._rows[self._layers[parent.row()].name])

    def columnCount(self, parent: Index = _TOP) -> int:
        """Layers and rows have the same columns."""
        return 0 if parent.isValid() and (parent.internalId() or parent.column()) else COLUMNS

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Lines can be chosen; a priority that can be changed can be typed."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        row = self.row(index)
        if row is None:
            return _LAYER_FLAGS
        typed = index.column() == Column.PRIORITY and can_prioritise(row)
        return _TYPED_FLAGS if typed else _ROW_FLAGS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """What stands over the columns."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return head_text(Column(section))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in _FIGURES else _LEADING
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands in a cell; delegates ask `item` instead."""
        item = self.item(index)
        if item is None:
            return None
        column = Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(item, column, self._scale)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(tip_with_acts(item, column)) if self._view is not None else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            first = column is Column.SEGMENT
            return spoken(item, self._scale) if first else cell_text(item, column, self._scale)
        if role == Qt.ItemDataRole.EditRole and column is Column.PRIORITY:
            return item.priority if isinstance(item, SegmentRow) else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in _FIGURES else _LEADING
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Hand on a priority that was typed; the next state shows it."""
        row = self.row(index)
        if role != Qt.ItemDataRole.EditRole or row is None or value == row.priority:
            return False
        self.priority_typed.emit(row.key, int(value))
        return False

    # --- changing ---------------------------------------------------------------------------------------

    def _change_layers(self, wanted: Sequence[LayerRow]) -> None:
        change = key_diff.edits([layer.name for layer in self._layers], [layer.name for layer in wanted])
        for first, count in change.removed:
            self.beginRemoveRows(_TOP, first, first + count - 1)
            for layer in self._layers[first : first + count]:
                del self._rows[layer.name]
            del self._layers[first : first + count]
            self._places = None
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(_TOP, first, first + count - 1)
            self._layers[first:first] = wanted[first : first + count]
            self._rows |= {layer.name: list(layer.rows) for layer in wanted[first : first + count]}
            self._places = None
            self.endInsertRows()

    def _change_layer(self, place: int, old: LayerRow, new: LayerRow) -> None:
        self._layers[place] = new
        self._tell_rows(_TOP, range(place, place + 1), changed_columns(old, new))
        if old.rows is new.rows:
            return
        parent = self.index(place, 0)
        self._change_rows(parent, new)
        rows = self._rows[new.name]
        changed = [changed_columns(before, after) for before, after in zip(rows, new.rows, strict=True)]
        rows[:] = new.rows
        start = 0
        for columns, run in groupby(changed):
            length = len(list(run))
            self._tell_rows(parent, range(start, start + length), columns)
            start += length

    def _change_rows(self, parent: QModelIndex, new: LayerRow) -> None:
        """Let rows go and come, so that the old and the new ones are the same keys in the same order."""
        rows = self._rows[new.name]
        change = key_diff.edits([row.key for row in rows], [row.key for row in new.rows])
        for first, count in change.removed:
            self.beginRemoveRows(parent, first, first + count - 1)
            del rows[first : first + count]
            self._places = None
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(parent, first, first + count - 1)
            rows[first:first] = new.rows[first : first + count]
            self._places = None
            self.endInsertRows()

    def _tell_rows(self, parent: QModelIndex, places: range, columns: Columns) -> None:
        """Say that these columns of these rows are to be painted again: neighbouring ones at once."""
        if not columns or not places:
            return
        for _, run in groupby(enumerate(sorted(columns)), key=lambda pair: pair[1] - pair[0]):
            cells = [column for _, column in run]
            first = self.index(places[0], cells[0], parent)
            self.dataChanged.emit(first, self.index(places[-1], cells[-1], parent))


def _owner(layer: str) -> int:
    return _OWNERS[layer]
