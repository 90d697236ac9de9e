"""Whether a provider's cache still holds what a chat last sent, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from workbench.domain.model import ModelCard
from workbench.domain.note_values import noted_count, noted_table, noted_text
from workbench.domain.record import TurnLine
from workbench.domain.shown.reach import ChatReach
from workbench.engine.assembly.prepare import is_cold
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


# Chats that are not in view, as far as their last turns tell.


async def reach_of(chat: str, world: World) -> ChatReach:
    """What a cache holds of a chat, and what it would cost to have it read anew."""
    lines = await world.store.turn_lines(chat)
    sent = [line for line in lines if noted_text(_request(line), "model")]
    return _reach(chat, sent[-1], world) if sent else ChatReach(chat)


def _request(line: TurnLine) -> dict[str, object]:
    return dict(noted_table(line.usage or {}, "request"))


def _reach(chat: str, line: TurnLine, world: World) -> ChatReach:
    request = _request(line)
    local = request.get("local") is True
    card = world.builder.catalogue.find(noted_text(request, "model"))
    rules = world.builder.cache_rules(card)
    total = noted_count(request, "total_tokens") or noted_count(line.usage or {}, "prompt_tokens") or 0
    if rules is None or not total:
        return ChatReach(chat, local=local)
    held = rules.served(total)
    return ChatReach(
        chat,
        known=True,
        until_utc=_until(line.started_utc, rules.lifetime_s),
        cached_tokens=held,
        reread_usd=0.0 if local else _usd(held, card, world),
        local=local,
    )


def _until(asked_utc: str, lifetime_s: int | None) -> str:
    try:
        asked = datetime.fromisoformat(asked_utc)
    except ValueError:
        return ""
    return "" if lifetime_s is None else (asked + timedelta(seconds=lifetime_s)).isoformat()


def _usd(tokens: int, card: ModelCard, world: World) -> float | None:
    """What reading anew costs more than being served: at the price of writing it to the cache, where that has one."""
    price = world.prices.price(card)
    if price is None:
        return None
    anew = price.input if price.cache_write is None else price.cache_write
    served = price.input if price.cached is None else price.cached
    return max(0.0, anew - served) * tokens / 1_000_000
