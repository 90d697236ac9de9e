"""How the caches of chats stand that are not in view, as far as their last turns tell."""

from __future__ import annotations

from datetime import datetime, timedelta

from workbench.domain.models.model import ModelCard
from workbench.domain.record import TurnLine, noted_count, noted_table, noted_text
from workbench.domain.shown.reach import ChatReach
from workbench.engine.world import World


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
