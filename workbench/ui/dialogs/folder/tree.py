"""The tree view of a folder's entries and its item model, ticked and expanded by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView

from workbench.domain.files.folder import FolderFilter
from workbench.domain.shown.attachment_view import FolderView
from workbench.ui import formatting
from workbench.ui.dialogs.folder.nodes import Node, Note, Tree, chosen_of, note_of, tokens_of
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
from workbench.ui.translation import tr
from workbench.ui.widgets.items.check_tree import CheckTree, HeadColumn, Measure
from workbench.ui.widgets.items.item_model import ItemModel
from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.labels import or_none
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
"""Folders are expanded at first as long as no more rows than these are visible."""
OPEN_WHEN_FILTERED = 600
Role = Qt.ItemDataRole


class FolderTree(CheckTree):
    """The tree view; what is ticked is set in the tree of entries and emitted.

    Signals:
        ticked: files were ticked or not, as a list of nodes.
        add_wanted: Enter was pressed.
    """

    ticked = Signal(list)
    add_wanted = Signal()

    def __init__(self, tree: Tree) -> None:
        self.rows = FolderModel(tree)
        super().__init__(self.rows, MEASURE, COLUMNS)
        self.setAccessibleName(tr("What is in the folder"))
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
                self.expand(self.rows.index_of(child.path))
                seen += len(child.shown)

    def open_found(self) -> None:
        """Expand everything that the filter left, unless it is a lot."""
        if self.rows.tree.shown_files() <= OPEN_WHEN_FILTERED:
            self.expandAll()

    def current_node(self) -> Node:
        return self.rows.item(self.currentIndex()) or self.rows.tree.root

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Space:
                self._tick_selected(deep=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.add_wanted.emit()
            case _:
                super().keyPressEvent(event)

    def press_box(self, index: QModelIndex) -> None:
        if (node := self.rows.item(index)) is not None:
            on = node.sums.chosen < node.sums.choosable
            self._emit_ticked(self.rows.tree.tick(node, on))

    def paint_cells(self, painter: QPainter, index: Index, cells: Sequence[QRectF], shift: int) -> None:
        if (node := self.rows.item(index)) is not None:
            paint_node(painter, self.rows, node, cells, shift)

    def _tick_selected(self, deep: bool) -> None:
        rows = [self.rows.item(index) for index in self.selectionModel().selectedRows()]
        nodes = [node for node in rows or [self.current_node()] if node is not None and node.choosable]
        if not nodes:
            return
        on = not all(node.sums.chosen == node.sums.choosable for node in nodes)
        changed: list[Node] = []
        for node in nodes:
            has_files = any(not child.folder and child.choosable for child in node.shown)
            changed += self.rows.tree.tick(node, on, deep or not has_files)
        self._emit_ticked(changed)

    def _emit_ticked(self, changed: list[Node]) -> None:
        self.rows.tell_changes()
        self.ticked.emit(changed)

    def _on_reset(self) -> None:
        self.expand(self.rows.index_of(""))
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.rows.index_of(""))


def paint_node(
    painter: QPainter, model: FolderModel, node: Node, cells: Sequence[QRectF], shift: int
) -> None:
    """Paint a row, each column into its cell; the name is indented by `shift`."""
    theme = theme_of()
    _paint_name(painter, cells[Column.NAME], node, shift)
    for column, weight in ((Column.TOKENS, None), (Column.CHOSEN, 600)):
        if words := model.text_of(node, column):
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


class Column(IntEnum):
    """The columns of the tree."""

    NAME = 0
    TOKENS = 1
    CHOSEN = 2
    NOTE = 3


class FolderModel(ItemModel[Node]):
    """The item model of a tree of entries; the folder itself is its only top-level row.

    Signals:
        repainted: any visible row may have changed.
    """

    repainted = Signal()
    column_count = len(Column)

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree
        self.view: FolderView | None = None
        self.reset_items([tree.root])

    def show_tree(self, tree: Tree) -> None:
        self.tree = tree
        tree.grown.clear()
        self.reset_items([tree.root])

    def filter(self, wanted: FolderFilter) -> None:
        """Show only the entries that a filter lets through."""
        if self.tree.filter(wanted):
            self.show_tree(self.tree)

    def insert_new(self) -> None:
        """Insert the rows of newly found entries."""
        for path in self.tree.grown:
            self.show_children(path)
        self.tree.grown.clear()

    def tell_changes(self) -> None:
        """Have everything visible repainted if anything changed.

        A file's count changes all folders above it: reporting each of them took longer than repainting what is visible.
        """
        self.insert_new()
        if self.tree.touched:
            self.tree.touched = False
            self.tell_rows(NOWHERE, range(1))
            self.repainted.emit()

    def key_of(self, node: Node) -> str:
        return node.path

    def children_of(self, node: Node) -> Sequence[Node]:
        return node.shown

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What cannot be ticked can still be selected and read."""
        node = self.item(index)
        tickable = node is not None and index.column() == Column.NAME and node.choosable
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable if tickable else super().flags(index)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if role == Role.CheckStateRole and index.column() == Column.NAME:
            node = self.item(index)
            return None if node is None else check_state(node)
        return super().data(index, role)

    def tip_of(self, node: Node, _column: int = 0) -> str:
        return "\n".join(filter(None, (node.path or node.name, self.text_of(node, Column.NOTE))))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role == Role.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return (tr("Name"), tr("Tokens"), tr("Chosen"), tr("Note"))[section]
        return None

    def text_of(self, node: Node, column: int = Column.NAME) -> str:
        match Column(column):
            case Column.NAME:
                return shown(node.name)
            case Column.TOKENS:
                return tokens_of(node)
            case Column.CHOSEN:
                return chosen_of(node)
            case Column.NOTE:
                note = self.note(node)
                return " ".join(filter(None, (note.badge, note.words)))

    def note(self, node: Node) -> Note:
        return note_of(node, self.view, self.tree.free_tokens)

    def spoken_of(self, node: Node, column: int = Column.NAME) -> str:
        if column != Column.NAME:
            return or_none(self.text_of(node, column))
        kind = tr("folder") if node.folder else tr("file")
        state = {
            Qt.CheckState.Checked: tr("chosen"),
            Qt.CheckState.PartiallyChecked: tr("partly chosen"),
            Qt.CheckState.Unchecked: tr("not chosen"),
        }[check_state(node)]
        cost = self.text_of(node, Column.TOKENS)
        parts = (
            shown(node.name), kind, state if node.choosable else tr("can’t be chosen"),
            tr("{n} tokens").format(n=cost) if cost else "", self.text_of(node, Column.NOTE),
        )  # fmt: skip
        return formatting.clauses(parts)


def check_state(node: Node) -> Qt.CheckState:
    """Check state of an entry; a folder may be partially checked."""
    if not node.sums.chosen:
        return Qt.CheckState.Unchecked
    whole = node.sums.chosen == node.sums.choosable
    return Qt.CheckState.Checked if whole else Qt.CheckState.PartiallyChecked
