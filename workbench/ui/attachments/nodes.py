"""Attachments as the pane lists them: one below the other, or in folders where there are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.domain.shown.attachment_view import AttachmentRow

MANY = 8
"""From how many attachments on those of one folder stand below it."""


@dataclass(frozen=True, slots=True)
class FileNode:
    """One attachment; `name` is what is left of its name below its folder."""

    row: AttachmentRow
    name: str

    @property
    def id(self) -> str:
        """Which attachment it is."""
        return self.row.key


@dataclass(frozen=True, slots=True)
class FolderNode:
    """Attachments that share a folder."""

    folder: str
    files: tuple[FileNode, ...]

    @property
    def id(self) -> str:
        """Which folder it is; no attachment's key is like it."""
        return f"\0folder:{self.folder}"

    @property
    def name(self) -> str:
        """What it is called."""
        return self.folder

    @property
    def tokens(self) -> int:
        """What its files cost together."""
        return sum(file.row.tokens for file in self.files)


Node = FileNode | FolderNode


def nodes_of(rows: Sequence[AttachmentRow]) -> tuple[Node, ...]:
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
