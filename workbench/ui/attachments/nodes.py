"""Attachments as the pane lists them: one below the other, parts under their file, many in their folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.domain.shown.attachment_view import AttachmentRow, FileFacts, anchor_of, file_key
from workbench.domain.shown.outline_selection import Picked
from workbench.domain.shown.parts_view import PartsView
from workbench.ui.reading_words import anchor_words, picked_words

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
