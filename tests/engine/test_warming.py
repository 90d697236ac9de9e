"""A chat is kept warm against a fake of each vendor with its own clock: what was foretold is served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels
from tests.fakes.engine import SETTINGS, Bench, fake_world
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.provider_caches import MarkedCache, PrefixCache, SlotCache, Tokens, spelled, words
from tests.fakes.spending import PRICE, MemoryLedger
from tests.fakes.turns import fake_builder
from tests.fakes.virtual_time import in_virtual_time
from workbench.domain.answer import AnswerPart, Finished, TextGrew, UsageReported
from workbench.domain.caching import KeptWarm
from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.spending import SpendCaps
from workbench.domain.usage import Price, Usage
from workbench.engine.events import NoticeGiven, PreferencesChanged
from workbench.engine.intents import CloseChat, KeepWarm, OpenChat, SendMessage
from workbench.engine.metering import MeteredModels, Spending
from workbench.engine.open_chat.requests import COOLING_S
from workbench.engine.tasks import Tasks
from workbench.engine.warming import BEFORE_S, NothingToKeepWarm, plan_refresh, send_refresh
from workbench.providers.anthropic.messages import request_body
from workbench.providers.cache_rules import Rulebook, load_rules
from workbench.sources.resources import resource_path

RULES = load_rules(resource_path("cache-rules.toml")).by_id
QUESTION = " ".join(["what does it say"] * 20)


class LoopUtc:
    """The time of the loop, as the time of day → UtcClock."""

    def utc_now(self) -> str:
        """The moment."""
        moment = datetime(2026, 11, 18, 12, tzinfo=UTC) + timedelta(seconds=asyncio.get_running_loop().time())
        return moment.isoformat()


def flat(request: ModelRequest) -> Tokens:
    """A request as tokens, with the answer opened at its end; one that it ends with stays open, to be gone on with."""
    rows = [{"role": one.role, "content": one.text} for one in request.messages]
    prompt, _ = spelled(rows)
    return prompt[:-4] if request.messages[-1].is_beginning else prompt


def blocks(request: ModelRequest) -> list[tuple[Tokens, bool]]:
    """The blocks of a request as Anthropic's adapter writes them, each with whether it is marked."""
    body, found = request_body(request, "claude"), list[tuple[Tokens, bool]]()
    rows = [("system", body.get("system", [])), *((one["role"], one["content"]) for one in body["messages"])]
    for role, some in rows:
        for place, block in enumerate(some):
            opened: Tokens = [("open", 0), ("open", 1), ("role", role), ("close", None)] if place == 0 else []
            found.append(([*opened, *words(block["text"])], "cache_control" in block))
    return found


@dataclass
class Vendor(FakeModel):
    """A server whose cache forgets what nobody has used for its lifetime; all in the time of the loop."""

    make: Callable[[], Any] = lambda: PrefixCache(1)
    lifetime_s: float = 300.0
    cache: Any = None
    used_s: float = -1e9

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        self.requests.append(request)
        now = asyncio.get_running_loop().time()
        if now - self.used_s >= self.lifetime_s:
            self.cache = self.make()
        self.used_s = now
        answer = "It says so."[: 99 if request.max_output_tokens != 1 else 2]
        if isinstance(self.cache, MarkedCache):
            found = blocks(request)
            total = sum(len(tokens) for tokens, _ in found)
            read, written = self.cache.ask(found)
        else:
            prompt = flat(request)
            total, read, written = len(prompt), self.cache.ask(prompt, words(answer)), None
        yield TextGrew(answer)
        yield UsageReported(Usage(total, read, written, len(words(answer))))
        yield Finished("stop")


class OnePrice:
    """The same price for every model of a provider → PriceList; none for those that cost nothing."""

    def price(self, card: ModelCard) -> Price | None:
        return None if card.provider == "unknown" else replace(PRICE, cached=0.25, cache_write=3.0)


class Warm:
    """A bench whose chat asks a vendor."""

    def __init__(self, rules: str, make: Callable[[], Any], provider: str = "", **changes: Any) -> None:
        card = replace(
            WORD_MODEL, provider=provider or rules, cache_rules=rules, prefill=rules == "ollama",
            context_window_tokens=9_000,
        )  # fmt: skip
        known = replace(RULES[rules], minimum_tokens=32, step_tokens=8 if rules == "openai" else 1, **changes)
        builder = replace(fake_builder(card), rulebook=Rulebook({rules: known}), prices=OnePrice())
        self.vendor = Vendor([], make=make, lifetime_s=known.lifetime_s or 1e9)
        self.ledger, self.caps = MemoryLedger(), SpendCaps()
        tasks, utc = Tasks(_raise), LoopUtc()
        self.spending = Spending(self.ledger, OnePrice(), builder.catalogue, utc, lambda: self.caps, tasks)
        models = MeteredModels(FakeModels(self.vendor), self.spending)
        world = fake_world(
            builder=builder, utc=utc, models=models, spending=self.spending, prices=OnePrice(), tasks=tasks,
            preferences=MemoryPreferences(),
        )  # fmt: skip
        self.bench = Bench(world)

    async def ask(self, words: str = QUESTION) -> Usage:
        """One turn, and what was reported of it."""
        return (await self.bench.do(SendMessage("talk", words))).outcome.usage

    async def begin(self) -> None:
        await self.bench.start(settings=replace(SETTINGS, layout="append_only"))
        await self.ask()

    def shown(self) -> KeptWarm | None:
        return self.bench.workbench.state.open["talk"].warm

    @property
    def refreshes(self) -> list[ModelRequest]:
        return [one for one in self.vendor.requests if one.max_output_tokens == 1]


def _raise(name: str, error: BaseException) -> None:
    raise AssertionError(name) from error


VENDORS = {
    "openai": lambda: PrefixCache(32, 8),
    "anthropic": lambda: MarkedCache(32),
    "anthropic-1h": lambda: MarkedCache(32),
    "ollama": SlotCache,
}


@pytest.mark.parametrize("name", VENDORS)
def test_what_is_kept_warm_is_served_after_a_pause_far_longer_than_the_lifetime(name: str):
    @in_virtual_time
    async def run() -> None:
        one = Warm(name, VENDORS[name])
        await one.begin()
        await one.bench.workbench.dispatch(KeepWarm("talk"))
        lifetime_s = RULES[name].lifetime_s or 0
        foretold = (await plan_refresh("talk", one.bench.world)).forecast.predicted_read_tokens
        first = one.vendor.requests[0]
        await asyncio.sleep(3.5 * lifetime_s)
        assert len(one.refreshes) >= 3
        refreshed = [spent for spent in one.ledger.kept.values() if spent.kind == "refresh"]
        assert {spent.cached_tokens for spent in refreshed} == {foretold}
        assert all(spent.chat == "talk" and spent.output_tokens <= 1 for spent in refreshed)
        if name != "ollama":  # where a request takes the place of the one before, it has the answer, too
            assert all(
                replace(again, max_output_tokens=first.max_output_tokens) == first for again in one.refreshes
            )
        ended = (await one.bench.do(SendMessage("talk", "And then?"))).outcome
        assert ended.cache is not None
        assert ended.cache.verdict == "as_predicted"
        assert (ended.usage.cached_tokens or 0) >= foretold > 60
        await one.bench.workbench.close()

    run()


@in_virtual_time
async def test_without_it_everything_is_read_again():
    one = Warm("openai", VENDORS["openai"])
    await one.begin()
    await asyncio.sleep(400)
    assert (await one.ask("And then?")).cached_tokens == 0
    await one.bench.workbench.close()


@in_virtual_time
async def test_it_is_offered_within_the_last_minute_and_ends_when_it_no_longer_pays():
    """One that went on for ever would cost more than it saves, with nobody at the computer."""
    one = Warm("openai", VENDORS["openai"])
    await one.begin()
    assert one.shown() is None
    await asyncio.sleep(300 - COOLING_S - 2)
    assert one.shown() is None
    await asyncio.sleep(4)
    offer = one.shown()
    assert offer is not None
    assert offer.pays
    assert not offer.on
    assert int(offer.reread_usd / offer.refresh_usd) == offer.most == 5
    await one.bench.workbench.dispatch(KeepWarm("talk"))
    await asyncio.sleep(2)
    now = one.shown()
    assert now is not None
    assert now.on
    await asyncio.sleep(30 * 300)
    assert len(one.refreshes) == 5
    assert one.shown() is None
    assert one.bench.told(NoticeGiven) == []
    with pytest.raises(NothingToKeepWarm, match="any longer costs more"):
        await one.bench.workbench.dispatch(KeepWarm("talk"))
    await one.ask("And then?")
    await one.bench.workbench.dispatch(KeepWarm("talk"))
    await asyncio.sleep(280)
    assert len(one.refreshes) == 6
    await one.bench.workbench.close()


@in_virtual_time
async def test_a_turn_begins_the_count_again_and_another_chat_in_view_ends_nothing():
    one = Warm("openai", VENDORS["openai"])
    await one.begin()
    await one.bench.workbench.dispatch(KeepWarm("talk"))
    await one.bench.workbench.dispatch(CloseChat("talk"))
    await asyncio.sleep(2 * (300 - BEFORE_S) + 5)
    assert len(one.refreshes) == 2
    await one.bench.workbench.dispatch(OpenChat("talk"))
    now = one.shown()
    assert now is not None
    assert (now.on, now.done) == (True, 2)
    await one.ask("And then?")
    await asyncio.sleep(60)
    now = one.shown()
    assert now is not None
    assert (now.on, now.done) == (True, 0)
    await one.bench.workbench.dispatch(KeepWarm("", on=False))
    assert one.shown() is None
    await asyncio.sleep(900)
    assert len(one.refreshes) == 2
    await one.bench.workbench.close()


@in_virtual_time
async def test_where_it_would_renew_nothing_or_has_no_price_it_is_refused():
    for rules, provider, why in (
        ("openai-5.6", "openai", "not known that asking again"),
        ("deepseek", "deepseek", "not known that asking again"),
        ("openai", "unknown", "No price is known"),
    ):
        one = Warm(rules, VENDORS["openai"], provider)
        await one.begin()
        with pytest.raises(NothingToKeepWarm, match=why):
            await one.bench.workbench.dispatch(KeepWarm("talk"))
        await asyncio.sleep(7_300)
        assert (one.refreshes, one.shown()) == ([], None)
        await one.bench.workbench.close()


@in_virtual_time
async def test_offline_and_caps_end_it_and_that_is_told():
    one = Warm("openai", VENDORS["openai"])
    await one.begin()
    await one.bench.workbench.dispatch(KeepWarm("talk"))
    one.bench.workbench._states.emit(PreferencesChanged(Preferences(offline=True)))
    await asyncio.sleep(300)
    assert one.refreshes == []
    assert [told.text for told in one.bench.told(NoticeGiven)] == [
        "The cache is no longer kept warm. Nothing leaves this computer: it is set to be offline."
    ]
    one.bench.workbench._states.emit(PreferencesChanged(Preferences()))
    await one.ask("And then?")
    one.caps = SpendCaps(chat_usd=0.0)
    await one.bench.workbench.dispatch(KeepWarm("talk"))
    await asyncio.sleep(300)
    assert one.refreshes == []
    assert "left in this chat" in one.bench.told(NoticeGiven)[-1].text
    assert all(spent.kind == "" for spent in one.ledger.kept.values())
    await one.bench.workbench.close()


@in_virtual_time
async def test_another_session_knows_what_was_refreshed():
    one = Warm("openai", VENDORS["openai"])
    await one.begin()
    await asyncio.sleep(200)
    await send_refresh(await plan_refresh("talk", one.bench.world), one.bench.world)
    await asyncio.sleep(200)
    await one.bench.workbench.dispatch(CloseChat("talk"), OpenChat("talk"))
    view = one.bench.workbench.state.open["talk"].view
    assert view is not None
    assert (view.cold, bool(view.cached_tokens)) == (False, True)
    assert (await one.ask("And then?")).cached_tokens
    await one.bench.workbench.close()
