"""The files that chats are exported to and imported from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

LARGEST_FILE_BYTES = 256 * 1024 * 1024
NamedFile = tuple[str, bytes]


class WritingStopped(Exception):
    """Somebody ended an export before it was written; nothing of it is there."""


@dataclass(frozen=True, slots=True)
class FilesFound:
    """Files in groups that belong together, those of a folder and those named singly; and what was unreadable.

    `passed_over` says what else is in those folders, and was not looked at.
    """

    groups: tuple[tuple[NamedFile, ...], ...] = ()
    problems: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


class ExchangeFiles(Protocol):
    """Reads and writes files for exchange, beside whoever waits for it."""

    async def read(self, paths: Sequence[str]) -> FilesFound:
        """Regular files of a bearable size, and those of folders; one that cannot be read stops no other."""

    async def write(
        self, place: str, files: Sequence[NamedFile], *, alone: bool, stopped: Callable[[], bool]
    ) -> tuple[str, ...]:
        """Write all files or none, over nothing that exists, for their owner only; where each one went.

        With `alone` a single file becomes `place` itself, unless that is a folder; otherwise they go into the folder
        `place`. `stopped` is asked now and then, in another thread: where it says so, `WritingStopped`.
        """
