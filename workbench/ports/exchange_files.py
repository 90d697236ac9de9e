"""The files that chats are exported to and imported from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

LARGEST_FILE_BYTES = 256 * 1024 * 1024
NamedFile = tuple[str, bytes]


class WritingStopped(Exception):
    """Somebody ended an export before it was written; nothing of it is there."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that can be read; `load` gives its bytes, or raises `InvalidInput` in words for people."""

    name: str
    load: Callable[[], bytes]
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that belong together: those of a folder, of an archive, or those named singly.

    `beside` are its other files by their whole names there: pictures, and whatever was attached. Of an `archive`,
    files that hold no chats are nothing unusual.
    """

    files: tuple[FoundFile, ...] = ()
    beside: Mapping[str, FoundFile] = field(default_factory=dict)
    archive: bool = False


def named_files(*files: NamedFile) -> FileGroup:
    """Files whose bytes are at hand."""
    return FileGroup(tuple(FoundFile(name, partial(bytes, raw), len(raw)) for name, raw in files))


@dataclass(frozen=True, slots=True)
class FilesFound:
    """Files in groups that belong together, and what was unreadable.

    `passed_over` says what else is in those folders, and was not looked at. `close` lets go of what is held open.
    """

    groups: tuple[FileGroup, ...] = ()
    problems: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    close: Callable[[], None] = lambda: None


class ExchangeFiles(Protocol):
    """Reads and writes files for exchange, beside whoever waits for it."""

    async def read(self, paths: Sequence[str]) -> FilesFound:
        """Regular files, those of folders and those of archives; one that cannot be read stops no other."""

    async def write(
        self, place: str, files: Sequence[NamedFile], *, alone: bool, stopped: Callable[[], bool]
    ) -> tuple[str, ...]:
        """Write all files or none, over nothing that exists, for their owner only; where each one went.

        With `alone` a single file becomes `place` itself, unless that is a folder; otherwise they go into the folder
        `place`. `stopped` is asked now and then, in another thread: where it says so, `WritingStopped`.
        """
