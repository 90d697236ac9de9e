"""A reader of attachments that has its files in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.domain.attached import (
    Attached,
    AttachLimits,
    CannotAttach,
    FileSight,
    FolderRead,
    KeptCopy,
    LeftOut,
)
from workbench.domain.attachment import Artifact
from workbench.domain.folder import FileText, FolderEntry, FolderRules, file_kind

WRITTEN, CHANGED = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


class MemoryScan:
    """Files by their paths in a folder → FolderScan; folders in it are listed as they come."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)
        self._left = list(files)
        self._folders: set[str] = set()

    async def more(self) -> tuple[FolderEntry, ...]:
        """The next file, with the folders that lead to it."""
        if not self._left:
            return ()
        path = self._left.pop(0)
        steps = path.split("/")
        above = ["/".join(steps[:depth]) for depth in range(1, len(steps))]
        new = [folder for folder in above if folder not in self._folders]
        self._folders.update(new)
        file = FolderEntry(path, file_kind(path), size_bytes=len(self._files[path].encode()))
        return (*(FolderEntry(folder, folder=True) for folder in new), file)

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """What the first file holds."""
        return tuple(FileText(path, self._files[path]) for path in paths[:1])

    async def close(self) -> None:
        """Nothing is held."""


class MemoryAttachments:
    """Text files by path → AttachmentReader.

    Attributes:
        files: what there is; a test may change it.
        left_out: what a folder holds that cannot be attached, by the folder's path.
        looks: how often somebody looked.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.left_out: dict[str, tuple[LeftOut, ...]] = {}
        self.looks = 0

    async def read(self, path: str) -> Attached:
        """The file as it is now."""
        if path not in self.files:
            raise CannotAttach(path, "there is no such file", "Check the path.")
        content = self.files[path].encode()
        digest = hashlib.sha256(content).hexdigest()
        return Attached(Artifact(path, "file", self.files[path]), content, digest, WRITTEN)

    async def read_folder(self, path: str) -> FolderRead | None:
        """The files below a path; None where there are none."""
        found = [await self.read(key) for key in self.files if key.startswith(f"{path}/")]
        if not found and path not in self.left_out:
            return None
        return FolderRead(tuple(found), self.left_out.get(path, ()))

    async def read_chosen(self, folder: str, paths: Sequence[str]) -> FolderRead:
        """Those of the files that are there."""
        wanted = {path: f"{folder}/{path}" for path in paths}
        gone = tuple(LeftOut(path, "cannot be read") for path, key in wanted.items() if key not in self.files)
        return FolderRead(tuple([await self.read(key) for key in wanted.values() if key in self.files]), gone)

    async def scan(self, path: str, rules: FolderRules) -> MemoryScan | None:
        """The files below a path; None where there are none."""
        below = {
            key.removeprefix(f"{path}/"): text
            for key, text in self.files.items()
            if key.startswith(f"{path}/")
        }
        return MemoryScan(below) if below else None

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """What became of files since they were kept."""
        self.looks += 1
        return tuple(self._look(copy, last) for copy, last in copies)

    def _look(self, copy: KeptCopy, last: FileSight | None) -> FileSight:
        if copy.key not in self.files:
            return FileSight("gone")
        content = self.files[copy.key].encode()
        digest = hashlib.sha256(content).digest()
        stamp = (len(content), int.from_bytes(digest[:8]))
        if last is not None and last.stamp == stamp:
            return last
        if digest.hex() == copy.sha256:
            return FileSight("same", "", stamp, digest.hex())
        return FileSight("changed", CHANGED, stamp, digest.hex())


@dataclass(frozen=True, slots=True)
class _Tiny(AttachLimits):
    """Limits in bytes."""

    file: int = 0
    total: int = 0

    @property
    def file_bytes(self) -> int:
        """How large a file may be."""
        return self.file

    @property
    def total_bytes(self) -> int:
        """How much may be attached at once."""
        return self.total


def tiny(file_bytes: int, total_bytes: int = 10**9) -> AttachLimits:
    """Limits that a test reaches."""
    return _Tiny(file=file_bytes, total=total_bytes)
