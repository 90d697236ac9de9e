"""A reader of attachments that has its files in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from workbench.domain.attached import Attached, CannotAttach
from workbench.domain.attachment import Artifact


class MemoryAttachments:
    """Text files by path → AttachmentReader."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)

    async def read(self, path: str) -> Attached:
        """The file as it is now."""
        if path not in self.files:
            raise CannotAttach(path, "there is no such file", "Check the path.")
        content = self.files[path].encode()
        digest = hashlib.sha256(content).hexdigest()
        return Attached(Artifact(path, "file", self.files[path]), content, digest, "2026-01-01T00:00:00Z")
