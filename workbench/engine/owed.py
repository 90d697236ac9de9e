"""Ends of turns that the store refused, a full disk for example; kept as soon as it takes them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from workbench.domain.errors import NotKept
from workbench.domain.record import Record, TurnRecord
from workbench.ports.history import HistoryStore


class Owed:
    """What was shown and is not kept yet, a turn a chat: no other turn begins there before it is."""

    def __init__(self) -> None:
        self._ends: dict[str, tuple[TurnRecord, Sequence[Record]]] = {}

    def note(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        """This end could not be kept."""
        self._ends[turn.chat] = (turn, replies)

    async def settle(self, chat: str, store: HistoryStore) -> None:
        """Try again for one chat; refused as before where nothing has changed."""
        if chat in self._ends:
            # What does not fit what is kept never will: a chat must not be blocked by that.
            with suppress(NotKept):
                await store.finish_turn(*self._ends[chat])
            self._ends.pop(chat, None)

    async def settle_all(self, store: HistoryStore) -> None:
        """Try again for all of them."""
        for chat in tuple(self._ends):
            await self.settle(chat, store)
