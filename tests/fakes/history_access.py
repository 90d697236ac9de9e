"""A data folder whose history is in memory."""

from __future__ import annotations

from itertools import count

from tests.fakes.history import MemoryHistory
from tests.fakes.paper_keys import PaperKeys
from tests.fakes.parts import parts_with
from workbench.cli.parts import Parts
from workbench.domain.record import Salvaged
from workbench.domain.secret import Secret
from workbench.sources.exchange_files import FolderExchange
from workbench.storage.elara_cipher import ElaraCipher

NOW = "2026-02-03T04:05:06Z"


class MemoryAccess:
    """Opens the one history it has → HistoryAccess.

    Attributes:
        opened: for every time it was opened, whether for writing.
        copies: what was asked for as backup and restore.
    """

    def __init__(self) -> None:
        self.store = MemoryHistory()
        self.keys = PaperKeys()
        self.opened: list[bool] = []
        self.copies: list[tuple[str, str]] = []

    async def open(self, *, writable: bool) -> MemoryHistory:
        """The history."""
        self.opened.append(writable)
        self.store.closed = False
        return self.store

    async def backup(self, target: str) -> None:
        """Only remembered."""
        self.copies.append(("backup", target))

    async def restore(self, source: str) -> str:
        """Only remembered."""
        self.copies.append(("restore", source))
        return "replaced-1"

    def older_copies(self) -> tuple[str, ...]:
        """One, kept before a restore."""
        return ("data/replaced-1",)

    async def salvage(self) -> Salvaged:
        """Only remembered."""
        self.copies.append(("salvage", ""))
        return Salvaged(7, "replaced-2")


def history_parts(access: MemoryAccess) -> Parts:
    """What `workbench history` works with: a history in memory, a clock that stands, ids that count."""
    numbers = count(1)
    return parts_with(
        history=lambda: access,
        keys=lambda: access.keys,
        elara=make_elara,
        exchange=FolderExchange,
        utc_now=lambda: NOW,
        new_id=lambda: f"new-{next(numbers)}",
    )


def make_elara(key: Secret) -> ElaraCipher:
    """Elara's real encryption."""
    return ElaraCipher(key)
