"""The attachments as an item model: a tree of folders and files of which only what changed is told to the view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QModelIndex, Qt

from workbench.domain.shown.attachment_view import AttachmentRow, FileFacts, Relevance, anchor_of, file_key
from workbench.domain.shown.parts_view import PartsView, Picked
from workbench.ui import formatting
from workbench.ui.attachments.looks import Fit, spoken
from workbench.ui.reading_words import anchor_words, picked_words
from workbench.ui.widgets.items.list_model import edits
from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.plain import shown

# Attachments as the pane lists them: one below the other, parts under their file, many in their folders.


MANY = 8
"""From how many attachments on those of one folder stand below it."""


@dataclass(frozen=True, slots=True)
class FileNode:
    """One attachment; `name` is what is left of its name below its folder, `fetched_utc` when a page was fetched."""

    row: AttachmentRow
    name: str
    fetched_utc: str = ""

    @property
    def id(self) -> str:
        return self.row.key


@dataclass(frozen=True, slots=True)
class FolderNode:
    """Attachments that share a folder; or, where `parts_of` has the key of a file, parts of that.

    `amount` says how much of the file they are.
    """

    folder: str
    files: tuple[FileNode, ...]
    parts_of: str = ""
    amount: str = ""

    @property
    def id(self) -> str:
        """Which folder or file it is; no attachment's key is like it."""
        return f"\0parts:{self.parts_of}" if self.parts_of else f"\0folder:{self.folder}"

    @property
    def name(self) -> str:
        return self.folder

    @property
    def tokens(self) -> int:
        return sum(file.row.tokens for file in self.files)


Node = FileNode | FolderNode


Files = Mapping[str, FileFacts]


def nodes_of(
    rows: Sequence[AttachmentRow], files: Files | None = None, parts: PartsView | None = None
) -> tuple[Node, ...]:
    """The rows in their order; a file of which parts are attached stands where its first part would.

    What is detached and still sent comes last, outside of folders.
    `parts` is a file whose outline is known.
    """
    known = files or {}
    left = tuple(FileNode(row, row.name) for row in rows if row.detached)
    rows = [row for row in rows if not row.detached]
    groups: dict[str, list[AttachmentRow]] = {}
    for row in rows:
        if anchor_of(row, known):
            groups.setdefault(file_key(row, known), []).append(row)
    whole = [row for row in rows if file_key(row, known) not in groups or not anchor_of(row, known)]
    plain = {node.id: _fetched(node, known) for node in _in_folders(whole)}
    places: dict[str, Node] = {}
    for row in rows:
        if anchor_of(row, known):
            node: Node = _parts_node(file_key(row, known), groups, known, parts)
        else:
            node = plain.get(row.key) or next(
                one for one in plain.values() if isinstance(one, FolderNode) and _holds(one, row)
            )
        places.setdefault(node.id, node)
    return (*places.values(), *left)


def _fetched(node: Node, files: Files) -> Node:
    """A page is called by its host, and known by when it was fetched."""
    if not isinstance(node, FileNode) or node.row.kind != "url":
        return node
    known = files.get(node.row.key)
    name = node.name.partition("://")[2] or node.name
    return replace(node, name=name, fetched_utc=known.read_utc if known is not None else "")


def _holds(folder: FolderNode, row: AttachmentRow) -> bool:
    return any(file.row is row for file in folder.files)


def _parts_node(
    key: str, groups: Mapping[str, Sequence[AttachmentRow]], files: Files, parts: PartsView | None
) -> FolderNode:
    rows = groups[key]
    anchors = tuple(anchor_of(row, files) for row in rows)
    first = rows[0].name
    name = first[: -len(anchors[0]) - 1] if first.endswith(f"#{anchors[0]}") else first
    known = files.get(rows[0].key)
    outline = tuple(row.part for row in parts.rows) if parts is not None and parts.file == key else ()
    amount = picked_words(Picked(anchors), known.read_as.pages if known is not None else 0, outline)
    nodes = (FileNode(row, anchor_words(anchor)) for row, anchor in zip(rows, anchors, strict=True))
    return FolderNode(name, tuple(nodes), key, amount)


def _in_folders(rows: Sequence[AttachmentRow]) -> tuple[Node, ...]:
    """The rows in their order; a folder stands where its first file would."""
    if len(rows) < MANY:
        return tuple(FileNode(row, row.name) for row in rows)
    shared = Counter(folder_of(row) for row in rows)
    folders: dict[str, list[FileNode]] = {}
    places: dict[str | AttachmentRow, None] = {}
    for row in rows:
        folder = folder_of(row)
        if folder and shared[folder] > 1:
            folders.setdefault(folder, []).append(FileNode(row, row.name[len(folder) + 1 :]))
            places[folder] = None
        else:
            places[row] = None
    return tuple(
        FolderNode(place, tuple(folders[place])) if isinstance(place, str) else FileNode(place, place.name)
        for place in places
    )


def folder_of(row: AttachmentRow) -> str:
    """The folder a file's name is in; empty where it is in none."""
    cut = max(row.name.rfind("/"), row.name.rfind("\\"))
    return row.name[:cut] if cut > 0 and row.kind in ("file", "pdf", "image") else ""


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
