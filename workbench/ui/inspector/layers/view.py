"""The tree-table as it is seen: layers and their rows, one of which is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QMouseEvent, QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyleOptionViewItem, QWidget

from workbench.domain.guide import GuidePage
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import (
    EnvelopeView,
    LayerRow,
    RowGroup,
    RowKey,
    RowPart,
    RowState,
    SegmentRow,
)
from workbench.ui.influence_figures import NO_FACTS, Figures, RowFacts, sorted_view
from workbench.ui.inspector.layers.cells import Column, Item, head_text, part_words
from workbench.ui.inspector.layers.delegates import DELEGATES, Cell, CellDelegate
from workbench.ui.inspector.layers.model import LayersModel, in_group
from workbench.ui.inspector.layers.painting import page_about, paint_fact_lines, paint_words
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.look.fonts import font, line_height, scale
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    after,
    badge_width,
    elided,
    paint_elided,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import STATE_LOOK, state_word
from workbench.ui.translation import tr
from workbench.ui.widgets.items.views import Index, RowTree

# The columns of the tree-table: how wide each is, and which give way in a narrow pane.


WIDE: Mapping[Column, int] = {
    Column.SEGMENT: 166, Column.TOKENS: 54, Column.INFLUENCE: 148, Column.SHARE: 86,
    Column.PRIORITY: 52, Column.PIN: 26,
    Column.STATE: 96, Column.CACHE: 46, Column.DIGEST: 66, Column.REASON: 160, Column.FACTS: 64,
}  # fmt: skip
NARROW: Mapping[Column, int] = {
    Column.SEGMENT: 190, Column.TOKENS: 54, Column.INFLUENCE: 148, Column.SHARE: 86,
    Column.PRIORITY: 52, Column.PIN: 26,
    Column.STATE: 96, Column.CACHE: 50, Column.DIGEST: 66, Column.REASON: 160, Column.FACTS: 64,
}  # fmt: skip
GIVE_WAY: tuple[tuple[Column, int], ...] = (
    (Column.DIGEST, 690),
    (Column.REASON, 630),
    (Column.CACHE, 530),
)
"""Below which width of the table a column goes, in the order in which they go."""
TUNED = frozenset({Column.PRIORITY, Column.PIN})
"""Columns in whose place influence stands: of a request that was sent nothing of it can be changed."""
_WIDER = 60
"""So much wider the table must be with that."""
_TAG_ROOM = 30
"""For the tag that each row has when rows are sorted."""

LEADS: Mapping[Column, int] = {
    Column.SEGMENT: 31, Column.INFLUENCE: 12, Column.SHARE: 8, Column.STATE: 7,
    Column.CACHE: 1, Column.DIGEST: 1, Column.REASON: 1,
}  # fmt: skip
LEAST_WIDTH = 24
_KEPT_COLUMNS = 10
"""So many columns there were when widths were first remembered; newer ones have their own until they are changed."""


def columns_for(
    width: int,
    unwanted: frozenset[Column],
    influence: bool = False,
    watched: bool = False,
    facts: bool = False,
) -> tuple[Column, ...]:
    """The columns that are shown in a table of that width; with influence it stands where priorities would.

    Of what is watched nothing can be tuned, and its texts are told apart by their digests.
    """
    if watched:
        unwanted = (unwanted | TUNED) - {Column.DIGEST}
    more = (_WIDER if influence else 0) + (WIDE[Column.FACTS] if facts else 0)
    gone = {column for column, least in GIVE_WAY if width < (least + more) * scale()}
    gone |= (unwanted - {Column.INFLUENCE}) | (TUNED if influence else {Column.INFLUENCE})
    gone |= set() if facts else {Column.FACTS}
    return tuple(column for column in Column if column not in gone)


class TreeHeader(QHeaderView):
    """The line of column heads; it knows two sets of widths, for a wide and for a narrow table.

    Signals:
        rearranged: a width or the choice of columns was changed by hand.
    """

    rearranged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._widths = {"wide": dict(WIDE), "narrow": dict(NARROW)}
        self._unwanted: frozenset[Column] = frozenset({Column.DIGEST})
        self._mode = ""
        self.seen = frozenset(Column)
        self._influence = self._watched = self._facts = False
        self._arranging = False
        self.setSectionsMovable(False)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(LEAST_WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.sectionResized.connect(self._on_resized)

    def show_influence(self, there: bool, width: int) -> None:
        """Make room for the column of influence, or take it away."""
        if there != self._influence:
            self._influence = there
            self.arrange(width)

    def show_facts(self, there: bool, width: int) -> None:
        """Make room for the column of facts, or take it away."""
        if there != self._facts:
            self._facts = there
            self.arrange(width)

    def show_watched(self, watched: bool, width: int) -> None:
        """Take the columns away by which something is tuned, or bring them back."""
        if watched != self._watched:
            self._watched = watched
            self.arrange(width)

    def arrange(self, width: int) -> None:
        shown = columns_for(width, self._unwanted, self._influence, self._watched, self._facts)
        self.seen = frozenset(shown)
        self._mode = "wide" if Column.REASON in shown else "narrow"
        self._arranging = True
        for column in Column:
            self.setSectionHidden(column, column not in shown)
        wide = self._mode == "wide"
        # A section that stretches takes no width, so none does while widths are given.
        self.setStretchLastSection(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in shown:
            self.resizeSection(
                column, round((self._widths[self._mode][column] + self._more(column)) * scale())
            )
        if wide:
            # The last section grows by itself, but never gives way.
            others = sum(self.sectionSize(column) for column in shown if column is not Column.REASON)
            self.resizeSection(Column.REASON, max(LEAST_WIDTH, width - others))
        else:
            self.setSectionResizeMode(Column.SEGMENT, QHeaderView.ResizeMode.Stretch)
        self.setStretchLastSection(wide and not self._facts)
        self._arranging = False

    def unwanted(self) -> frozenset[Column]:
        return self._unwanted

    def want(self, column: Column, wanted: bool, width: int) -> None:
        """Switch a column on or off; the first one always stays."""
        if column is Column.SEGMENT:
            return
        self._unwanted = self._unwanted - {column} if wanted else self._unwanted | {column}
        self.arrange(width)
        self.rearranged.emit()

    def remembered(self) -> str:
        widths = [
            ",".join(str(self._widths[mode][column]) for column in Column) for mode in ("wide", "narrow")
        ]
        return ";".join([*widths, ",".join(str(int(column)) for column in sorted(self._unwanted))])

    def restore(self, text: str, width: int) -> None:
        """Widths and choice as they were left; what cannot be read changes nothing."""
        parts = text.split(";")
        try:
            wide, narrow = ([int(each) for each in part.split(",")] for part in parts[:2])
            unwanted = frozenset(Column(int(each)) for each in parts[2].split(",") if each)
        except (ValueError, IndexError):
            return
        if _KEPT_COLUMNS <= len(wide) == len(narrow) <= len(Column) and min(*wide, *narrow) >= LEAST_WIDTH:
            self._widths = {
                "wide": {**WIDE, **dict(zip(Column, wide, strict=False))},
                "narrow": {**NARROW, **dict(zip(Column, narrow, strict=False))},
            }
            self._unwanted = unwanted - {Column.SEGMENT}
            self.arrange(width)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), line_height("row"))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme = theme_of(self)
        painter.save()
        set_text_style(painter, font("meta"), colour("t2", theme))
        column, box = Column(section), QRectF(rect)
        text = elided(painter.font(), head_text(column), box.width() - 6)
        if column in LEADS:
            paint_elided(painter, after(box, LEADS[column], 2), text)
        elif column is Column.PIN and text != head_text(column):
            paint_icon(painter, box, "pin", "t2", 14)  # a long word would be cut to its first letter
        elif column is Column.PIN:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        else:
            trail = {Column.PRIORITY: 6, Column.FACTS: 10}.get(column, 0)
            flags = (
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
            )
            painter.drawText(after(box, 0, trail), flags, text)
        painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), colour(theme.line))
        painter.restore()

    def _more(self, column: Column) -> int:
        if column is Column.STATE and self._widths[self._mode][column] == WIDE[column]:
            return _wider_state()
        return _TAG_ROOM if self._influence and column is Column.SEGMENT else 0

    def _on_resized(self, section: int, _old: int, new: int) -> None:
        if self._arranging or not self._mode or not new:
            return
        column = Column(section)
        stretches = Column.REASON if self._mode == "wide" else Column.SEGMENT
        if column is not stretches:
            own = round(new / scale()) - self._more(column)
            self._widths[self._mode][column] = max(LEAST_WIDTH, own)
            self.rearranged.emit()


_STATES: tuple[RowState, ...] = ("sent", "excluded", "dropped", "recalled", "compacted", "trimmed")
"""The words of these are never cut: what happens to a row is what the table is for."""


def _wider_state() -> int:
    """By how much the column of states grows for the words of the shown language."""
    needed = max(badge_width(STATE_LOOK[state].icon, state_word(state)) for state in _STATES)
    return max(0, round(needed / scale() + LEADS[Column.STATE] + 3) - WIDE[Column.STATE])


_ROW = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows


class SegmentTree(RowTree):
    """Layers and rows in wire order; rows are chosen by their keys.

    Signals:
        selected: the key of the row or group that was chosen; None for a layer.
    """

    selected = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: EnvelopeView | None = None
        self._figures: Figures | None = None
        self._words = ""
        self._hovered = QPersistentModelIndex()
        self._updating = False
        self._dirty = QRegion()
        self._cells: list[tuple[Column, QRect, CellDelegate]] = []
        self.rows = LayersModel(self)
        self.head = TreeHeader(self)
        self._set_up()
        for column, delegate in DELEGATES.items():
            self.setItemDelegateForColumn(column, delegate(self.rows, self))
        self.rows.rowsInserted.connect(self._on_inserted)
        self.selectionModel().selectionChanged.connect(self._on_selection)

    def _set_up(self) -> None:
        self.setUniformRowHeights(True)  # before the model is set, or nothing is shown
        self.setHeader(self.head)
        self.setModel(self.rows)
        self.head.moveSection(self.head.visualIndex(Column.INFLUENCE), Column.SHARE)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAccessibleName(tr("Segments of the request"))

    def show_view(
        self,
        view: EnvelopeView | None,
        figures: Figures | None = None,
        flat: bool = False,
        facts: RowFacts = NO_FACTS,
    ) -> None:
        """Show a request, with what its rows carried where that is known; `flat` sorts them by that.

        `facts` are the rows and lines that have facts of its answer, where it was checked.
        """
        flat = flat and figures is not None
        same = figures is self._figures and flat is self.rows.flat and facts == self.rows.facts
        if view is self._view and same:
            return
        chosen = self.selected_key()
        self._updating = True
        if self.rows.flat:
            self.setRootIndex(QModelIndex())
        before = [self.rows.item(index) for index in self.rows.layer_indexes()]
        self._view, self._figures, self.rows.flat = view, figures, flat
        ordered = sorted_view(view, figures) if flat and view is not None and figures is not None else view
        self.rows.seen = self.head.seen
        self.rows.show_view(ordered, figures, facts)
        if flat:
            self.setRootIndex(self.rows.index(0, 0))  # its rows alone, without a line of their layer
        self.head.show_influence(figures is not None, self.viewport().width())
        self.head.show_facts(bool(facts.counts), self.viewport().width())
        self.head.show_watched(view is not None and view.watched, self.viewport().width())
        self._filter_grouped(before)
        self._updating = False
        self._choose_again(chosen)

    def _filter_grouped(self, before: Sequence[object]) -> None:
        """Rows that came into a group or left it are hidden and shown with it; layers that are the same stay."""
        old = {line.name: line for line in before if isinstance(line, LayerRow)}
        for index in self.rows.layer_indexes():
            line = self.rows.item(index)
            if not isinstance(line, LayerRow) or line is old.get(line.name):
                continue
            both = (line, old.get(line.name, line))
            if self._words or any(row.group is not None for layer in both for row in layer.rows):
                self._filter(index, 0, self.rows.rowCount(index) - 1)

    def select(self, key: RowKey | None) -> None:
        """Mark a row and bring it into sight; None marks nothing."""
        if key == self.selected_key():
            return
        index = self.rows.index_of(key) if key is not None else QModelIndex()
        if index.isValid():
            row = self.rows.row(index)
            if row is not None and self.is_folded(group := self.group_of(row)) and group.isValid():
                self.toggle_layer(group)
            self.expand(index.parent())
            if key in self.rows.facts.lines:
                self.expand(index)
            self.setCurrentIndex(index)
        elif key is None:
            self.selectionModel().clear()

    def selected_key(self) -> RowKey | None:
        """The key of the chosen row or group; None where a layer is chosen, or nothing."""
        chosen = self.selectionModel().selectedRows()
        line = self.rows.item(chosen[0]) if chosen else None
        row = line if isinstance(line, RowGroup) else self.selected_row()
        return row.key if row is not None else None

    def selected_row(self) -> SegmentRow | None:
        """The chosen row; the line that only has the focus is not chosen."""
        chosen = self.selectionModel().selectedRows()
        return self.rows.row(chosen[0]) if chosen else None

    def set_filter(self, words: str) -> None:
        """Show only rows whose name has these letters in it; an empty text shows all."""
        wanted = words.strip().casefold()
        if wanted != self._words:
            self._words = wanted
            for index in self.rows.layer_indexes():
                self._filter(index, 0, self.rows.rowCount(index) - 1)

    def shown_rows(self) -> int:
        return sum(
            not self.isRowHidden(row, index)
            for index in self.rows.layer_indexes()
            for row in range(self.rows.rowCount(index))
        )

    def toggle_layer(self, index: QModelIndex) -> None:
        first = index.siblingAtColumn(0)
        line = self.rows.item(first)
        if isinstance(line, RowGroup):
            self.rows.folded ^= {line.key}
            parent = first.parent()
            self._filter(parent, 0, self.rows.rowCount(parent) - 1)
            self.viewport().update()
            return
        self.toggle_open(first)

    def is_folded(self, index: Index) -> bool:
        line = self.rows.item(index)
        if isinstance(line, RowGroup):
            return line.key in self.rows.folded
        return not self.isExpanded(self.rows.index(index.row(), 0, index.parent()))

    def group_of(self, row: SegmentRow) -> QModelIndex:
        """The line of the group that a row stands in; an invalid index where it stands in none."""
        return self.rows.index_of(row.group) if row.group is not None else QModelIndex()

    def layer_box(self, layer: LayerName) -> QRect:
        """Where the line of a layer is in the viewport; empty where there is none."""
        for index in self.rows.layer_indexes():
            line = self.rows.item(index)
            if isinstance(line, LayerRow) and line.name == layer:
                row = self.visualRect(index)
                return QRect(0, row.top(), self.viewport().width(), row.height())
        return QRect()

    def column_box(self, column: Column) -> QRect:
        """Where the cells of a column are in the viewport, as far down as there are rows; empty where it is hidden."""
        if self.head.isSectionHidden(column) or not self.rows.rowCount():
            return QRect()
        last = self.indexAt(QPoint(0, self.viewport().height() - 1))
        high = self.viewport().height() if last.isValid() else self._rows_bottom()
        return QRect(self.columnViewportPosition(column), 0, self.columnWidth(column), high)

    def guide_page_at(self, at: QPoint | None) -> GuidePage:
        """Where the guide says more about the column that is pointed at; about requests where none is."""
        section = -1 if at is None else self.head.logicalIndexAt(at.x())
        return page_about(Column(section)) if section >= 0 else "request"

    def _rows_bottom(self) -> int:
        index = self.rows.index(self.rows.rowCount() - 1, 0)
        while self.isExpanded(index) and self.rows.rowCount(index):
            index = self.rows.index(self.rows.rowCount(index) - 1, 0, index)
        return self.visualRect(index).bottom() + 1

    # --- what Qt calls ----------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt makes the first line the current one here; nobody has chosen it."""
        self._updating = True
        super().focusInEvent(event)
        self._updating = False

    def leaveEvent(self, event: object) -> None:
        super().leaveEvent(event)  # type: ignore[arg-type]  # the stub wants another class than Qt passes
        self._hover(QModelIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        chosen = self.currentIndex()
        seen = chosen.isValid() and self.visualRect(chosen).bottom() < event.oldSize().height()
        super().resizeEvent(event)
        self.head.arrange(self.viewport().width())
        if seen and self.selected_key() is not None:
            self.scrollTo(chosen)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Note what changed: of a line in which one cell did, the others are not painted."""
        self._dirty = event.region()
        seen, head = self._dirty.boundingRect(), self.head
        self._cells = []
        # As they lie: influence stands in another place than its number says.
        for place in range(head.count()):
            section = head.logicalIndex(place)
            left, width = head.sectionViewportPosition(section), head.sectionSize(section)
            painted = self.itemDelegateForColumn(section)
            if width and left <= seen.right() and left + width > seen.left():
                assert isinstance(painted, CellDelegate)
                self._cells.append((Column(section), QRect(left, 0, width, 0), painted))
        super().paintEvent(event)

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row's ground, cells and ring; Qt would ask model, style and delegate for every cell."""
        theme = theme_of(self)
        rect = self.row_box(options)
        layer = not index.parent().isValid()
        chosen = self.selectionModel().isRowSelected(index.row(), index.parent())
        ground = self._ground(index, layer, chosen)
        if ground:
            painter.fillRect(rect, colour(ground, theme))
        if layer:
            painter.fillRect(QRectF(0, rect.bottom() - 1, rect.width(), 1), colour(theme.line))
        item = self.rows.item(index)
        for column, place, delegate in self._cells:
            place.setRect(place.left(), round(rect.top()), place.width(), round(rect.height()))
            if item is not None and self._dirty.intersects(place):
                text = self.rows.text_of(item, column)
                cell = Cell(options, QRectF(place), item, column, text, theme, chosen)
                painter.setPen(colour(cell.ink("t1"), theme))
                delegate.paint_cell(painter, cell)
        if isinstance(item, RowPart):
            # A line with facts has no figures before it, and the room to its end.
            column = Column.TOKENS if item.spans else Column.SHARE
            words = after(
                rect, self.columnViewportPosition(column) + LEADS.get(column, 8), 40 if item.spans else 8
            )
            set_text_style(painter, font("row_small"), colour("t2", theme_of(self)))
            paint_words(painter, words, part_words(item))
            paint_fact_lines(painter, words, item, theme)
        if self.is_ringed(index):
            stroke_rounded(painter, rect.adjusted(1, 0, -1, 0), theme.accent, 4, 2)

    def _is_line(self, index: Index, other: Index) -> bool:
        return other.isValid() and index.row() == other.row() and index.parent() == other.parent()

    def _ground(self, index: Index, layer: bool, chosen: bool) -> str:
        if chosen:
            return "sel"
        if self._is_line(index, self._hovered):
            return "hover"
        return "sunken" if layer else ""

    # --- keeping view and model together ----------------------------------------------------------------

    def _choose_again(self, key: RowKey | None) -> None:
        """After a change the same row is chosen, in whichever layer it stands now; where it is gone, none is.

        What Qt chooses in its place is another file, which the next key would be meant for.
        """
        if key is None or self.selected_key() == key:
            return
        layers = (layer.name for layer in self._view.layers) if self._view is not None else ()
        places = (self.rows.index_of(RowKey(layer, key.id)) for layer in (key.layer, *layers))
        index = next((place for place in places if place.isValid()), None)
        self._updating = True
        if index is None:
            self.selectionModel().clearSelection()
        else:
            self.selectionModel().setCurrentIndex(index, _ROW)
        self._updating = False
        if self.selected_key() != key:
            self.selected.emit(self.selected_key())

    def _on_selection(self) -> None:
        if not self._updating:
            self.selected.emit(self.selected_key())

    def _on_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        if parent.parent().isValid():
            self._unfold(parent.parent(), parent.row(), parent.row())
            return
        if parent.isValid():
            self._filter(parent, first, last, new=True)
            self._unfold(parent, first, last)
            return
        for place in range(first, last + 1):
            index = self.rows.index(place, 0)
            self.expand(index)
            self._filter(index, 0, self.rows.rowCount(index) - 1, new=True)
            self._unfold(index, 0, self.rows.rowCount(index) - 1)

    def _unfold(self, parent: QModelIndex, first: int, last: int) -> None:
        """What instructions are made of is seen from the beginning; lines with facts are unfolded by who wants them."""
        for row, line in enumerate(self.rows.below(parent)[first : last + 1], first):
            if isinstance(line, SegmentRow) and self.rows.begins_with(line):
                self.expand(self.rows.index(row, 0, parent))

    def _filter(self, parent: QModelIndex, first: int, last: int, *, new: bool = False) -> None:
        """Hide and show rows as they should be; a new one is shown."""
        for row, line in enumerate(self.rows.below(parent)[first : last + 1], first):
            hide = self._is_hidden(line, parent)
            if hide != (not new and self.isRowHidden(row, parent)):
                self.setRowHidden(row, parent, hide)

    def _is_hidden(self, line: Item, parent: QModelIndex) -> bool:
        if isinstance(line, RowGroup):
            others = (one for one in self.rows.below(parent) if isinstance(one, SegmentRow))
            inside = [one for one in others if in_group(one, line)]
            return bool(self._words) and not any(self._words in row_name(one).casefold() for one in inside)
        if not isinstance(line, SegmentRow):
            return bool(self._words)
        folded = line.group in self.rows.folded and self.group_of(line).isValid()
        return self._words not in row_name(line).casefold() if self._words else folded

    def _hover(self, index: QModelIndex) -> None:
        now = QPersistentModelIndex(index.siblingAtColumn(0))
        if now == self._hovered:
            return
        for each in (self._hovered, now):
            if each.isValid():
                rect = self.visualRect(self.rows.index(each.row(), 0, each.parent()))
                self.viewport().update(0, rect.top(), self.viewport().width(), rect.height())
        self._hovered = now
