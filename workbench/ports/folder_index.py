"""Where the index of searched folders is kept: in the encrypted store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from workbench.domain.folder_index import IndexedFile, SearchedFolder


class FolderIndexStore(Protocol):
    """What a call returned from is on the disk, whole; an index can be made again, so nothing is lost with it."""

    async def folders(self) -> tuple[SearchedFolder, ...]:
        """The folders that have an index, by their paths."""

    async def save_folder(self, folder: SearchedFolder) -> None:
        """Keep a folder, in place of what was kept of it."""

    async def remove_folder(self, path: str) -> None:
        """Forget a folder with its index, and the texts that no other one has."""

    async def files(self, folder: str) -> tuple[IndexedFile, ...]:
        """All files of a folder that were read, or could not be."""

    async def segments(self, folder: str) -> Mapping[int, bytes]:
        """The parts of a folder's index, by their numbers."""

    async def add_segment(
        self, folder: str, body: bytes, files: Sequence[IndexedFile], texts: Mapping[bytes, str]
    ) -> int:
        """Keep a part of the index with its files and their texts by digest; returns its number."""

    async def add_vectors(self, number: int, size: int, vectors: bytes) -> None:
        """Keep the vectors of a part's sections behind its first `size` bytes, in place of those that stand there."""

    async def note_files(self, folder: str, unread: Sequence[IndexedFile], gone: Collection[str]) -> None:
        """Keep which files could not be read, and forget those that are gone; parts without any file go, too."""

    async def texts(self, digests: Collection[bytes]) -> Mapping[bytes, str]:
        """The texts with these digests, as far as they are kept."""
