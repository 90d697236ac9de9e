"""A folder's tree as Qt sees it: four columns, boxes that know three states, rows that come while it is scanned."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, Signal

from workbench.domain.shown.folder_view import FolderView
from workbench.ui.dialogs.folder.nodes import Changes, Node, Tree
from workbench.ui.dialogs.folder.words import Note, chosen_of, note_of, tokens_of
from workbench.ui.widgets.items.delegate import NOWHERE, Index
from workbench.ui.widgets.plain import shown, tip

Role = Qt.ItemDataRole


class Column(IntEnum):
    """What stands in a column."""

    NAME = 0
    TOKENS = 1
    CHOSEN = 2
    NOTE = 3


class FolderModel(QAbstractItemModel):
    """Shows a tree; the folder itself is its only row at the top.

    Signals:
        repainted: whatever is in sight may have another look.
    """

    repainted = Signal()

    def __init__(self, tree: Tree, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree = tree
        self.view: FolderView | None = None
        tree.changes = _Told(self)

    def show_tree(self, tree: Tree) -> None:
        self.beginResetModel()
        self.tree.changes = Changes()
        self.tree = tree
        tree.changes = _Told(self)
        self.endResetModel()

    def tell_changes(self) -> None:
        """Have everything in sight painted anew where something has another look.

        A file's count changes all folders around it: telling each of them took longer than painting what is seen.
        """
        if self.tree.take_touched():
            top = self.index_of(self.tree.root)
            self.dataChanged.emit(top, top.siblingAtColumn(len(Column) - 1))
            self.repainted.emit()

    def node(self, index: Index) -> Node:
        """The entry at a place.

        Qt keeps a number of it, never the entry itself: what Qt holds on to may be of a tree that is gone by now, and
        following an address of that ended the program.
        """
        number, known = int(index.internalId()), self.tree.numbered
        return known[number] if index.isValid() and number < len(known) else self.tree.root

    def index_of(self, node: Node, column: int = 0) -> QModelIndex:
        """Where an entry is; nowhere where the filter hides it."""
        if node.parent is None:
            return self.createIndex(0, column, node.number)
        siblings = node.parent.shown
        there = node.at < len(siblings) and siblings[node.at] is node
        return self.createIndex(node.at, column, node.number) if there else QModelIndex()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        if not parent.isValid():
            return 1
        return len(self.node(parent).shown) if parent.column() == 0 else 0

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return len(Column)

    def hasChildren(self, parent: Index = NOWHERE) -> bool:
        return self.rowCount(parent) > 0

    def index(self, row: int, column: int, parent: Index = NOWHERE) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        node = self.node(parent).shown[row] if parent.isValid() else self.tree.root
        return self.createIndex(row, column, node.number)

    def parent(self, index: Index = NOWHERE) -> QModelIndex:  # type: ignore[override]
        above = self.node(index).parent if index.isValid() else None
        return QModelIndex() if above is None else self.createIndex(above.at, 0, above.number)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What cannot be ticked can still be chosen and read."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        tickable = index.column() == Column.NAME and self.node(index).choosable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if tickable else flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self.node(index)
        match role:
            case Role.DisplayRole:
                return self.text(node, Column(index.column()))
            case Role.CheckStateRole if index.column() == Column.NAME:
                return check_state(node)
            case Role.ToolTipRole:
                words = [node.path or node.name, self.text(node, Column.NOTE)]
                return tip("\n".join(filter(None, words)))
            case Role.AccessibleTextRole:
                return (
                    self._spoken(node)
                    if index.column() == Column.NAME
                    else self.text(node, Column(index.column()))
                )
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role == Role.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return (self.tr("Name"), self.tr("Tokens"), self.tr("Chosen"), self.tr("Note"))[section]
        return None

    def text(self, node: Node, column: Column) -> str:
        match column:
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

    def _spoken(self, node: Node) -> str:
        kind = self.tr("folder") if node.folder else self.tr("file")
        state = {
            Qt.CheckState.Checked: self.tr("chosen"),
            Qt.CheckState.PartiallyChecked: self.tr("partly chosen"),
            Qt.CheckState.Unchecked: self.tr("not chosen"),
        }[check_state(node)]
        cost = self.text(node, Column.TOKENS)
        parts = (
            shown(node.name), kind, state if node.choosable else self.tr("cannot be chosen"),
            self.tr("{n} tokens").format(n=cost) if cost else "", self.text(node, Column.NOTE),
        )  # fmt: skip
        return ", ".join(filter(None, parts))


def check_state(node: Node) -> Qt.CheckState:
    """Whether a box is ticked, not, or for a part of what is in it."""
    if not node.sums.chosen:
        return Qt.CheckState.Unchecked
    whole = node.sums.chosen == node.sums.choosable
    return Qt.CheckState.Checked if whole else Qt.CheckState.PartiallyChecked


class _Told(Changes):
    """Tells Qt how the tree changes."""

    def __init__(self, model: FolderModel) -> None:
        self._model = model

    def inserting(self, parent: Node, first: int, last: int) -> None:
        self._model.beginInsertRows(self._model.index_of(parent), first, last)

    def inserted(self) -> None:
        self._model.endInsertRows()

    def resetting(self) -> None:
        self._model.beginResetModel()

    def was_reset(self) -> None:
        self._model.endResetModel()
