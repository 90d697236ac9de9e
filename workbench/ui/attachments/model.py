"""Item model of the attachments: a tree of folders and files that reports only changes to the view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Qt

from workbench.domain.shown.attachment_view import AttachmentRow, FileFacts, Relevance, anchor_of, file_key
from workbench.domain.shown.parts_view import PartsView, Picked
from workbench.ui import formatting
from workbench.ui.attachments.looks import Fit, spoken
from workbench.ui.reading_words import anchor_words, picked_words
from workbench.ui.translation import tr
from workbench.ui.widgets.items.item_model import ITEM, ItemModel
from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.plain import shown

# Attachments as the pane lists them: one below the other, parts under their file, many in their folders.


MANY = 8
"""From this many attachments on, those of one folder are grouped under it."""


@dataclass(frozen=True, slots=True)
class FileNode:
    """One attachment; `name` is its name within its folder, `fetched_utc` is when a page was fetched."""

    row: AttachmentRow
    name: str
    fetched_utc: str = ""

    @property
    def id(self) -> str:
        return self.row.key


@dataclass(frozen=True, slots=True)
class FolderNode:
    """Attachments that share a folder; or, if `parts_of` is the key of a file, parts of that file.

    `amount` says how much of the file they are.
    """

    folder: str
    files: tuple[FileNode, ...]
    parts_of: str = ""
    amount: str = ""

    @property
    def id(self) -> str:
        """Id of the folder or file, which no attachment's key can equal."""
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
    """The nodes of the rows, in order; a file with attached parts is placed where its first part would be.

    What is detached but still sent comes last, outside of folders. `parts` is a file whose outline is known.
    """
    known = files or {}
    left = tuple(FileNode(row, row.name) for row in rows if row.detached)
    rows = [row for row in rows if not row.detached]
    groups: dict[str, list[AttachmentRow]] = {}
    for row in rows:
        if anchor_of(row, known):
            groups.setdefault(file_key(row, known), []).append(row)
    whole = [row for row in rows if file_key(row, known) not in groups or not anchor_of(row, known)]
    plain = {node.id: _page_node(node, known) for node in _in_folders(whole)}
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


def _page_node(node: Node, files: Files) -> Node:
    """A web page's node, named without its scheme and with the time it was fetched; other nodes unchanged."""
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
    """The rows in order, grouped by folder; a folder is placed where its first file would be."""
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
    """The folder in a file's name; empty if there is none."""
    cut = max(row.name.rfind("/"), row.name.rfind("\\"))
    return row.name[:cut] if cut > 0 and row.kind in ("file", "pdf", "image") else ""


FIT = ITEM + 1
"""Role under which a delegate finds how well an attachment fits the question."""


class AttachmentsModel(ItemModel[Node]):
    """The tree of folders and files."""

    def __init__(self) -> None:
        super().__init__()
        self._relevance: Relevance | None = None
        self._wanted: dict[str, int] = {}

    def show_rows(
        self, rows: Sequence[AttachmentRow], files: Files | None = None, parts: PartsView | None = None
    ) -> None:
        self.show_items(nodes_of(rows, files, parts))

    def show_relevance(self, relevance: Relevance | None) -> None:
        """Show how well attachments fit the question, and suggested priorities; None without a question."""
        if relevance is self._relevance:
            return
        self._relevance = relevance
        self._wanted = {one.key: one.wanted for one in relevance.suggestions} if relevance is not None else {}
        for place in range(self.rowCount()):
            above = self.index(place)
            self.tell_rows(NOWHERE, range(place, place + 1))
            self.tell_rows(above, range(self.rowCount(above)))

    def fit(self, key: str) -> Fit:
        found = self._relevance
        return Fit() if found is None else Fit(found.shares.get(key), self._wanted.get(key))

    def row(self, index: Index) -> AttachmentRow | None:
        """The attachment at an index; None for a folder."""
        node = self.item(index)
        return node.row if isinstance(node, FileNode) else None

    def rows(self, index: Index) -> tuple[AttachmentRow, ...]:
        """The attachment at an index, or all those of the folder there."""
        match self.item(index):
            case FileNode(row=row):
                return (row,)
            case FolderNode(files=files):
                return tuple(file.row for file in files)
            case None:
                return ()

    def key_of(self, node: Node) -> str:
        return node.id

    def children_of(self, node: Node) -> Sequence[Node]:
        return node.files if isinstance(node, FolderNode) else ()

    def text_of(self, node: Node, _column: int = 0) -> str:
        return shown(node.name)

    def spoken_of(self, node: Node, _column: int = 0) -> str:
        return _spoken_folder(node) if isinstance(node, FolderNode) else spoken(node.row, self.fit(node.id))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.item(index) if role == FIT else None
        return super().data(index, role) if node is None else self.fit(node.id)


def _spoken_folder(folder: FolderNode) -> str:
    words = formatting.counted(
        len(folder.files),
        tr("folder {name}, 1 file, {tokens}"),
        tr("folder {name}, {n} files, {tokens}"),
    )
    if folder.parts_of:
        words = tr("{name}, {amount}, {tokens}")
        words = words.replace("{amount}", folder.amount)
    return words.format(name=shown(folder.folder), tokens=formatting.token_words(folder.tokens))
