"""Whether a provider's cache still holds what a chat last sent, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from workbench.domain.model import ModelCard
from workbench.engine.build.prepare import is_cold
from workbench.engine.conversation import Conversation, age_between, asked_last
from workbench.engine.world import World


@dataclass(frozen=True, slots=True)
class Warm:
    """How a chat's cache stands; `until_utc` is None where nobody knows how long it lasts, or nothing was sent."""

    cold: bool = False
    until_utc: str | None = None
    left_s: float = 0.0


class Warmth:
    """Watches the lifetimes of caches; `turned` is told of a chat whose cache has just become cold."""

    def __init__(self, world: World, turned: Callable[[str], None]) -> None:
        self._world, self._turned = world, turned
        self._waiting: dict[str, tuple[str, asyncio.Task[None]]] = {}

    def look(self, conversation: Conversation, model: str, card: ModelCard) -> Warm:
        """How the cache of a model stands for the next request of a chat."""
        rules, asked_at = self._world.builder.cache_rules(card), asked_last(conversation, model)
        lifetime_s = None if rules is None else rules.lifetime_s
        age_s = age_between(asked_at, self._world.utc.utc_now())
        if lifetime_s is None or age_s is None or asked_at is None:
            return Warm()
        until = (datetime.fromisoformat(asked_at) + timedelta(seconds=lifetime_s)).isoformat()
        return Warm(is_cold(rules, age_s), until, max(0.0, lifetime_s - age_s))

    def watch(self, chat: str, warm: Warm) -> None:
        """Tell when a chat's cache becomes cold; only for the request that it shows."""
        if warm.until_utc is None or warm.cold:
            self.forget(chat)
        else:
            self._wait(chat, warm.until_utc, warm.left_s)

    def forget(self, chat: str) -> None:
        """Nothing is waited for any more."""
        known = self._waiting.pop(chat, None)
        if known is not None:
            known[1].cancel()

    def _wait(self, chat: str, until: str, left_s: float) -> None:
        known = self._waiting.get(chat)
        if known is not None and known[0] == until:
            return
        self.forget(chat)
        task = self._world.tasks.spawn(f"wait for the cache of {chat}", self._turn(chat, left_s))
        self._waiting[chat] = (until, task)

    async def _turn(self, chat: str, left_s: float) -> None:
        await asyncio.sleep(left_s)
        # Let go of first: whoever is told asks again.
        self._waiting.pop(chat, None)
        self._turned(chat)
