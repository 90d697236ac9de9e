"""Holds watched requests until a person has decided about each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from workbench.domain.shown.sessions_view import HeldView
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import Exchange, program_name
from workbench.domain.watch.rules import Decision

REFUSED = tr("This request was held, and refused by a person. Nothing was sent.")
CLOSED = tr("The watch was closed while this request was held. Nothing was sent.")


class HeldRequests:
    """The requests that wait → Holding; never on by itself.

    `show` is called with whether requests are held, and those that wait, whenever that changes.
    """

    def __init__(
        self, show: Callable[[bool, tuple[HeldView, ...]], None], utc_now: Callable[[], str]
    ) -> None:
        self._show, self._utc_now = show, utc_now
        self._on = False
        self._waiting: dict[int, tuple[HeldView, asyncio.Future[Decision]]] = {}

    def is_on(self) -> bool:
        return self._on

    async def decide(self, exchange: Exchange, body: bytes, timeout_s: float | None) -> Decision:
        """Wait until a person has decided; given up where the program no longer waits."""
        if not self._on:
            return Decision()
        name = program_name(exchange.header("user-agent"))
        held = HeldView(exchange.n, name, self._utc_now(), timeout_s, body.decode("utf-8", "replace"))
        decided: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._waiting[exchange.n] = held, decided
        self._tell()
        try:
            return await decided
        finally:
            self._waiting.pop(exchange.n, None)
            self._tell()

    def switch(self, on: bool) -> None:
        """Hold requests from now on; or no longer, and send those that wait."""
        self._on = on
        if not on:
            self._end(Decision())
        self._tell()

    def answer(self, n: int, send: bool, body: str | None = None) -> None:
        """Decide about one; an edit is only this request's."""
        held, decided = self._waiting.get(n, (None, None))
        if held is not None and decided is not None and not decided.done():
            edited = None if body is None or body == held.body else body.encode("utf-8", "replace")
            decided.set_result(Decision(body=edited) if send else Decision(REFUSED))

    def close(self) -> None:
        """Refuse all that wait, since nobody will decide about them."""
        self._on = False
        self._end(Decision(CLOSED))
        self._tell()

    def _end(self, decision: Decision) -> None:
        for _, decided in self._waiting.values():
            if not decided.done():
                decided.set_result(decision)

    def _tell(self) -> None:
        self._show(self._on, tuple(held for held, _ in self._waiting.values()))
