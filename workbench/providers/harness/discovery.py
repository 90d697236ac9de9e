"""Asking a server about its models: briefly, rarely, and without ever failing a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

Ask = Callable[[], Awaitable[dict[str, Any]]]

_PATIENCE_S = 3.0
_ASK_AGAIN_AFTER_S = 30.0


class Discovery:
    """Remembers what a server said; one that does not answer is left alone for a while."""

    def __init__(self, ask: Ask, patience_s: float = _PATIENCE_S) -> None:
        self._ask = ask
        self._patience_s = patience_s
        self._known: dict[str, Any] = {}
        self._silent_until_s = float("-inf")

    async def known(self) -> dict[str, Any]:
        """What the server said; empty where nobody answers."""
        now_s = asyncio.get_running_loop().time()
        if not self._known and now_s >= self._silent_until_s:
            try:
                async with asyncio.timeout(self._patience_s):
                    self._known = await self._ask()
            except Exception:  # noqa: BLE001  (whatever goes wrong: the turn goes on with what is known)
                self._silent_until_s = now_s + _ASK_AGAIN_AFTER_S
        return self._known

    def forget(self) -> None:
        """Ask anew next time."""
        self._known, self._silent_until_s = {}, float("-inf")
