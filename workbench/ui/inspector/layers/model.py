"""Qt item model of a request's layers and rows; it reports changed cells only, so that views repaint little."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from workbench.domain.shown.envelope_view import (
    REFERENCES,
    EnvelopeView,
    LayerRow,
    RowGroup,
    RowKey,
    RowPart,
    SegmentRow,
)
from workbench.ui import formatting
from workbench.ui.influence_figures import NO_FACTS, Figures, RowFacts, fact_count_words
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
from workbench.ui.translation import tr
from workbench.ui.widgets.items.item_model import ItemModel
from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.labels import or_none

# Made once: every operation on Qt's flags makes an object in Python, and views ask for each cell they paint.
_LINE_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_LEAF_FLAGS = _LINE_FLAGS | Qt.ItemFlag.ItemNeverHasChildren
_TYPED_FLAGS = _LEAF_FLAGS | Qt.ItemFlag.ItemIsEditable
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEADING = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
_FIGURES = (Column.TOKENS, Column.INFLUENCE, Column.PRIORITY, Column.FACTS)


class LayersModel(ItemModel[Item]):
    """Layers, their rows, and the parts of instructions; a group is a line above its rows.

    Attributes:
        folded: the groups whose rows are hidden.
        figures: the measured influence of rows. facts: the rows and lines that have facts of the answer.
        flat: whether the rows are shown without their layers.
        seen: the columns that the view shows; changes in others are not reported.

    Signals:
        priority_typed: the user typed a priority for a row.
    """

    priority_typed = Signal(object, int)
    column_count = len(Column)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scale = Scale()
        self.folded: set[RowKey] = {REFERENCES}
        self.figures, self.flat = Figures(), False
        self.seen = frozenset(Column)
        self.facts = NO_FACTS
        self._edit = ("", "")

    def show_view(
        self, view: EnvelopeView | None, figures: Figures | None = None, facts: RowFacts = NO_FACTS
    ) -> None:
        """Show the rows of a request, with their influence if that was measured, and the facts of its answer."""
        checked, self.facts = facts != self.facts, facts
        measured = figures is not self.figures if figures is not None else bool(self.figures.rows)
        if measured:
            self.figures = figures or Figures()
        scale = scale_of(view) if view is not None else Scale()
        rescaled, self.scale = scale != self.scale, scale
        # Sentences that were measured, and lines with facts, stand below rows that are the same as before.
        self.show_items(view.layers if view is not None else (), deep=measured or checked)
        columns = ({Column.SHARE} if rescaled else set()) | ({Column.INFLUENCE} if measured else set())
        columns |= {Column.FACTS} if checked else set()
        if rescaled or checked:
            self.tell_rows(NOWHERE, range(self.rowCount()), columns - {Column.INFLUENCE})
        if columns:
            for layer in self.layer_indexes():
                self.tell_rows(layer, range(self.rowCount(layer)), columns)

    def row(self, index: Index) -> SegmentRow | None:
        """The row at an index or at one of its parts; None for a layer or group."""
        found = self.item(index)
        if isinstance(found, RowPart):
            found = self.item(index.parent())
        return found if isinstance(found, SegmentRow) else None

    def layer_indexes(self) -> Iterator[QModelIndex]:
        return (self.index(place) for place in range(self.rowCount()))

    def key_of(self, item: Item) -> RowKey | str | None:
        """What identifies an item across states: a layer's name or a row's key; None for parts, known by position."""
        return None if isinstance(item, RowPart) else item.name if isinstance(item, LayerRow) else item.key

    def children_of(self, item: Item) -> Sequence[Item]:
        if isinstance(item, LayerRow):
            return lines_of(item)
        if isinstance(item, SegmentRow):
            return (*self.begins_with(item), *self.facts.lines.get(item.key, ()))
        return ()

    def begins_with(self, row: SegmentRow) -> tuple[RowPart, ...]:
        """What stands below a row but lines with facts: what instructions are made of, and measured sentences."""
        return (*shown_parts(row), *self.figures.sentences.get(row.key, ()))

    def changed_columns(self, old: Item, new: Item) -> Collection[int]:
        if isinstance(old, RowPart) or isinstance(new, RowPart):
            return super().changed_columns(old, new)
        return changed_columns(old, new) & self.seen

    def text_of(self, item: Item, column: int = 0) -> str:
        if column == Column.INFLUENCE:
            return influence.cell_words(item, self.figures)
        if column == Column.FACTS:
            return formatting.tokens(count) if (count := self.fact_count(item)) else ""
        if column in (Column.STATE, Column.REASON) and self.is_edited(item):
            return tr("editing") if column == Column.STATE else self._edit[1]
        return cell_text(item, Column(column), self.scale)

    def show_edit(self, message: str, words: str) -> None:
        """Show which message is given other words, and what its row would be then; an empty id for none."""
        if (message, words) != self._edit:
            self._edit = (message, words)
            for layer in self.layer_indexes():
                self.tell_rows(layer, range(self.rowCount(layer)), {Column.STATE, Column.REASON})

    def is_edited(self, item: Item) -> bool:
        return isinstance(item, SegmentRow) and bool(self._edit[0]) and self._edit[0] in item.members

    def fact_count(self, item: Item) -> int:
        """How many facts of the answer a layer, a row or a line has."""
        if isinstance(item, RowPart):
            return len(item.spans)
        return self.facts.counts.get(item.name if isinstance(item, LayerRow) else item.key, 0)

    def tip_of(self, item: Item, column: int = 0) -> str:
        if column == Column.INFLUENCE:
            return influence.cell_tip(item, self.figures)
        return tip_with_acts(item, Column(column))

    def spoken_of(self, item: Item, column: int = 0) -> str:
        if column != Column.SEGMENT:
            return or_none(self.text_of(item, column))
        words = spoken(item, self.scale)
        if self.is_edited(item):
            words = f"{words}, {self.text_of(item, Column.STATE)}: {self.text_of(item, Column.REASON)}"
        if count := self.fact_count(item):
            words = f"{words}, {fact_count_words(count)}"
        if not self.figures.rows or not isinstance(item, SegmentRow | RowPart):
            return words
        return f"{words}, {influence.spoken_words(item, self.figures)}"

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Lines can be selected; a priority that may be changed can be edited."""
        node = self._nodes.get(index.internalId())  # a view asks twice for each line
        if node is None or node.item is None:
            return Qt.ItemFlag.NoItemFlags
        # A layer without rows is unfolded, too, for those that come.
        if node.below or self._child_nodes(node) or isinstance(node.item, LayerRow):
            return _LINE_FLAGS
        if index.column() == Column.PRIORITY and isinstance(node.item, SegmentRow):
            return _TYPED_FLAGS if can_prioritise(node.item) else _LEAF_FLAGS
        return _LEAF_FLAGS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return head_text(Column(section))
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The data of a cell for a Qt role; delegates use `item` instead."""
        match role:
            case Qt.ItemDataRole.TextAlignmentRole if self.item(index) is not None:
                return _alignment(index.column())
            case Qt.ItemDataRole.EditRole if index.column() == Column.PRIORITY:
                item = self.item(index)
                return item.priority if isinstance(item, SegmentRow) else None
            case _:
                return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit a typed priority; returns False since only the next state shows it."""
        row = self.row(index)
        if role != Qt.ItemDataRole.EditRole or row is None or value == row.priority:
            return False
        self.priority_typed.emit(row.key, int(value))
        return False


def _alignment(column: int) -> Qt.AlignmentFlag:
    return _RIGHT if column in _FIGURES else _LEADING


def lines_of(layer: LayerRow) -> list[Line]:
    """The rows of a layer with each group inserted above its first row, or at the end if it has none."""
    lines: list[Line] = list(layer.rows)
    for group in layer.groups:
        places = (at for at, row in enumerate(lines) if isinstance(row, SegmentRow) and in_group(row, group))
        lines.insert(next(places, len(lines)), group)
    return lines


def in_group(row: SegmentRow, group: RowGroup) -> bool:
    """Whether a row belongs to a group."""
    return row.group == group.key


def shown_parts(row: SegmentRow) -> tuple[RowPart, ...]:
    """The parts to show under a row; none if its only part is the default instructions."""
    return () if [part.source for part in row.parts] == ["default"] else row.parts
