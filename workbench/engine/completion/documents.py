"""What files became, the last few of them: looked into twice, a document is not read twice."""

from __future__ import annotations

import asyncio
import hashlib

from workbench.domain.files.document import AS_FOUND, Document, Reading
from workbench.ports.attaching import AttachmentReader

_MOST_HELD = 4


class Documents:
    """Documents by their bytes and how they were read."""

    def __init__(self, attachments: AttachmentReader) -> None:
        self._attachments = attachments
        self._held: dict[tuple[str, Reading], Document] = {}

    async def read(self, name: str, content: bytes, reading: Reading = AS_FOUND) -> tuple[Document, str]:
        """What a file became, with its outline, and the digest of its bytes; `CannotAttach` where that is nothing."""
        digest = (await asyncio.to_thread(hashlib.sha256, content)).hexdigest()
        key = (digest, reading)
        if key not in self._held:
            made = await self._attachments.document(name, content, reading)
            while len(self._held) >= _MOST_HELD:
                del self._held[next(iter(self._held))]
            self._held[key] = made
        return self._held[key], digest
