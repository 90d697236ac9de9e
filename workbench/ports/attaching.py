"""Reading what a user attaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.attached import Attached, FileSight, FolderRead, KeptCopy
from workbench.domain.document import Document, Reading
from workbench.domain.folder import FileText, FolderEntry, FolderRules


class Extractor(Protocol):
    """Makes text of documents, away from the program: whatever a file holds, only that file is refused."""

    async def document(self, name: str, content: bytes, reading: Reading) -> Document:
        """What a file became, with its outline; `CannotAttach` where that is nothing."""

    async def page_pictures(
        self, name: str, content: bytes, first: int, last: int
    ) -> tuple[tuple[int, bytes], ...]:
        """Pages of a PDF as PNG pictures, each with its number, for models that see."""

    async def smaller_picture(self, content: bytes, most_bytes: int, longest_side: int) -> bytes:
        """A picture upright and within limits, for a provider that would refuse it; the same bytes where it is."""

    async def close(self) -> None:
        """End what runs for it."""


class FolderScan(Protocol):
    """A way through a folder, a moment at a time; no link is followed, and nothing is raised for what lies there."""

    async def more(self) -> tuple[FolderEntry, ...]:
        """The next entries, each folder before what is in it; none at the end."""

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """What files hold, by their paths in the folder: as many as are read in a moment, at least the first."""

    async def close(self) -> None:
        """Let go of the folder."""


class FolderWatch(Protocol):
    """Tells when something changes in folders; behind it may be the system, or a look every few moments."""

    async def changed(self, folders: Sequence[str]) -> None:
        """Return as soon as something may have changed in one of them, or below."""


class AttachmentReader(Protocol):
    """Reads files that a person names, wherever they lie.

    What is attached is known by its path as it was given. A relative one is read from the folder that the program runs
    in: started in another one, it means another file, or none.
    """

    async def read(self, path: str) -> Attached:
        """The file as it is now; `CannotAttach` where it is none, too large, or neither text nor picture."""

    async def read_folder(self, path: str) -> FolderRead | None:
        """The text files in a folder, without what is hidden, ignored or made by programs; None where it is no folder.

        Links in it are not followed. There is a limit to how much is taken, and what is over it is named too.
        """

    async def read_chosen(self, folder: str, paths: Sequence[str]) -> FolderRead:
        """Files of a folder by their paths in it, reached without following a link; what cannot be read is named."""

    async def scan(self, path: str, rules: FolderRules) -> FolderScan | None:
        """A way through a folder; None where it is no folder."""

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """What became of files since they were kept, each with what the last look at it saw; nothing is raised."""
