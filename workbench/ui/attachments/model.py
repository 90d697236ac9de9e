"""The attachments as an item model: a tree of folders and files of which only what changed is told to the view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QModelIndex, Qt

from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.parts_view import PartsView
from workbench.domain.shown.relevance_view import Relevance
from workbench.ui import formatting
from workbench.ui.attachments.looks import Fit, spoken
from workbench.ui.attachments.nodes import FileNode, Files, FolderNode, Node, nodes_of
from workbench.ui.widgets.items.delegate import NOWHERE, Index
from workbench.ui.widgets.items.list_model import edits
from workbench.ui.widgets.plain import shown

NODE = Qt.ItemDataRole.UserRole + 1
"""The role under which a delegate finds the node itself."""
FIT = NODE + 1
"""And how well it fits the question."""

_TOP = 0


class AttachmentsModel(QAbstractItemModel):
    """Folders and files.

    An index carries the number of its folder (0 at the top), which stays the same while folders come and go around
    it: a row would not, and views keep indexes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._nodes: list[Node] = []
        self._numbers: dict[str, int] = {}
        self._folders: dict[int, str] = {}
        self._relevance: Relevance | None = None
        self._wanted: dict[str, int] = {}

    def show_rows(
        self, rows: Sequence[AttachmentRow], files: Files | None = None, parts: PartsView | None = None
    ) -> None:
        new = list(nodes_of(rows, files, parts))
        self._change_top(new)
        for place, node in enumerate(new):
            old = self._nodes[place]
            if isinstance(old, FolderNode) and isinstance(node, FolderNode):
                self._change_files(place, old, node)
            elif old != node:
                self._nodes[place] = node
                self._tell(self.index(place, 0))

    def show_relevance(self, relevance: Relevance | None) -> None:
        """Show how well they fit a question, and which priorities are suggested; None where none is written."""
        if relevance is self._relevance:
            return
        self._relevance = relevance
        self._wanted = {one.key: one.wanted for one in relevance.suggestions} if relevance is not None else {}
        for place, node in enumerate(self._nodes):
            above = self.index(place, 0)
            self._tell(above)
            if isinstance(node, FolderNode):
                self.dataChanged.emit(self.index(0, 0, above), self.index(len(node.files) - 1, 0, above))

    def fit(self, key: str) -> Fit:
        found = self._relevance
        return Fit() if found is None else Fit(found.shares.get(key), self._wanted.get(key))

    def _change_top(self, new: list[Node]) -> None:
        change = edits([node.id for node in self._nodes], [node.id for node in new])
        for first, count in change.removed:
            self.beginRemoveRows(NOWHERE, first, first + count - 1)
            del self._nodes[first : first + count]
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(NOWHERE, first, first + count - 1)
            self._nodes[first:first] = new[first : first + count]
            self.endInsertRows()

    def _change_files(self, place: int, old: FolderNode, new: FolderNode) -> None:
        parent, files = self.index(place, 0), old.files
        change = edits([file.id for file in files], [file.id for file in new.files])
        for first, count in change.removed:
            self.beginRemoveRows(parent, first, first + count - 1)
            files = (*files[:first], *files[first + count :])
            self._nodes[place] = replace(old, files=files)
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(parent, first, first + count - 1)
            files = (*files[:first], *new.files[first : first + count], *files[first:])
            self._nodes[place] = replace(old, files=files)
            self.endInsertRows()
        if self._nodes[place] != new:
            self._nodes[place] = new
            self._tell(parent)
            for row, (before, after) in enumerate(zip(files, new.files, strict=True)):
                if before != after:
                    self._tell(self.index(row, 0, parent))

    def _tell(self, index: QModelIndex) -> None:
        self.dataChanged.emit(index, index)

    def node(self, index: Index) -> Node | None:
        if not index.isValid():
            return None
        if index.internalId() == _TOP:
            return self._nodes[index.row()] if index.row() < len(self._nodes) else None
        folder = self._nodes[self._place(index.internalId())]
        return folder.files[index.row()] if isinstance(folder, FolderNode) else None

    def row(self, index: Index) -> AttachmentRow | None:
        """The attachment at an index; None for a folder."""
        node = self.node(index)
        return node.row if isinstance(node, FileNode) else None

    def rows(self, index: Index) -> tuple[AttachmentRow, ...]:
        """The attachment at an index, or all those of the folder there."""
        match self.node(index):
            case FileNode(row=row):
                return (row,)
            case FolderNode(files=files):
                return tuple(file.row for file in files)
            case None:
                return ()

    def find(self, key: str) -> QModelIndex:
        """Where an attachment is; an invalid index where it is not."""
        for place, node in enumerate(self._nodes):
            if node.id == key:
                return self.index(place, 0)
            files = node.files if isinstance(node, FolderNode) else ()
            for row, file in enumerate(files):
                if file.id == key:
                    return self.index(row, 0, self.index(place, 0))
        return QModelIndex()

    def index(self, row: int, column: int, parent: Index = NOWHERE) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        node = self.node(parent)
        return self.createIndex(row, column, _TOP if node is None else self._number(node.id))

    def parent(self, index: Index | None = None) -> Any:
        if index is None:
            return super().parent()
        if not index.isValid() or index.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(self._place(index.internalId()), 0, _TOP)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        if not parent.isValid():
            return len(self._nodes)
        node = self.node(parent)
        return len(node.files) if isinstance(node, FolderNode) and parent.column() == 0 else 0

    def columnCount(self, _parent: Index = NOWHERE) -> int:
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node(index)
        if node is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return shown(node.name)
            case Qt.ItemDataRole.AccessibleTextRole:
                if isinstance(node, FolderNode):
                    return _spoken_folder(node)
                return spoken(node.row, self.fit(node.id))
            case role if role == FIT:
                return self.fit(node.id)
            case _:
                return node if role == NODE else None

    def _number(self, key: str) -> int:
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        self._folders[number] = key
        return number

    def _place(self, number: int) -> int:
        key = self._folders[number]
        return next(place for place, node in enumerate(self._nodes) if node.id == key)


def _spoken_folder(folder: FolderNode) -> str:
    words = formatting.counted(
        len(folder.files),
        QCoreApplication.translate("AttachmentsPane", "folder {name}, 1 file, {tokens}"),
        QCoreApplication.translate("AttachmentsPane", "folder {name}, {n} files, {tokens}"),
    )
    if folder.parts_of:
        words = QCoreApplication.translate("AttachmentsPane", "{name}, {amount}, {tokens}")
        words = words.replace("{amount}", folder.amount)
    return words.format(name=shown(folder.folder), tokens=formatting.token_words(folder.tokens))
