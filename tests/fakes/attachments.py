"""A reader of attachments that has its files in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from workbench.domain.attached import Attached, CannotAttach, FileSight, FolderRead, KeptCopy, LeftOut
from workbench.domain.attachment import Artifact

WRITTEN, CHANGED = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


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
