"""Reading what a user attaches."""

from __future__ import annotations

from typing import Protocol

from workbench.domain.attached import Attached


class AttachmentReader(Protocol):
    """Reads files that a person names, wherever they lie."""

    async def read(self, path: str) -> Attached:
        """The file as it is now; `CannotAttach` where it is none, too large, or neither text nor picture."""
