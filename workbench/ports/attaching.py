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
    """Reads documents outside the program's process, so that a harmful file is only refused."""

    async def document(
        self, name: str, content: bytes, reading: Reading, password: Secret | None = None
    ) -> Document:
        """Reads a file as a document with its outline.

        `CannotAttach` where it has no text, `Locked` without its password.
        """

    async def documents(self, files: Sequence[tuple[str, bytes]]) -> tuple[Document | CannotAttach, ...]:
        """Reads files by their names and bytes, each as a document or with the reason why there is none."""

    async def page_pictures(
        self, name: str, content: bytes, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """Renders pages of a PDF as PNG pictures, each with its number, for models with vision."""

    async def smaller_picture(self, content: bytes, most_bytes: int, longest_side: int) -> bytes:
        """Returns a picture upright and within limits; unchanged where it already is."""

    async def close(self) -> None:
        """Ends the processes that read."""


class PageFetcher(Protocol):
    """Fetches web pages."""

    async def fetch(self, url: str) -> FetchedPage:
        """The page as it is now; `CannotAttach` where it must not or cannot be fetched."""


class FolderScan(Protocol):
    """Walks a folder in short steps; follows no links, and raises nothing for what it finds."""

    async def more(self) -> tuple[FolderEntry, ...]:
        """Returns the next entries, each folder before its content; none at the end."""

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """Reads files by their paths in the folder, as many as fit in a moment, at least the first."""

    async def close(self) -> None:
        """Closes the folder."""


class FolderWatch(Protocol):
    """Waits for changes in folders, by the system's notifications or by polling."""

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

    async def documents_in(self, folder: str, paths: Sequence[str]) -> tuple[Document | CannotAttach, ...]:
        """Files of a folder as `read_in` reads them, without their bytes: as many as fit, at least the first."""

    async def close(self) -> None:
        """Ends the processes that read documents."""

    async def scan(self, path: str, rules: FolderRules) -> FolderScan | None:
        """Opens a folder for walking; None where the path is no folder."""

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """Returns for each stored file whether it changed since; takes the last result for each, and raises nothing."""
