"""Asking a server about its models: briefly, rarely, and without ever failing a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Ask = Callable[[], Awaitable[dict[str, Any]]]
Learnt = MutableMapping[str, dict[str, Any]]

_PATIENCE_S = 3.0
_ASK_AGAIN_AFTER_S = 30.0


class Discovery:
    """Remembers what a server said; one that does not answer is left alone for a while.

    `prepare` loads what asking needs, for as long as that takes: on a busy machine it took all the time there was, and
    the server was never asked. `learnt` holds what servers said before, under `about`, and stands in for one that is
    silent; whoever has several models at a server hands the same to all of them, and what one of them hears all know.
    """

    def __init__(
        self,
        ask: Ask,
        prepare: Callable[[], Awaitable[object]] | None = None,
        *,
        patience_s: float = _PATIENCE_S,
        learnt: Learnt | None = None,
        about: str = "",
    ) -> None:
        self._ask, self._prepare = ask, prepare
        self._patience_s = patience_s
        self._learnt: Learnt = {} if learnt is None else learnt
        self._about = about
        self._asked = False
        self._silent_until_s = float("-inf")

    async def known(self) -> dict[str, Any]:
        """What the server said, now or the last time; empty where nobody ever answered."""
        clock = asyncio.get_running_loop()
        if not self._asked and clock.time() >= self._silent_until_s:
            try:
                await self.ask_now()
            except Exception:  # noqa: BLE001  (whatever goes wrong: the turn goes on with what is known)
                self._silent_until_s = clock.time() + _ASK_AGAIN_AFTER_S
        return self._learnt.get(self._about, {})

    async def ask_now(self) -> dict[str, Any]:
        """What the server says right now; what goes wrong is for whoever asked."""
        if self._prepare is not None:
            await self._prepare()
        async with asyncio.timeout(self._patience_s):
            said = self._learnt[self._about] = await self._ask()
        self._asked = True
        return said

    def forget(self) -> None:
        """Ask anew next time."""
        self._asked, self._silent_until_s = False, float("-inf")
