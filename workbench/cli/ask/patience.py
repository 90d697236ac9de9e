"""Waiting for another program that writes to the same history, for as long as somebody wants to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from workbench.cli.services import Services
from workbench.cli.terminal import tell, visible_line
from workbench.domain.errors import StoreInUse
from workbench.domain.record import Chat
from workbench.ports.history import HistoryStore

_LOOK_S = 0.2


class Patience:
    """How long a call waits altogether; what it waits for is said once."""

    def __init__(self, wait_s: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._left_s, self._sleep = wait_s, sleep
        self._told = False

    async def open(self, services: Services) -> HistoryStore:
        """The history, to write to, beside a window or another call that has it."""
        while True:
            try:
                return await services.history().open(writable=True, beside=True)
            except StoreInUse as problem:
                if not await self._goes_on("another program is changing the history"):
                    raise problem from None

    async def until_quiet(self, chat: Chat, store: HistoryStore) -> None:
        """Wait until nobody else is asking in the chat."""
        while True:
            lines = await store.turn_lines(chat.id, newest=1)
            if not lines or lines[0].state != "running":
                return
            if not await self._goes_on(f"another program is asking in {visible_line(chat.id)}"):
                raise StoreInUse(
                    f"the chat {visible_line(chat.id)}", "Wait for its answer, or give --wait more seconds."
                )

    async def _goes_on(self, what: str) -> bool:
        if self._left_s <= 0:
            return False
        if not self._told:
            tell(f"workbench: {what}; waiting up to {self._left_s:g} s")
            self._told = True
        await self._sleep(min(_LOOK_S, self._left_s))
        self._left_s -= _LOOK_S
        return True
