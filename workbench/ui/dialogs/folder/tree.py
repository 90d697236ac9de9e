"""A folder's tree on the screen: boxes ticked by mouse and key, folders opened and closed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView

from workbench.ui.dialogs.folder.model import Column, FolderModel
from workbench.ui.dialogs.folder.nodes import Node, Tree
from workbench.ui.dialogs.folder.words import Note
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    BADGE_HEIGHT,
    after,
    badge_width,
    elided,
    fill_rounded,
    paint_badge,
    paint_elided,
    paint_figure,
    placed,
)
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.widgets.items.check_tree import CheckTree, HeadColumn, Measure
from workbench.ui.widgets.items.delegate import Index
from workbench.ui.widgets.plain import shown

FIGURE, NOTE = 84, 250
ICON_LEAD, NAME_LEAD, ICON = 54, 75, 15
NOTE_LEAD, NOTE_ICON, LINE = 20, 14, 60
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


def paint_node(
    painter: QPainter, model: FolderModel, node: Node, cells: Sequence[QRectF], shift: int
) -> None:
    """Paint a row, each column into its cell; the name stands in by `shift`."""
    theme = theme_of()
    _paint_name(painter, cells[Column.NAME], node, shift)
    for column, weight in ((Column.TOKENS, None), (Column.CHOSEN, 600)):
        if words := model.text(node, column):
            painter.setFont(font("row", weight))
            painter.setPen(colour("t1" if weight or node.choosable else "t3", theme))
            paint_figure(painter, cells[column], words)
    note = model.note(node)
    if note.words or note.badge:
        _paint_note(painter, cells[Column.NOTE], note)


def _paint_name(painter: QPainter, rect: QRectF, node: Node, shift: int) -> None:
    usable = node.standing == "open" and not node.attached
    icon = "folder" if node.folder else _ICONS.get(node.standing, _KINDS.get(node.kind or "", "file"))
    spot = placed(rect, ICON_LEAD + shift, ICON)
    paint_icon(painter, spot, icon, "t2" if usable else "t3", ICON)
    painter.setFont(font("row", 600 if node.folder and usable else None))
    painter.setPen(colour("t1" if usable else "t3", theme_of()))
    room = after(rect, NAME_LEAD + shift, 8)
    name = elided(painter.font(), shown(node.name), room.width(), Qt.TextElideMode.ElideMiddle)
    paint_elided(painter, room, name)


def _paint_note(painter: QPainter, rect: QRectF, note: Note) -> None:
    theme, lead = theme_of(), float(NOTE_LEAD)
    if note.badge:
        width = badge_width(note.icon, note.badge)
        spot = placed(rect, lead, width)
        spot.setTop(rect.center().y() - BADGE_HEIGHT / 2)
        spot.setHeight(BADGE_HEIGHT)
        paint_badge(painter, spot, note.tone, note.icon, note.badge)
        lead += width + 6
    elif note.icon:
        paint_icon(painter, placed(rect, lead, NOTE_ICON), note.icon, "t3", NOTE_ICON)
        lead += NOTE_ICON + 5
    elif note.part is not None:
        _paint_part(painter, placed(rect, lead, LINE), note.part, theme)
        lead += LINE + 8
    painter.setFont(font("row_small"))
    painter.setPen(colour("t2" if note.badge or note.part is not None else "t3", theme))
    room = after(rect, lead, 10)
    paint_elided(painter, room, note.words)


def _paint_part(painter: QPainter, spot: QRectF, part: float, theme: Theme) -> None:
    line = QRectF(spot.left(), spot.center().y() - 2, spot.width(), 4)
    fill_rounded(painter, line, theme.track, 2)
    done = QRectF(line)
    done.setWidth(max(3.0, line.width() * part))
    fill_rounded(painter, done, theme.accent, 2)


_ICONS = {"refused": "link", "binary": "file-x", "large": "file-x"}
_KINDS = {"picture": "image", "document": "book"}
