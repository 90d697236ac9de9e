"""Takes what passed the proxy, one request after the other: understands it, keeps it, tells it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from workbench.domain.errors import WorkbenchError
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn


class Copied(Protocol):
    """A request that is over, and the copies of its bodies, which are not read yet."""

    def exchange(self) -> Exchange:
        """Read them; may take a while."""


Understand = Callable[[Exchange], WatchedTurn | None]
Keep = Callable[[WatchedTurn, Exchange], Awaitable[object]]
Told = Callable[[Exchange, WatchedTurn | None], None]
_log = logging.getLogger(__name__)


class Watcher:
    """Looks at requests beside the loop that passes them on; whatever goes wrong here, they have passed.

    Attributes:
        lost: why requests could not be kept; each reason once.
    """

    def __init__(self, understand: Understand, told: Told, keep: Keep | None = None) -> None:
        self._understand, self._told, self._keep = understand, told, keep
        self._waiting: asyncio.Queue[Copied | None] = asyncio.Queue()
        self.lost: list[str] = []

    def hear(self, copied: Copied) -> None:
        """A request is over."""
        self._waiting.put_nowait(copied)

    def finish(self) -> None:
        """Nothing more comes: `run` ends after what waits."""
        self._waiting.put_nowait(None)

    async def run(self) -> None:
        """Take one after the other."""
        while (copied := await self._waiting.get()) is not None:
            exchange, turn = await asyncio.to_thread(self._look, copied)
            self._told(exchange, turn)
            if turn is not None and self._keep is not None:
                await self._kept(self._keep, turn, exchange)

    def _look(self, copied: Copied) -> tuple[Exchange, WatchedTurn | None]:
        exchange = copied.exchange()
        try:
            return exchange, self._understand(exchange)
        except Exception:  # noqa: BLE001  (a request that nobody foresaw is passed on and said, like any other)
            # No traceback: it could quote the request.
            _log.error("request %d could not be understood", exchange.n)
            return exchange, None

    async def _kept(self, keep: Keep, turn: WatchedTurn, exchange: Exchange) -> None:
        try:
            await keep(turn, exchange)
        except WorkbenchError as problem:
            if str(problem) not in self.lost:
                self.lost.append(str(problem))
