"""A reader of attachments that has its files in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.domain.files.test_pictures import PNG
from workbench.domain.files.attached import (
    Attached,
    AttachLimits,
    CannotAttach,
    FileSight,
    FolderFiles,
    FolderList,
    KeptCopy,
    LeftOut,
    ListedFile,
    Locked,
)
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import AS_FOUND, Document, ReadAs, Reading, Section
from workbench.domain.files.document_parts import find_section, split_anchor
from workbench.domain.files.folder import FileText, FolderEntry, FolderRules, file_kind
from workbench.domain.secrets import Secret
from workbench.sources.attached_file import Scanned

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
        locked, scans: the passwords of files that have one, and how many pages there are of those without text.
        looks: how often somebody looked.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.left_out: dict[str, tuple[LeftOut, ...]] = {}
        self.locked: dict[str, str] = {}
        self.scans: dict[str, int] = {}
        self.looks = 0

    async def read(self, path: str, reading: Reading = AS_FOUND, password: Secret | None = None) -> Attached:
        """The file as it is now, or the lines of it that stand behind a #."""
        name, anchor = (path, "") if path in self.files else split_anchor(path)
        if name not in self.files:
            raise CannotAttach(path, "there is no such file", "Check the path.")
        if name in self.locked and (password is None or password.reveal_text() != self.locked[name]):
            raise Locked(path, "it is locked", "Give its password, or save it without one.", name)
        if name in self.scans:
            raise Scanned(path, self.scans[name], name)
        document = await self.document(name, self.files[name].encode(), reading)
        part = find_section(document, anchor) if anchor else None
        if anchor and part is None:
            raise CannotAttach(path, f"there is no part “{anchor}” in the file", "Name lines of it.")
        text = document.text if part is None else document.text[part.start : part.end]
        content = self.files[name].encode()
        digest = hashlib.sha256(content).hexdigest()
        place = name
        return Attached(
            Artifact(path, "file", text), content, digest, WRITTEN, place=place, read_as=document.read_as,
            document=document,
        )  # fmt: skip

    async def read_again(self, copy: KeptCopy, anchors: Sequence[str]) -> tuple[Attached | CannotAttach, ...]:
        """Parts of a file as it is now."""
        found: list[Attached | CannotAttach] = []
        for anchor in anchors:
            place = copy.place or copy.key
            try:
                found.append(await self.read(f"{place}#{anchor}" if anchor else place, copy.read_as.chosen))
            except CannotAttach as refusal:
                found.append(refusal)
        return tuple(found)

    async def check(self, path: str) -> None:
        """Whether there is such a file."""
        if path not in self.files and split_anchor(path)[0] not in self.files:
            raise CannotAttach(path, "there is no such file", "Check the path.")

    async def find(self, name: str, folder: str = "", workspace: str = "") -> Attached | None:
        """A file by the name that a message gives it."""
        path = f"{folder}/{name}" if folder else name
        return await self.read(path) if path in self.files or split_anchor(path)[0] in self.files else None

    async def list_files(self, folder: str, most: int) -> FolderList | None:
        """The files below a path; of the workspace, those whose path begins at no root."""
        front = f"{folder}/" if folder else ""
        found = [path[len(front) :] for path in self.files if path.startswith(front)]
        listed = [
            ListedFile(path, len(self.files[front + path]), hash(self.files[front + path]))
            for path in found
            if front or not path.startswith("/")
        ]
        return FolderList(folder, tuple(listed[:most]), len(listed) > most) if listed else None

    async def document(self, name: str, content: bytes, reading: Reading = AS_FOUND) -> Document:
        """The bytes as text, a page from one form feed to the next."""
        text = content.decode(reading.encoding or "utf-8")
        pages, place = [], 0
        for number, page in enumerate(text.split("\f") if "\f" in text else (), 1):
            end = place + len(page)
            pages.append(Section(f"p{number}", f"page {number}", 1, place, end, number, number))
            place = end + 1
        read_as = ReadAs(reading.kind or "text", reading.encoding or "utf-8", len(pages), chosen=reading)
        return Document(text, read_as, pages=tuple(pages))

    async def sendable_picture(self, content: bytes) -> bytes:
        """Every picture is taken as it is here."""
        return content

    async def page_pictures(
        self, path: str, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """The same picture for each page of a scan."""
        if path not in self.scans:
            raise CannotAttach(path, "it has no pages", "Attach a PDF.")
        return tuple((number, PNG) for number in range(pages[0], min(pages[1], self.scans[path]) + 1))

    def limits(self) -> AttachLimits:
        """How much may be attached."""
        return AttachLimits()

    async def folder_files(self, path: str) -> FolderFiles | None:
        """The files below a path; None where there are none."""
        found = [key.removeprefix(f"{path}/") for key in self.files if key.startswith(f"{path}/")]
        if not found and path not in self.left_out:
            return None
        return FolderFiles(path, tuple(found), self.left_out.get(path, ()))

    async def read_in(self, folder: str, path: str, password: Secret | None = None) -> Attached:
        """A file below a path."""
        if f"{folder}/{path}" not in self.files:
            raise CannotAttach(path, "cannot be read", "Check the file and its permissions.")
        return await self.read(f"{folder}/{path}", password=password)

    async def documents_in(self, folder: str, paths: Sequence[str]) -> tuple[Document | CannotAttach, ...]:
        """Files below a path as documents."""
        found = [await self._document_in(folder, path) for path in paths]
        return tuple(found)

    async def _document_in(self, folder: str, path: str) -> Document | CannotAttach:
        try:
            return (await self.read_in(folder, path)).document or Document("")
        except CannotAttach as refusal:
            return refusal

    async def close(self) -> None:
        """Nothing runs for it."""

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
