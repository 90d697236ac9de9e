"""Reading what a user attaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.files.attached import (
    Attached,
    AttachLimits,
    CannotAttach,
    FetchedPage,
    FileSight,
    FolderFiles,
    FolderList,
    KeptCopy,
)
from workbench.domain.files.document import AS_FOUND, Document, Reading
from workbench.domain.files.folder import FileText, FolderEntry, FolderRules
from workbench.domain.secrets import Secret


class Extractor(Protocol):
    """Makes text of documents, away from the program: whatever a file holds, only that file is refused."""

    async def document(
        self, name: str, content: bytes, reading: Reading, password: Secret | None = None
    ) -> Document:
        """What a file became, with its outline; `CannotAttach` where that is nothing, `Locked` without its password."""

    async def page_pictures(
        self, name: str, content: bytes, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """Pages of a PDF from the first to the last as PNG pictures, each with its number, for models that see."""

    async def smaller_picture(self, content: bytes, most_bytes: int, longest_side: int) -> bytes:
        """A picture upright and within limits, for a provider that would refuse it; the same bytes where it is."""

    async def close(self) -> None:
        """End what runs for it."""


class PageFetcher(Protocol):
    """Fetches pages that somebody asked for."""

    async def fetch(self, url: str) -> FetchedPage:
        """The page as it is now; `CannotAttach` where it must not or cannot be fetched."""


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

    async def changed(self, folders: Sequence[str], *, below: bool = True) -> None:
        """Return as soon as something may have changed in one of them, or below it where that is wanted."""


class AttachmentReader(Protocol):
    """Reads files that a person names, wherever they lie.

    What is attached is known by its path as it was given. A relative one is read from the folder that the program runs
    in: started in another one, it means another file, or none.
    """

    async def read(self, path: str, reading: Reading = AS_FOUND, password: Secret | None = None) -> Attached:
        """The file as it is now, or the part of it that stands behind a #; `CannotAttach` where there is none.

        The same where it is too large, or nothing that text can be made of; `Locked` where only a password opens it.
        The password is used for this one reading, and kept nowhere.
        """

    async def read_again(self, copy: KeptCopy, anchors: Sequence[str]) -> tuple[Attached | CannotAttach, ...]:
        """Parts of a file that is attached, as it is now, or all of it where an anchor is empty; it is read once.

        One that is bound to a folder is reached from there, without following a link. Each that cannot be had is the
        reason why, in its place.
        """

    async def check(self, path: str) -> None:
        """`CannotAttach` where a file can be seen to be none without reading it: not there, no file, too large."""

    async def find(self, name: str, folder: str = "", workspace: str = "") -> Attached | None:
        """A file of the workspace, or of another folder, by its path there; None where nothing is called so.

        `CannotAttach` where there is something, and it is no file, a link, or outside of the folder. A file of the
        workspace is known by that path; one of another folder by its whole path, as if the folder had been attached.
        `workspace` is the folder of a workspace, where it is not the program's own one.
        """

    async def list_files(self, folder: str, most: int) -> FolderList | None:
        """The files in a folder and below by their names alone, of the workspace where none is named.

        Without what is hidden, ignored or made by programs, and no link is followed; None where it is no folder.
        """

    async def document(self, name: str, content: bytes, reading: Reading = AS_FOUND) -> Document:
        """What a file became that was read before, with its outline; `CannotAttach` where it cannot be read so."""

    async def sendable_picture(self, content: bytes) -> bytes:
        """A picture as every provider takes it: upright, and within their limits; the same bytes where it is so."""

    async def page_pictures(
        self, path: str, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """Pages of a PDF from the first to the last as pictures, each with its number."""

    def limits(self) -> AttachLimits:
        """How much may be attached."""

    async def folder_files(self, path: str) -> FolderFiles | None:
        """What can be attached of a folder, or of what a pattern such as `src/**/*.py` fits; None where it is neither.

        What is hidden, ignored or made by programs is left out and named, and links are not followed.
        """

    async def read_in(self, folder: str, path: str, password: Secret | None = None) -> Attached:
        """A file of a folder by its path in it, without following a link; `CannotAttach` where it is not there."""

    async def close(self) -> None:
        """End what runs for it."""

    async def scan(self, path: str, rules: FolderRules) -> FolderScan | None:
        """A way through a folder; None where it is no folder."""

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """What became of files since they were kept, each with what the last look at it saw; nothing is raised."""
