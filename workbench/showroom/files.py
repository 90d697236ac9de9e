"""The files of the scripted conversation: attached by their paths in one folder, whose disk can be slow."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workbench.domain.files import document
from workbench.domain.files.attached import (
    Attached,
    AttachLimits,
    CannotAttach,
    FileSight,
    FolderFiles,
    FolderList,
    KeptCopy,
)
from workbench.domain.files.document import AS_FOUND, Document
from workbench.domain.files.folder import FileText, FolderEntry, FolderRules
from workbench.domain.secrets import Secret
from workbench.ports.attaching import FolderScan
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.sources.extract.process import ChildExtractor


class SlowScan:
    """A look through a folder on a slow disk: one file at a time, and none after the one it waits at → FolderScan."""

    def __init__(self, scan: FolderScan, waits_at: str) -> None:
        self._scan, self._waits_at = scan, waits_at

    async def more(self) -> tuple[FolderEntry, ...]:
        """The next entries."""
        return await self._scan.more()

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """What the first of the files holds."""
        if paths[0] == self._waits_at:
            await asyncio.Event().wait()
        return await self._scan.texts(paths[:1])

    async def close(self) -> None:
        """Let go of the folder."""
        await self._scan.close()


class FolderAttachments:
    """Files by their paths in one folder, as for a program that was started there → AttachmentReader.

    Attributes:
        waits_at: the file at which a look through a folder waits; empty where it does not.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = FileAttachments(ChildExtractor(), naming=Naming(workspace=lambda: str(folder)))
        self.waits_at = ""

    async def read(
        self, path: str, reading: document.Reading = AS_FOUND, password: Secret | None = None
    ) -> Attached:
        """The file as it is now."""
        found = await self._files.read(str(self._folder / path), reading, password)
        return replace(found, artifact=replace(found.artifact, key=path), names=())

    async def read_again(self, copy: KeptCopy, anchors: Sequence[str]) -> tuple[Attached | CannotAttach, ...]:
        """Parts of a file as it is now."""
        there = replace(copy, place=str(self._folder / (copy.place or copy.key)))
        return await self._files.read_again(there, anchors)

    async def find(self, name: str, folder: str = "", workspace: str = "") -> Attached | None:
        """A file of the folder by the name that a message gives it."""
        found = await self._files.find(name, folder, workspace)
        return None if found is None else replace(found, names=())

    async def check(self, path: str) -> None:
        """Refuse what is no file."""
        await self._files.check(str(self._folder / path))

    async def list_files(self, folder: str, most: int) -> FolderList | None:
        """The files of the folder by their names."""
        return await self._files.list_files(folder, most)

    async def document(self, name: str, content: bytes, reading: document.Reading = AS_FOUND) -> Document:
        """What a file became that was read before."""
        return await self._files.document(name, content, reading)

    async def sendable_picture(self, content: bytes) -> bytes:
        """A picture as every provider takes it."""
        return await self._files.sendable_picture(content)

    async def page_pictures(
        self, path: str, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """Pages of a PDF as pictures."""
        return await self._files.page_pictures(str(self._folder / path), pages, password)

    def limits(self) -> AttachLimits:
        """How much may be attached."""
        return AttachLimits()

    async def folder_files(self, path: str) -> FolderFiles | None:
        """Single files are attached here."""
        return None

    async def read_in(self, folder: str, path: str, password: Secret | None = None) -> Attached:
        """A file of a folder below, or of any other."""
        return await self._files.read_in(str(self._folder / folder), path, password)

    async def documents_in(self, folder: str, paths: Sequence[str]) -> tuple[Document | CannotAttach, ...]:
        """Files of a folder below, or of any other."""
        return await self._files.documents_in(str(self._folder / folder), paths)

    async def close(self) -> None:
        """End what runs for it."""
        await self._files.close()

    async def scan(self, path: str, rules: FolderRules) -> FolderScan | None:
        """A way through a folder below, or anywhere else."""
        scan = await self._files.scan(str(self._folder / path), rules)
        return SlowScan(scan, self.waits_at) if scan is not None and self.waits_at else scan

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """What became of files since they were kept."""
        there = [(replace(copy, key=str(self._folder / copy.key)), last) for copy, last in copies]
        return await self._files.look(there)
