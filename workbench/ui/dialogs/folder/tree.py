"""A folder's tree on the screen: boxes ticked by mouse and key, folders opened and closed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView

from workbench.ui.dialogs.folder.model import FolderModel
from workbench.ui.dialogs.folder.nodes import Node, Tree
from workbench.ui.dialogs.folder.painting import NOTE_LEAD, paint_node
from workbench.ui.widgets.items.check_tree import CheckTree, HeadColumn, Measure
from workbench.ui.widgets.items.item import Index

FIGURE, NOTE = 84, 250
MEASURE = Measure(row=26, indent=20, check_lead=33)
COLUMNS = (
    HeadColumn(lead=MEASURE.check_lead),
    HeadColumn(FIGURE, at_end=True),
    HeadColumn(FIGURE, at_end=True),
    HeadColumn(NOTE, lead=NOTE_LEAD),
)
OPEN_AT_FIRST = 30
"""As long as no more rows than these are seen, folders come open."""
OPEN_WHEN_FILTERED = 600


class FolderTree(CheckTree):
    """The tree; what is ticked goes into the tree of entries, and is told.

    Signals:
        ticked: files were ticked or not, as a list of nodes.
        add_wanted: Enter.
    """

    ticked = Signal(list)
    add_wanted = Signal()

    def __init__(self, tree: Tree) -> None:
        self.rows = FolderModel(tree)
        super().__init__(self.rows, MEASURE, COLUMNS)
        self.setAccessibleName(self.tr("What is in the folder"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.rows.modelReset.connect(self._on_reset)
        self.rows.repainted.connect(self.viewport().update)
        self._on_reset()

    def show_tree(self, tree: Tree) -> None:
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
        return self.rows.node(self.currentIndex()) if self.currentIndex().isValid() else self.rows.tree.root

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space ticks, Shift+Space with everything below; Enter adds."""
        match event.key():
            case Qt.Key.Key_Space:
                self._tick_chosen(deep=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.add_wanted.emit()
            case _:
                super().keyPressEvent(event)

    def press_box(self, index: QModelIndex) -> None:
        self._tick(self.rows.node(index), deep=True)

    def paint_cells(self, painter: QPainter, index: Index, cells: Sequence[QRectF], shift: int) -> None:
        paint_node(painter, self.rows, self.rows.node(index), cells, shift)

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

    def _on_reset(self) -> None:
        self.expand(self.rows.index_of(self.rows.tree.root))
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.rows.index_of(self.rows.tree.root))
