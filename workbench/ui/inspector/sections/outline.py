"""The outline on the screen: boxes ticked by mouse and key, headings opened and closed."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QTreeView,
)

from workbench.ui.inspector.sections.model import Column, OutlineModel, has_pages
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import after, elided, paint_figure, placed, stroke_rounded
from workbench.ui.look.theme import colour, theme_of

Index = QModelIndex | QPersistentModelIndex
ROW, INDENT, HEAD = 28, 18, 28
PAGES, FIGURE, END = 62, 66, 12
CHEVRON_LEAD, CHECK_LEAD, NAME_LEAD = 14, 34, 56
CHEVRON, CHECK = 12, 15
OPEN_AT_FIRST = 24
"""As long as no more rows than these are seen, headings come open."""
_WORDS = int(
    Qt.AlignmentFlag.AlignVCenter.value
    | Qt.AlignmentFlag.AlignLeading.value
    | Qt.TextFlag.TextSingleLine.value
)
State = QStyle.StateFlag
_ON = {"on": State.State_On, "some": State.State_NoChange, "off": State.State_Off}


class _Header(QHeaderView):
    """The names of the columns, each over what stands in it."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self.setSectionsClickable(False)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(20)
        self.setFixedHeight(HEAD)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Paint a name; figures' names end where they do."""
        theme, box = theme_of(self), QRectF(rect)
        painter.fillRect(box, colour("surface", theme))
        painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), colour("line", theme))
        painter.setFont(font("meta"))
        painter.setPen(colour("t2", theme))
        align = Qt.AlignmentFlag.AlignVCenter
        if section == Column.NAME:
            align |= Qt.AlignmentFlag.AlignLeading
            box = after(box, CHEVRON_LEAD, 0)
        else:
            align |= Qt.AlignmentFlag.AlignTrailing
            box = after(box, 0, _end(section))
        painter.drawText(
            box,
            align,
            str(self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)),
        )


class OutlineView(QTreeView):
    """The parts of a file.

    Signals:
        ticked: a part was ticked or not, by its place. only: this part and nothing else is wanted.
        looked_at: the part whose text is to be shown, by its place.
        filter_wanted: the keyboard goes to the filter.
    """

    ticked = Signal(int)
    only = Signal(int)
    looked_at = Signal(int)
    filter_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.parts = OutlineModel(self)
        self.setUniformRowHeights(True)
        head = _Header(self)
        self.setHeader(head)
        self.setModel(self.parts)
        head.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in ((Column.PAGES, PAGES), (Column.TOKENS, FIGURE), (Column.CHOSEN, FIGURE + END)):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            head.resizeSection(column, width)
        self.setItemDelegate(_Rows(self))
        self.setAccessibleName(self.tr("Sections"))
        self.setAccessibleDescription(
            self.tr("Space attaches a section or takes it off, Enter attaches it alone.")
        )
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.parts.modelReset.connect(self._on_reset)
        self.parts.dataChanged.connect(lambda *_: self.viewport().update())

    def place(self) -> int:
        """The part that the keyboard is on; -1 for none."""
        return self.parts.place(self.currentIndex())

    def go_to(self, place: int) -> None:
        """Go to a part, and open what it lies in."""
        above = self.parts.outline.parents[place]
        while above >= 0:
            self.expand(self.parts.index_of(above))
            above = self.parts.outline.parents[above]
        self.setCurrentIndex(self.parts.index_of(place))

    def open_some(self) -> None:
        """Open what is ticked in part, then the first headings as long as there are few rows."""
        seen = self.parts.rowCount()
        outline = self.parts.outline
        for place in range(len(outline.parts)):
            below = sum(1 for _ in outline.below(place))
            # Pages are many and all alike: they come when somebody opens their heading.
            pages = below and outline.parts[place + 1].anchor.startswith("p") and below > 1
            partly = self.parts.tick(place) == "some"
            if below and (partly or (not pages and seen + below <= OPEN_AT_FIRST)):
                self.expand(self.parts.index_of(place))
                seen += below

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space ticks, with Shift it opens as well; Enter attaches one alone; / and Ctrl+F go to the filter."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        place = self.place()
        match event.key():
            case Qt.Key.Key_Space if place >= 0:
                if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                    self.expandRecursively(self.currentIndex())
                self.ticked.emit(place)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if place >= 0:
                self.only.emit(place)
            case Qt.Key.Key_Slash:
                self.filter_wanted.emit()
            case Qt.Key.Key_F if control:
                self.filter_wanted.emit()
            case Qt.Key.Key_Left | Qt.Key.Key_Right if place >= 0:
                self._fold(Qt.Key(event.key()), place)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on a box ticks it, one on a chevron opens its heading."""
        if event.button() == Qt.MouseButton.LeftButton and self._press(event.position().toPoint()):
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Twice on a heading opens it; twice on a box are two presses."""
        where = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or self._press(where):
            return
        index = self.indexAt(where)
        if index.isValid():
            self._toggle_open(index)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """The text follows the row."""
        super().currentChanged(current, previous)
        if (place := self.parts.place(current)) >= 0:
            self.looked_at.emit(place)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the ground of a row, its cells, and the ring of the one that the keyboard is on."""
        theme, place = theme_of(self), self.parts.place(index)
        rect: QRect = option.rect  # type: ignore[attr-defined]
        box = QRectF(0, rect.top(), self.viewport().width(), rect.height())
        here = place == self.place()
        if here:
            painter.fillRect(box, colour("sel", theme))
        elif self._is_under_pointer(rect):
            painter.fillRect(box, colour("hover", theme))
        head = self.header()
        cells = {
            column: QRectF(
                head.sectionViewportPosition(column), rect.top(), head.sectionSize(column), rect.height()
            )
            for column in Column
        }
        self._paint_name(painter, cells[Column.NAME], place)
        self._paint_figures(painter, cells, place)
        by_keyboard = self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if self.hasFocus() and by_keyboard and here:
            stroke_rounded(painter, box.adjusted(2, 1, -2, -1), theme.accent, 4, 2)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """The chevrons are painted with the names."""

    def _paint_name(self, painter: QPainter, rect: QRectF, place: int) -> None:
        shift = self._shift(place)
        if self.parts.has_below(place):
            opened = self.isExpanded(self.parts.index_of(place))
            spot = placed(rect, CHEVRON_LEAD + shift, CHEVRON)
            paint_icon(painter, spot, "chevron-down" if opened else "chevron-right", "t2", CHEVRON)
        option = QStyleOptionButton()
        option.rect = placed(rect, CHECK_LEAD + shift, CHECK).toRect()  # type: ignore[attr-defined]
        tick = self.parts.tick(place)
        option.state = _ON[tick] | State.State_Enabled  # type: ignore[attr-defined]
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, option, painter, self)
        top = self.parts.outline.parents[place] < 0 and self.parts.has_below(place)
        painter.setFont(font("row", 600 if top else None))
        painter.setPen(colour("t1", theme_of(self)))
        room = after(rect, NAME_LEAD + shift, 8)
        painter.drawText(
            room, _WORDS, elided(painter.font(), self.parts.text(place, Column.NAME), room.width())
        )

    def _paint_figures(self, painter: QPainter, cells: dict[Column, QRectF], place: int) -> None:
        theme = theme_of(self)
        looks = ((Column.PAGES, "row_small", None, "t2"), (Column.TOKENS, "row", None, "t1"),
                 (Column.CHOSEN, "row", 600, "t1"))  # fmt: skip
        for column, role, weight, token in looks:
            words = self.parts.text(place, column)
            if words and not self.isColumnHidden(column):
                painter.setFont(font(role, weight))  # type: ignore[arg-type]
                painter.setPen(colour(token, theme))
                paint_figure(
                    painter, after(cells[column], 0, _end(column)), words, Qt.AlignmentFlag.AlignRight
                )

    def _is_under_pointer(self, row: QRect) -> bool:
        where = self.viewport().mapFromGlobal(self.cursor().pos())
        return self.viewport().underMouse() and row.top() <= where.y() <= row.bottom()

    def _press(self, where: QPoint) -> bool:
        index = self.indexAt(where)
        if not index.isValid() or index.column() != Column.NAME:
            return False
        place, row = self.parts.place(index), QRectF(self.visualRect(index))
        shift = self._shift(place)
        if placed(row, CHECK_LEAD + shift, CHECK).adjusted(-4, 0, 3, 0).contains(where.toPointF()):
            self.setCurrentIndex(index)
            self.ticked.emit(place)
            return True
        chevron = placed(row, CHEVRON_LEAD + shift, CHEVRON).adjusted(-6, 0, 3, 0)
        if self.parts.has_below(place) and chevron.contains(where.toPointF()):
            self._toggle_open(index)
            return True
        return False

    def _fold(self, key: Qt.Key, place: int) -> None:
        """The arrows open and close; on what is open or closed already they go in and out."""
        opens = key == Qt.Key.Key_Right
        index = self.parts.index_of(place)
        above = self.parts.outline.parents[place]
        if opens and self.parts.has_below(place) and not self.isExpanded(index):
            self.expand(index)
        elif opens and self.parts.has_below(place):
            self.setCurrentIndex(self.parts.index(0, 0, index))
        elif not opens and self.isExpanded(index):
            self.collapse(index)
        elif not opens and above >= 0:
            self.setCurrentIndex(self.parts.index_of(above))

    def _toggle_open(self, index: QModelIndex) -> None:
        first = index.siblingAtColumn(0)
        self.setExpanded(first, not self.isExpanded(first))

    def _shift(self, place: int) -> int:
        depth, above = 0, self.parts.outline.parents[place]
        while above >= 0:
            depth, above = depth + 1, self.parts.outline.parents[above]
        return INDENT * depth

    def _on_reset(self) -> None:
        self.setColumnHidden(Column.PAGES, not has_pages(self.parts.outline.parts))
        if self.parts.is_filtered():
            self.expandAll()
        else:
            self.open_some()


class _Rows(QStyledItemDelegate):
    """All rows are equally high; the view paints them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """One line."""
        return QSize(40, ROW)


def _end(section: int) -> int:
    return END if section == Column.CHOSEN else 6 if section == Column.TOKENS else 0
