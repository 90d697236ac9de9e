"""The rows of a request as Qt's views want them: only the cells that changed are told to be painted again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, Signal

from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowGroup, RowKey, RowPart, SegmentRow
from workbench.ui.influence_figures import Figures
from workbench.ui.inspector.influence import words as influence
from workbench.ui.inspector.layers.cells import (
    Column,
    Item,
    Line,
    Scale,
    cell_text,
    changed_columns,
    head_text,
    scale_of,
    spoken,
)
from workbench.ui.inspector.layers.painting import tip_with_acts
from workbench.ui.inspector.rows.row_acts import can_prioritise
from workbench.ui.look.tones import WIRE_ORDER
from workbench.ui.widgets.items.list_model import edits
from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.labels import or_none
from workbench.ui.widgets.plain import tip

Columns = frozenset[Column]
COLUMNS = len(Column)
# Made once: every operation on Qt's flags makes an object in Python, and views ask for each cell they paint.
_LAYER_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_PART_FLAGS = _LAYER_FLAGS | Qt.ItemFlag.ItemNeverHasChildren
_ROW_FLAGS = _LAYER_FLAGS | Qt.ItemFlag.ItemNeverHasChildren
_TYPED_FLAGS = _ROW_FLAGS | Qt.ItemFlag.ItemIsEditable
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEADING = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
_FIGURES = (Column.TOKENS, Column.INFLUENCE, Column.PRIORITY)
_BARS: Columns = frozenset({Column.SHARE})
_FIRST_NUMBER = 16
"""Numbers of rows begin here; those below are the layers'."""
_OWNERS: dict[str, int] = {name: place + 1 for place, name in enumerate(WIRE_ORDER)}


class TreeModel(QAbstractItemModel):
    """Layers, under each its rows, and under a row of instructions its parts; a group is a line above its own rows.

    An index under a layer carries the layer's place in wire order, plus one, which stays when layers come and go. One
    under a row carries a number that the row's key has for good.

    Attributes:
        folded: the groups whose rows are hidden.

    Signals:
        priority_typed: somebody typed a priority for a row.
    """

    priority_typed = Signal(object, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._layers: list[LayerRow] = []
        self._rows: dict[str, list[Line]] = {}
        self._parts: dict[RowKey, tuple[RowPart, ...]] = {}
        self._numbers: dict[RowKey, int] = {}
        self._keys: list[RowKey] = []
        self._places: dict[RowKey, tuple[str, int]] | None = {}
        self._scale = Scale()
        self._view: EnvelopeView | None = None
        self.folded: set[RowKey] = set()
        self.figures, self.flat = Figures(), False

    @property
    def scale(self) -> Scale:
        return self._scale

    def text(self, item: Item, column: Column) -> str:
        """What stands in a cell."""
        if column is Column.INFLUENCE:
            return influence.cell_words(item, self.figures)
        return cell_text(item, column, self._scale)

    def show_view(self, view: EnvelopeView | None, figures: Figures | None = None) -> None:
        self._view = view
        measured = figures is not None and figures is not self.figures
        measured = measured or (figures is None and bool(self.figures.rows))
        if measured:
            self.figures = figures or Figures()
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
                self._tell_rows(self.index(place, 0), range(len(layer.rows) + len(layer.groups)), _BARS)
        if rescaled and wanted:
            self._tell_rows(NOWHERE, range(len(wanted)), _BARS)
        if measured:
            self._tell_influence()

    def item(self, index: Index) -> Item | None:
        if not index.isValid():
            return None
        owner = index.internalId()
        if not owner:
            return self._layers[index.row()] if index.row() < len(self._layers) else None
        if owner >= _FIRST_NUMBER:
            parts = self._parts.get(self._keys[owner - _FIRST_NUMBER], ())
            return parts[index.row()] if index.row() < len(parts) else None
        return self._rows[WIRE_ORDER[owner - 1]][index.row()]

    def row(self, index: Index) -> SegmentRow | None:
        """The row at an index, also at one of its parts; None for a layer."""
        owner = index.internalId() if index.isValid() else 0
        found = self.item(index.parent() if owner >= _FIRST_NUMBER else index)
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
        return (self.index(place, 0) for place in range(len(self._layers)))

    # --- what Qt asks -----------------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: Index = NOWHERE) -> QModelIndex:
        if not 0 <= column < COLUMNS or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        owner = 0
        if parent.isValid() and parent.internalId():
            owner = self._number(self._rows[WIRE_ORDER[parent.internalId() - 1]][parent.row()].key)
        elif parent.isValid():
            owner = _owner(self._layers[parent.row()].name)
        return self.createIndex(row, column, owner)

    def parent(self, index: Index = NOWHERE) -> QModelIndex:  # type: ignore[override]
        owner = index.internalId() if index.isValid() else 0
        if not owner:
            return QModelIndex()
        if owner >= _FIRST_NUMBER:
            return self.index_of(self._keys[owner - _FIRST_NUMBER])
        name = WIRE_ORDER[owner - 1]
        place = next((n for n, layer in enumerate(self._layers) if layer.name == name), -1)
        return self.createIndex(place, 0, 0) if place >= 0 else QModelIndex()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        if not parent.isValid():
            return len(self._layers)
        owner = parent.internalId()
        if parent.column() or owner >= _FIRST_NUMBER:
            return 0
        if owner:
            rows = self._rows[WIRE_ORDER[owner - 1]]
            return len(self._parts.get(rows[parent.row()].key, ())) if parent.row() < len(rows) else 0
        return len(self._rows[self._layers[parent.row()].name])

    def columnCount(self, parent: Index = NOWHERE) -> int:
        below = parent.isValid() and (parent.internalId() or parent.column())
        return 0 if below and not self.rowCount(parent) else COLUMNS

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Lines can be chosen; a priority that can be changed can be typed."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        row = self.item(index)
        if isinstance(row, RowPart):
            return _PART_FLAGS
        if not isinstance(row, SegmentRow) or row.key in self._parts:
            return _LAYER_FLAGS
        typed = index.column() == Column.PRIORITY and can_prioritise(row)
        return _TYPED_FLAGS if typed else _ROW_FLAGS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
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
            return self.text(item, column)
        if role == Qt.ItemDataRole.ToolTipRole and column is Column.INFLUENCE:
            return tip(influence.cell_tip(item, self.figures))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(tip_with_acts(item, column)) if self._view is not None else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            first = column is Column.SEGMENT
            return self._spoken(item) if first else or_none(self.text(item, column))
        if role == Qt.ItemDataRole.EditRole and column is Column.PRIORITY:
            return item.priority if isinstance(item, SegmentRow) else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in _FIGURES else _LEADING
        return None

    def _spoken(self, item: Item) -> str:
        words = spoken(item, self._scale)
        if not self.figures.rows or not isinstance(item, SegmentRow | RowPart):
            return words
        return f"{words}, {influence.spoken_words(item, self.figures)}"

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Hand on a priority that was typed; the next state shows it."""
        row = self.row(index)
        if role != Qt.ItemDataRole.EditRole or row is None or value == row.priority:
            return False
        self.priority_typed.emit(row.key, int(value))
        return False

    # --- changing ---------------------------------------------------------------------------------------

    def _change_layers(self, wanted: Sequence[LayerRow]) -> None:
        change = edits([layer.name for layer in self._layers], [layer.name for layer in wanted])
        for first, count in change.removed:
            self.beginRemoveRows(NOWHERE, first, first + count - 1)
            for layer in self._layers[first : first + count]:
                self._forget_parts(self._rows.pop(layer.name))
            del self._layers[first : first + count]
            self._places = None
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(NOWHERE, first, first + count - 1)
            self._layers[first:first] = wanted[first : first + count]
            self._rows |= {layer.name: lines_of(layer) for layer in wanted[first : first + count]}
            for layer in wanted[first : first + count]:
                self._know_parts(layer.rows)
            self._places = None
            self.endInsertRows()

    def _change_layer(self, place: int, old: LayerRow, new: LayerRow) -> None:
        self._layers[place] = new
        self._tell_rows(NOWHERE, range(place, place + 1), changed_columns(old, new))
        if old.rows is new.rows and old.groups == new.groups:
            return
        parent, wanted = self.index(place, 0), lines_of(new)
        self._change_rows(parent, new.name, wanted)
        rows = self._rows[new.name]
        changed = [changed_columns(before, after) for before, after in zip(rows, wanted, strict=True)]
        rows[:] = wanted
        start = 0
        for columns, run in groupby(changed):
            length = len(list(run))
            self._tell_rows(parent, range(start, start + length), columns)
            start += length
        for at, row in enumerate(wanted):
            if isinstance(row, SegmentRow) and (self._parts_of(row) or row.key in self._parts):
                self._change_parts(self.index(at, 0, parent), row)

    def _change_rows(self, parent: QModelIndex, layer: str, wanted: Sequence[Line]) -> None:
        """Let rows go and come, so that the old and the new ones are the same keys in the same order."""
        rows = self._rows[layer]
        change = edits([row.key for row in rows], [row.key for row in wanted])
        for first, count in change.removed:
            self.beginRemoveRows(parent, first, first + count - 1)
            self._forget_parts(rows[first : first + count])
            del rows[first : first + count]
            self._places = None
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(parent, first, first + count - 1)
            rows[first:first] = wanted[first : first + count]
            self._know_parts(wanted[first : first + count])
            self._places = None
            self.endInsertRows()

    def _change_parts(self, parent: QModelIndex, row: SegmentRow) -> None:
        """Let parts of a row come and go at its end, and the others be painted again."""
        old, new = self._parts.get(row.key, ()), self._parts_of(row)
        if old == new:
            return
        kept = min(len(old), len(new))
        if len(old) > kept:
            self.beginRemoveRows(parent, kept, len(old) - 1)
            self._parts[row.key] = old[:kept]
            self.endRemoveRows()
        if len(new) > kept:
            self.beginInsertRows(parent, kept, len(new) - 1)
            self._parts[row.key] = new
            self.endInsertRows()
        self._parts[row.key] = new
        if not new:
            del self._parts[row.key]
        self._tell_rows(parent, range(kept), frozenset(Column))

    def _tell_influence(self) -> None:
        """Every row has another figure, and perhaps other sentences."""
        for parent in self.layer_indexes():
            rows = self._rows[self._layers[parent.row()].name]
            for at, row in enumerate(rows):
                if isinstance(row, SegmentRow):
                    self._change_parts(self.index(at, 0, parent), row)
            self._tell_rows(parent, range(len(rows)), frozenset({Column.INFLUENCE}))

    def _parts_of(self, row: SegmentRow) -> tuple[RowPart, ...]:
        return (*shown_parts(row), *self.figures.sentences.get(row.key, ()))

    def _know_parts(self, rows: Sequence[Line]) -> None:
        known = (row for row in rows if isinstance(row, SegmentRow))
        self._parts |= {row.key: parts for row in known if (parts := self._parts_of(row))}

    def _forget_parts(self, rows: Sequence[Line]) -> None:
        for row in rows:
            self._parts.pop(row.key, None)

    def _number(self, key: RowKey) -> int:
        if key not in self._numbers:
            self._numbers[key] = _FIRST_NUMBER + len(self._keys)
            self._keys.append(key)
        return self._numbers[key]

    def _tell_rows(self, parent: QModelIndex, places: range, columns: Columns) -> None:
        """Say that these columns of these rows are to be painted again: neighbouring ones at once."""
        if not columns or not places:
            return
        for _, run in groupby(enumerate(sorted(columns)), key=lambda pair: pair[1] - pair[0]):
            cells = [column for _, column in run]
            first = self.index(places[0], cells[0], parent)
            self.dataChanged.emit(first, self.index(places[-1], cells[-1], parent))


def lines_of(layer: LayerRow) -> list[Line]:
    """The rows of a layer, each group above the first of its own; one without any at the end."""
    lines: list[Line] = list(layer.rows)
    for group in layer.groups:
        places = (at for at, row in enumerate(lines) if isinstance(row, SegmentRow) and in_group(row, group))
        lines.insert(next(places, len(lines)), group)
    return lines


def in_group(row: SegmentRow, group: RowGroup) -> bool:
    """Whether a row stands in a group."""
    return row.found is not None and row.kind == group.kind


def shown_parts(row: SegmentRow) -> tuple[RowPart, ...]:
    """The parts of a row that say more than the row: not the default alone, which is all of it."""
    return () if [part.source for part in row.parts] == ["default"] else row.parts


def _owner(layer: str) -> int:
    return _OWNERS[layer]
