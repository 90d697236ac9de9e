"""Processes the requests that pass the proxy one by one: analyses, stores and reports each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from workbench.domain.errors import WorkbenchError
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.ports.watching import CopiedRequest

Understand = Callable[[Exchange], WatchedTurn | None]
Keep = Callable[[WatchedTurn, Exchange], Awaitable[object]]
Told = Callable[[Exchange, WatchedTurn | None], None]
_log = logging.getLogger(__name__)


async def _nothing(_n: int) -> object:
    return None


class Ahead(NamedTuple):
    """Functions that analyse and store a request before its answer; `give_up` is called where no end follows."""

    understand: Understand
    keep: Callable[[WatchedTurn, Exchange, CopiedRequest], Awaitable[object]]
    give_up: Callable[[int], Awaitable[object]] = _nothing


class Watcher:
    """Processes requests apart from the loop that passes them on; an error here never affects them.

    Attributes:
        lost: why requests could not be kept; each reason once.
        ahead: what to do with requests that are not answered yet; None leaves all to their end.
        first: what to do before the first request is looked at.
        paid: counts what a finished request cost, whether or not it is stored. acted: compares what rules were to bring
            with what they brought.
    """

    def __init__(self, understand: Understand, told: Told, keep: Keep | None = None) -> None:
        self._understand, self._told, self._keep = understand, told, keep
        self._waiting: asyncio.Queue[tuple[CopiedRequest, bool] | None] = asyncio.Queue()
        self.lost: list[str] = []
        self.ahead: Ahead | None = None
        self.first: Callable[[], Awaitable[None]] | None = None
        self.acted: Callable[[Exchange, WatchedTurn | None], None] = lambda _exchange, _turn: None
        self.paid: Callable[[Exchange, WatchedTurn | None], Awaitable[object]] | None = None

    def begin(self, copied: CopiedRequest) -> None:
        """Queues a request that has passed whole and is not answered yet."""
        self._waiting.put_nowait((copied, False))

    def hear(self, copied: CopiedRequest) -> None:
        """Queues a finished request."""
        self._waiting.put_nowait((copied, True))

    def finish(self) -> None:
        """Makes `run` end after the queued requests."""
        self._waiting.put_nowait(None)

    async def run(self) -> None:
        """Processes queued requests until `finish` is called."""
        if self.first is not None:
            await self.first()
        while (heard := await self._waiting.get()) is not None:
            copied, over = heard
            if over:
                await self._end(copied)
            elif self.ahead is not None:
                exchange, turn = await asyncio.to_thread(_look, copied.begun, self.ahead.understand)
                if turn is not None:
                    await self._kept(self.ahead.keep(turn, exchange, copied))

    async def _end(self, copied: CopiedRequest) -> None:
        exchange, turn = await asyncio.to_thread(_look, copied.exchange, self._understand)
        self._told(exchange, turn)
        self.acted(exchange, turn)
        if self.paid is not None:
            await self._kept(self.paid(exchange, turn))
        if turn is not None and self._keep is not None:
            await self._kept(self._keep(turn, exchange))
        elif self.ahead is not None:
            await self._kept(self.ahead.give_up(exchange.n))

    async def _kept(self, keeping: Awaitable[object]) -> None:
        try:
            await keeping
        except WorkbenchError as problem:
            if str(problem) not in self.lost:
                self.lost.append(str(problem))


def _look(read: Callable[[], Exchange], understand: Understand) -> tuple[Exchange, WatchedTurn | None]:
    exchange = read()
    try:
        return exchange, understand(exchange)
    except Exception:  # noqa: BLE001  (a request that nobody foresaw is passed on and said, like any other)
        # No traceback: it could quote the request.
        _log.error("request %d could not be understood", exchange.n)
        return exchange, None
