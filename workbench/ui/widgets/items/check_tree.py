"""Base class of trees with a check box before each name, ticked and expanded by mouse and keyboard."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionButton, QStyleOptionViewItem

from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import after, placed, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.items.views import Index, RowDelegate, RowTree, paint_rule

HEAD = 28
CHEVRON_LEAD, CHEVRON, CHECK = 14, 12, 15
State = QStyle.StateFlag
_STATES = {
    Qt.CheckState.Checked: State.State_On,
    Qt.CheckState.PartiallyChecked: State.State_NoChange,
    Qt.CheckState.Unchecked: State.State_Off,
}


class Measure(NamedTuple):
    """Height of a row, indentation per level, and position of the check box."""

    row: int
    indent: int
    check_lead: int


class HeadColumn(NamedTuple):
    """Width of a column (0: the rest), and where its title is placed."""

    width: int = 0
    lead: int = 0
    trail: int = 0
    at_end: bool = False


class CheckTree(RowTree):
    """A tree whose first column has chevron, check box and name; a subclass paints the cells, and handles ticks.

    Signals:
        filter_wanted: the filter is to get the focus.
    """

    filter_wanted = Signal()

    def __init__(self, model: QAbstractItemModel, measure: Measure, columns: Sequence[HeadColumn]) -> None:
        super().__init__()
        self._measure = measure
        self.setUniformRowHeights(True)  # before the model is set, or nothing is shown
        head = _Header(self, columns)
        self.setHeader(head)
        self.setModel(model)
        head.set_up()
        delegate = RowDelegate(self)
        delegate.height = measure.row
        self.setItemDelegate(delegate)

    @abstractmethod
    def press_box(self, index: QModelIndex) -> None: ...

    @abstractmethod
    def paint_cells(self, painter: QPainter, index: Index, cells: Sequence[QRectF], shift: int) -> None:
        """Paint the columns of a row; the name is indented by `shift`."""

    def is_marked(self, index: Index) -> bool:
        return self.selectionModel().isSelected(index)

    def check_box(self, index: Index) -> QRectF:
        return placed(QRectF(self.visualRect(index)), self._measure.check_lead + self._shift(index), CHECK)

    def chevron_box(self, index: Index) -> QRectF:
        return placed(QRectF(self.visualRect(index)), CHEVRON_LEAD + self._shift(index), CHEVRON)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Slash:
                self.filter_wanted.emit()
            case Qt.Key.Key_F if control:
                self.filter_wanted.emit()
            case Qt.Key.Key_Left | Qt.Key.Key_Right if self.currentIndex().isValid():
                self._fold(opens=event.key() == Qt.Key.Key_Right)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._press(event.position().toPoint()):
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Expand or collapse a row; on a box a double click counts as two."""
        place = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or self._press(place):
            return
        index = self.indexAt(place)
        if index.isValid():
            self.toggle_open(index)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row's background, cells and focus ring as a whole, which is twice as fast as cell by cell."""
        theme, box = theme_of(self), self.row_box(option)
        here = self.model().index(index.row(), 0, index.parent())
        if self.is_marked(here):
            painter.fillRect(box, colour("sel", theme))
        elif self._is_under_pointer(box):
            painter.fillRect(box, colour("hover", theme))
        head = self.header()
        cells = [
            QRectF(head.sectionViewportPosition(column), box.top(), head.sectionSize(column), box.height())
            for column in range(head.count())
        ]
        shift = self._shift(here)
        self._paint_box(painter, cells[0], here, shift)
        self.paint_cells(painter, here, cells, shift)
        if self.is_ringed(here):
            stroke_rounded(painter, box.adjusted(2, 1, -2, -1), theme.accent, 4, 2)

    def _paint_box(self, painter: QPainter, rect: QRectF, index: Index, shift: int) -> None:
        model = self.model()
        if model.rowCount(index):
            icon = "chevron-down" if self.isExpanded(index) else "chevron-right"
            paint_icon(painter, placed(rect, CHEVRON_LEAD + shift, CHEVRON), icon, "t2", CHEVRON)
        option = QStyleOptionButton()
        option.rect = placed(rect, self._measure.check_lead + shift, CHECK).toRect()  # type: ignore[attr-defined]
        state = _STATES[model.data(index, Qt.ItemDataRole.CheckStateRole)]
        enabled = State.State_Enabled if self._can_tick(index) else State.State_None
        option.state = state | enabled  # type: ignore[attr-defined]
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, option, painter, self)

    def _press(self, place: QPoint) -> bool:
        """Toggle the box or chevron at a point, both with a larger area than painted; return whether there was one."""
        index, at = self.indexAt(place), place.toPointF()
        if not index.isValid() or index.column():
            return False
        if self._can_tick(index) and self.check_box(index).adjusted(-4, 0, 3, 0).contains(at):
            self.setCurrentIndex(index)
            self.press_box(index)
            return True
        if self.model().rowCount(index) and self.chevron_box(index).adjusted(-6, 0, 3, 0).contains(at):
            self.toggle_open(index)
            return True
        return False

    def _fold(self, opens: bool) -> None:
        """Expand or collapse by arrow keys; if it is so already, move to the first child or the parent."""
        index = self.currentIndex().siblingAtColumn(0)
        below = self.model().rowCount(index)
        if opens and below and not self.isExpanded(index):
            self.expand(index)
        elif opens and below:
            self.setCurrentIndex(self.model().index(0, 0, index))
        elif not opens and self.isExpanded(index):
            self.collapse(index)
        elif not opens and index.parent().isValid():
            self.setCurrentIndex(index.parent())

    def _can_tick(self, index: Index) -> bool:
        return bool(self.model().flags(index) & Qt.ItemFlag.ItemIsUserCheckable)

    def _is_under_pointer(self, row: QRectF) -> bool:
        y = self.viewport().mapFromGlobal(self.cursor().pos()).y()
        return self.viewport().underMouse() and row.top() <= y < row.bottom()

    def _shift(self, index: Index) -> int:
        depth, above = 0, index.parent()
        while above.isValid():
            depth, above = depth + 1, above.parent()
        return self._measure.indent * depth


class _Header(QHeaderView):
    """The titles of the columns, aligned with their content."""

    def __init__(self, view: CheckTree, columns: Sequence[HeadColumn]) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._columns = columns
        self.setSectionsClickable(False)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(20)
        self.setFixedHeight(HEAD)

    def set_up(self) -> None:
        """Set the widths of the columns, which needs a model."""
        for number, column in enumerate(self._columns):
            if column.width:
                self.setSectionResizeMode(number, QHeaderView.ResizeMode.Fixed)
                self.resizeSection(number, column.width)
            else:
                self.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme, box, column = theme_of(self), QRectF(rect), self._columns[section]
        painter.fillRect(box, colour("surface", theme))
        paint_rule(painter, box)
        set_text_style(painter, font("meta"), colour("t2", theme))
        side = Qt.AlignmentFlag.AlignTrailing if column.at_end else Qt.AlignmentFlag.AlignLeading
        words = str(self.model().headerData(section, Qt.Orientation.Horizontal))
        painter.drawText(after(box, column.lead, column.trail), side | Qt.AlignmentFlag.AlignVCenter, words)
