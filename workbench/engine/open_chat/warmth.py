"""Whether a provider's cache still holds what a chat last sent, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from workbench.domain.models.model import ModelCard
from workbench.engine.assembly.prepare import is_cold
from workbench.engine.conversation import Conversation, age_between, asked_last
from workbench.engine.open_chat.scope import ChatScope

LOOK_S = 15.0
"""How often the clock on the wall is looked at while a cache is warm."""


@dataclass(frozen=True, slots=True)
class Warm:
    """How a chat's cache stands; `until_utc` is None where nobody knows how long it lasts, or nothing was sent."""

    cold: bool = False
    until_utc: str | None = None
    left_s: float = 0.0


class Warmth:
    """Watches the lifetime of one chat's cache; `turned` is called when it has just become cold."""

    def __init__(self, scope: ChatScope, turned: Callable[[], None], look_s: float = LOOK_S) -> None:
        self._scope, self._world, self._turned, self._look_s = scope, scope.world, turned, look_s
        self._waiting: tuple[str, asyncio.Task[None]] | None = None

    def look(self, conversation: Conversation, model: str, card: ModelCard) -> Warm:
        """How the cache of a model stands for the next request."""
        rules, asked_at = self._world.builder.cache_rules(card), asked_last(conversation, model)
        lifetime_s = None if rules is None else rules.lifetime_s
        age_s = age_between(asked_at, self._world.utc.utc_now())
        if lifetime_s is None or age_s is None or asked_at is None:
            return Warm()
        until = (datetime.fromisoformat(asked_at) + timedelta(seconds=lifetime_s)).isoformat()
        return Warm(is_cold(rules, age_s), until, max(0.0, lifetime_s - age_s))

    def watch(self, warm: Warm) -> None:
        """Tell when the cache becomes cold; only for the request that is shown."""
        if warm.until_utc is None or warm.cold:
            self._stop()
        elif self._waiting is None or self._waiting[0] != warm.until_utc:
            self._stop()
            task = self._scope.spawn(f"wait for the cache of {self._scope.chat}", self._turn(warm))
            self._waiting = (warm.until_utc, task)

    def _left_s(self, until_utc: str | None) -> float:
        return age_between(self._world.utc.utc_now(), until_utc or "") or 0.0

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting[1].cancel()
        self._waiting = None

    async def _turn(self, warm: Warm) -> None:
        left_s = warm.left_s
        # In pieces: while a computer is suspended the cache's time runs, and that of the loop does not.
        while left_s > 0 and self._left_s(warm.until_utc) > 0:
            await asyncio.sleep(min(left_s, self._look_s))
            left_s -= self._look_s
        self._waiting = None  # first: whoever is told watches again
        self._turned()
