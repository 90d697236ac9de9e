"""A data folder whose history is in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from itertools import count

from tests.fakes.history import MemoryHistory
from tests.fakes.paper_keys import PaperKeys
from tests.fakes.parts import parts_with
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.cli.services import Services
from workbench.context.text.chunk_renderers import role_of
from workbench.domain.chat_line import ChatLine
from workbench.domain.errors import StoreInUse
from workbench.domain.message import Message
from workbench.domain.record import Salvaged
from workbench.domain.secrets import Secret
from workbench.ports.history import HistoryStore
from workbench.sources.exchange_files import FolderExchange
from workbench.storage.elara_cipher import ElaraCipher

NOW = "2026-02-03T04:05:06Z"


class MemoryAccess:
    """Opens the one history it has → HistoryAccess.

    Attributes:
        opened: for every time it was opened, whether for writing.
        copies: what was asked for as backup and restore.
        busy: how often opening it is refused. salvaged: what a salvage finds.
    """

    def __init__(self) -> None:
        self.store = MemoryHistory()
        self.keys = PaperKeys()
        self.opened: list[bool] = []
        self.busy = 0
        self.copies: list[tuple[str, str]] = []
        self.salvaged = Salvaged(7)

    async def open(self, *, writable: bool, beside: bool = False, yielding: bool = False) -> MemoryHistory:
        """The history; in use by another program as often as `busy` says."""
        if self.busy:
            self.busy -= 1
            raise StoreInUse("the folder", "Try again in a moment.")
        self.opened.append(writable)
        self.store.closed = False
        return self.store

    async def copied(self) -> MemoryHistory:
        """A copy, as deep as a test can tell."""
        return deepcopy(self.store)

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

    async def salvage(self, agree: Callable[[Salvaged], bool]) -> Salvaged:
        """Only remembered; of `salvaged` something may be lost."""
        if not self.salvaged.complete and not agree(self.salvaged):
            return self.salvaged
        self.copies.append(("salvage", ""))
        return replace(self.salvaged, aside="replaced-2")


def history_parts(access: MemoryAccess) -> Services:
    """What `workbench history` works with: a history in memory, a clock that stands, ids that count."""
    numbers, places = count(1), MemoryWorkspaces(access.store)
    return parts_with(
        history=lambda: access,
        listed=lambda: asyncio.run(listed(access)),
        keys=lambda: access.keys,
        elara=make_elara,
        exchange=FolderExchange,
        workspaces=lambda _store: places,
        preferences=MemoryPreferences,
        utc_now=lambda: NOW,
        new_id=lambda: f"new-{next(numbers)}",
    )


async def listed(access: MemoryAccess) -> tuple[ChatLine, ...]:
    """Its chats, read one by one through the port."""
    store = await access.open(writable=False)
    lines = [
        ChatLine(
            chat.id, chat.title, chat.created_utc, chat.used_utc or chat.created_utc, chat.settings.model,
            await last_turn(store, chat.id),
        )
        for chat in await store.chats()
    ]  # fmt: skip
    await store.close()
    return tuple(lines)


async def last_turn(store: HistoryStore, chat: str) -> str | None:
    """How the last turn of the branch in view ended; only a question without an answer does not say it itself."""
    last = await store.tail(chat, 1)
    if not last:
        return None
    entry = last[0].entry
    role = entry.role if isinstance(entry, Message) else role_of(entry)
    if last[0].state != "complete" or role != "user":
        return last[0].state
    lines = await store.turn_lines(chat)
    return lines[-1].state if lines and lines[-1].question == last[0].id else "complete"


def make_elara(key: Secret) -> ElaraCipher:
    """Elara's real encryption."""
    return ElaraCipher(key)
