"""A folder's tree on the screen: boxes ticked by mouse and key, folders opened and closed."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTreeView

from workbench.ui.dialogs.folder.delegate import (
    CHECK_LEAD,
    NOTE_LEAD,
    FolderDelegate,
    check_box,
    chevron_box,
)
from workbench.ui.dialogs.folder.model import Column, FolderModel
from workbench.ui.dialogs.folder.nodes import Node, Tree
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import after, stroke_rounded
from workbench.ui.look.theme import colour, theme_of

Index = QModelIndex | QPersistentModelIndex
FIGURE, NOTE = 84, 250
HEAD = 28
OPEN_AT_FIRST = 30
"""As long as no more rows than these are seen, folders come open."""
OPEN_WHEN_FILTERED = 600


class FolderHeader(QHeaderView):
    """The names of the columns, each over what stands in it."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self.setSectionsClickable(False)
        self.setSectionsMovable(False)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(40)
        self.setFixedHeight(HEAD)

    def set_up(self) -> None:
        """The name takes what the others leave."""
        fixed = QHeaderView.ResizeMode.Fixed
        self.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in ((Column.TOKENS, FIGURE), (Column.CHOSEN, FIGURE), (Column.NOTE, NOTE)):
            self.setSectionResizeMode(column, fixed)
            self.resizeSection(column, width)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Paint a name; figures' names end where they do."""
        theme, box = theme_of(self), QRectF(rect)
        painter.fillRect(box, colour("surface", theme))
        painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), colour("line", theme))
        painter.setFont(font("meta"))
        painter.setPen(colour("t2", theme))
        align = Qt.AlignmentFlag.AlignVCenter
        if section in (Column.TOKENS, Column.CHOSEN):
            align |= Qt.AlignmentFlag.AlignTrailing
        else:
            align |= Qt.AlignmentFlag.AlignLeading
            box = after(box, CHECK_LEAD if section == Column.NAME else NOTE_LEAD, 0)
        painter.drawText(box, align, str(self.model().headerData(section, Qt.Orientation.Horizontal)))


class FolderTree(QTreeView):
    """The tree; what is ticked goes into the tree of entries, and is told.

    Signals:
        ticked: files were ticked or not, as a list of nodes.
        filter_wanted: the keyboard goes to the filter, with what was typed.
        add_wanted: Enter.
    """

    ticked = Signal(list)
    filter_wanted = Signal()
    add_wanted = Signal()

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.rows = FolderModel(tree, self)
        self.setUniformRowHeights(True)
        head = FolderHeader(self)
        self.setHeader(head)
        self.setModel(self.rows)
        head.set_up()
        self._painter = FolderDelegate(self, self.rows)
        self.setItemDelegate(self._painter)
        self.setAccessibleName(self.tr("What is in the folder"))
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.rows.modelReset.connect(self._on_reset)
        self.rows.repainted.connect(self.viewport().update)
        self._on_reset()

    def show_tree(self, tree: Tree) -> None:
        """Show another folder."""
        self.rows.show_tree(tree)

    def open_some(self) -> None:
        """Open the first folders, as long as there are few rows."""
        root = self.rows.tree.root
        seen = 1 + len(root.shown)
        for child in root.shown:
            if child.shown and seen + len(child.shown) <= OPEN_AT_FIRST:
                self.expand(self.rows.index_of(child))
                seen += len(child.shown)

    def open_found(self) -> None:
        """Open everything that a filter has left, unless that is much."""
        if self.rows.tree.shown_files() <= OPEN_WHEN_FILTERED:
            self.expandAll()

    def current_node(self) -> Node:
        """The entry that the keyboard is on."""
        return self.rows.node(self.currentIndex()) if self.currentIndex().isValid() else self.rows.tree.root

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space ticks, Shift+Space with everything below; / and Ctrl+F go to the filter, Enter adds."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Space:
                self._tick_chosen(deep=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.add_wanted.emit()
            case Qt.Key.Key_Slash:
                self.filter_wanted.emit()
            case Qt.Key.Key_F if control:
                self.filter_wanted.emit()
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._fold(Qt.Key(event.key()), event)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on a box ticks it, one on a chevron opens its folder."""
        if event.button() == Qt.MouseButton.LeftButton and self._press(event.position().toPoint()):
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Twice on a folder opens it; twice on a box are two presses."""
        place = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or self._press(place):
            return
        index = self.indexAt(place)
        if index.isValid():
            self._toggle_open(index)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the ground of a row, its cells, and the ring of the one that the keyboard is on."""
        theme, node = theme_of(self), self.rows.node(index)
        rect: QRect = option.rect  # type: ignore[attr-defined]
        box = QRectF(0, rect.top(), self.viewport().width(), rect.height())
        here = self.rows.index_of(node)
        if self.selectionModel().isSelected(here):
            painter.fillRect(box, colour("sel", theme))
        elif self._is_under_pointer(rect):
            painter.fillRect(box, colour("hover", theme))
        head = self.header()
        cells = [
            QRectF(head.sectionViewportPosition(column), rect.top(), head.sectionSize(column), rect.height())
            for column in Column
        ]
        self._painter.paint_row(painter, node, cells, self.isExpanded(here))
        by_keyboard = self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if self.hasFocus() and by_keyboard and self.current_node() is node:
            stroke_rounded(painter, box.adjusted(2, 1, -2, -1), theme.accent, 4, 2)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """The delegate paints the chevrons."""

    def _is_under_pointer(self, row: QRect) -> bool:
        place = self.viewport().mapFromGlobal(self.cursor().pos())
        return self.viewport().underMouse() and row.top() <= place.y() <= row.bottom()

    def _press(self, place: QPoint) -> bool:
        index = self.indexAt(place)
        if not index.isValid() or index.column() != Column.NAME:
            return False
        node, row = self.rows.node(index), self.visualRect(index)
        if node.choosable and check_box(row, node.depth).contains(place):
            self.setCurrentIndex(index)
            self._tick(node, deep=True)
            return True
        if node.shown and chevron_box(row, node.depth).contains(place):
            self._toggle_open(index)
            return True
        return False

    def _tick_chosen(self, deep: bool) -> None:
        rows = [self.rows.node(index) for index in self.selectionModel().selectedRows()]
        nodes = [node for node in rows or [self.current_node()] if node.choosable]
        if not nodes:
            return
        on = not all(node.sums.chosen == node.sums.choosable for node in nodes)
        changed: list[Node] = []
        for node in nodes:
            has_files = any(not child.folder and child.choosable for child in node.shown)
            changed += self.rows.tree.tick(node, on, deep or not has_files)
        self._tell(changed)

    def _tick(self, node: Node, deep: bool) -> None:
        on = node.sums.chosen < node.sums.choosable
        self._tell(self.rows.tree.tick(node, on, deep))

    def _tell(self, changed: list[Node]) -> None:
        self.rows.tell_changes()
        self.ticked.emit(changed)

    def _fold(self, key: Qt.Key, event: QKeyEvent) -> None:
        """The arrows open and close; on what is open or closed already they go in and out."""
        opens = key == Qt.Key.Key_Right
        index = self.currentIndex().siblingAtColumn(0)
        node = self.rows.node(index)
        if opens and node.shown and not self.isExpanded(index):
            self.expand(index)
        elif opens and node.shown:
            self.setCurrentIndex(self.rows.index_of(node.shown[0]))
        elif not opens and self.isExpanded(index):
            self.collapse(index)
        elif not opens and node.parent is not None:
            self.setCurrentIndex(self.rows.index_of(node.parent))

    def _toggle_open(self, index: QModelIndex) -> None:
        first = index.siblingAtColumn(0)
        self.setExpanded(first, not self.isExpanded(first))

    def _on_reset(self) -> None:
        self.expand(self.rows.index_of(self.rows.tree.root))
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.rows.index_of(self.rows.tree.root))
