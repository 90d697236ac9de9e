"""A data folder as a whole: opened, copied, put back; and other folders and files beside it."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from workbench.domain.record import Salvaged
from workbench.ports.history import HistoryStore


class HistoryAccess(Protocol):
    """The history of a data folder: opened by whoever has its key, copied and put back as a whole."""

    async def open(self, *, writable: bool, beside: bool = False, yielding: bool = False) -> HistoryStore:
        """The history, ready to use: any number of readers, and one program that writes.

        `beside` that one others may write too: a question from a script while the window is open. Who is `yielding`
        is always one of them, so that a window can be opened meanwhile.
        """

    async def copied(self) -> HistoryStore:
        """A copy to try something on, gone when it is closed; the history stays as it is."""

    async def backup(self, target: str) -> None:
        """Copy everything into an empty folder, while the history may be in use."""

    async def restore(self, source: str) -> str:
        """Put a backup in place of the history; returns where the old one went."""

    def older_copies(self) -> tuple[str, ...]:
        """Where earlier states of the history still are: kept before a restore, a salvage or a new version."""

    async def salvage(self, agree: Callable[[Salvaged], bool]) -> Salvaged:
        """Replace a damaged history by what can be read of it; the damaged one is kept.

        Where something is lost, only if somebody agrees who was told what.
        """


class Scratch(Protocol):
    """A history of one's own that is gone afterwards."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def open(self) -> HistoryStore:
        """The history as it was closed last; empty at first."""


class SealedFiles(Protocol):
    """The encryption of another program's files, each sealed for itself."""

    def seal(self, plain: bytes) -> bytes:
        """The envelope that holds these bytes."""

    def open(self, envelope: bytes) -> bytes:
        """The bytes in an envelope; `CannotOpen` where the key is another one or the file is damaged."""
