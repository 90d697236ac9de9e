"""Keeps the cache of a chat warm: its last request again, with the shortest answer, shortly before it is forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from workbench.context.cache.forecast import Cache, forecast
from workbench.context.request_cost import request_cost, rereading_cost, runs_here
from workbench.domain.answer import ModelFailed, UsageReported
from workbench.domain.caching import CacheForecast, CacheRules, KeptWarm
from workbench.domain.change import Built
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.request import ModelRequest
from workbench.domain.spending import Expected, Spent
from workbench.domain.translation import tr
from workbench.domain.usage import Price, Usage
from workbench.engine.assembly.exact_counts import prepare_exactly
from workbench.engine.assembly.prepare import Ask
from workbench.engine.conversation import Conversation, age_between
from workbench.engine.events import (
    ChatLoaded,
    ChatShown,
    Event,
    NoticeGiven,
    TurnAsked,
    TurnEnded,
)
from workbench.engine.intents import KeepWarm
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.stored_conversation import load_conversation
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World

BEFORE_S = 45.0
"""So long before the cache forgets it, a chat is asked again: a provider may be slow to answer."""
LEAST_TOKENS, LEAST_AT_RESPONSES = 1, 16
"""The shortest answer that may be asked for; that of OpenAI's Responses interface."""
_LOOK_S = 20.0


class NothingToKeepWarm(NotKept):
    """Raised where repeating a request would renew nothing, or nobody can say what it costs."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """The smallest request that renews what a cache holds of a chat.

    Attributes:
        forecast: what the cache will serve of it. asked_utc: when the chat's last request was sent, or renewed.
        done: how often it was renewed since it was sent.
    """

    chat: str
    built: Built
    request: ModelRequest
    forecast: CacheForecast
    rules: CacheRules
    price: Price | None
    asked_utc: str
    done: int = 0

    @property
    def local(self) -> bool:
        return runs_here(self.built.inputs.model)

    def offer(self, most: int) -> KeptWarm:
        """What keeping it warm costs and saves; `NothingToKeepWarm` where nobody can say that."""
        card, tokens = self.built.inputs.model, self.forecast.predicted_read_tokens
        lifetime_s = self.rules.lifetime_s
        if lifetime_s is None or not self.rules.renewed or not self.asked_utc:
            raise NothingToKeepWarm(
                tr("It is not known that asking again keeps the cache of {name} warm.", name=card.name)
            )
        if not tokens:
            raise NothingToKeepWarm(tr("The cache holds nothing of this chat: it is too short for that."))
        cost, again = request_cost(card, self.price, self.forecast), rereading_cost(card, self.price, tokens)
        if cost is None or again is None:
            raise NothingToKeepWarm(
                tr("No price is known for {name}, so it cannot be said whether this pays.", name=card.name)
            )
        if self.price is not None and not self.local:
            cost += (self.request.max_output_tokens or 0) * self.price.output / 1_000_000
        often = most if not cost else min(most, int(again / cost))
        until = datetime.fromisoformat(self.asked_utc) + timedelta(seconds=lifetime_s)
        last = until + timedelta(seconds=max(0, often - self.done) * max(0.0, lifetime_s - BEFORE_S))
        return KeptWarm(tokens, cost, again, often, until.isoformat(), last.isoformat(), self.done)


async def plan_refresh(chat: str, world: World) -> Refresh:
    """The request that keeps a chat's cache warm; `NothingToKeepWarm` where there is none."""
    kept = await world.store.chat(chat)
    conversation = await load_conversation(world.store, chat)
    refreshes = await refreshes_since(conversation, world)
    conversation = _renewed(conversation, refreshes)
    asked = conversation.held[-1] if conversation.held and kept.deleted_utc is None else None
    if asked is None or asked.built.inputs.passed is not None:
        raise NothingToKeepWarm(tr("Nothing was asked in this chat, so no cache holds anything of it."))
    card, model = asked.built.inputs.model, kept.settings.model
    rules = world.builder.cache_rules(card)
    if rules is None or asked.built.inputs.settings.model != model:
        raise NothingToKeepWarm(
            tr("Nothing is known of a cache of {model} that holds this chat.", model=model)
        )
    if rules.newest_only:
        built, expected = await _with_answer(conversation, asked.built, world)
    else:
        counter = world.builder.counters.counter(asked.built.inputs.settings.counter, card)
        built, expected = asked.built, forecast(Cache(rules, (asked.built,)), asked.built, counter)
    pictures = (await world.pictures.fill(conversation, world.store)).found
    request = outgoing_request(built, {**world.parameters, **kept.parameters}, pictures, world.limits)
    if expected is None or _thinks_first(request):
        raise NothingToKeepWarm(
            tr("The shortest answer of {name} costs more than its cache saves.", name=card.name)
        )
    tokens = built.envelope.total_tokens
    cost = Expected(
        card, tokens, built.envelope.exact, expected.predicted_read_tokens, expected.predicted_write_tokens,
        expected.predicted_read_tokens, workspace=kept.filed.workspace, kind="refresh",
    )  # fmt: skip
    least = LEAST_AT_RESPONSES if card.api == "responses" else LEAST_TOKENS
    request = replace(request, max_output_tokens=least, expected=cost)
    price, done = world.prices.price(card), len(refreshes)
    return Refresh(chat, built, request, expected, rules, price, asked.at or "", done)


async def _with_answer(
    conversation: Conversation, sent: Built, world: World
) -> tuple[Built, CacheForecast | None]:
    """The last request and its answer, which the next one takes the place of in a cache with one place."""
    inputs, builder = sent.inputs, world.builder
    if not inputs.model.prefill:
        raise NothingToKeepWarm(
            tr("{name} takes no request that ends with its own answer.", name=inputs.model.name)
        )
    ask, model = Ask(inputs.settings, card=inputs.model), world.models.open(inputs.settings.model)
    prepared = await prepare_exactly(conversation, ask, model, builder, world.store)
    return prepared.built, prepared.forecast


def _thinks_first(request: ModelRequest) -> bool:
    """Whether its answer cannot be kept short, because the model thinks for so many tokens before it."""
    thinking = {**request.parameters, **request.chosen.free}.get("thinking")
    return isinstance(thinking, dict) and bool(thinking.get("budget_tokens"))


async def send_refresh(refresh: Refresh, world: World) -> Usage:
    """Send it, and return what was reported; `ModelFailed` where it was not read."""
    model, usage = world.models.open(refresh.request.model), Usage()
    await model.ready(lambda what, fraction: None)
    try:
        async with aclosing(model.stream(refresh.request)) as parts:
            async for part in parts:
                usage = part.usage if isinstance(part, UsageReported) else usage
    except ModelFailed:
        if usage.prompt_tokens is None:  # else only its answer is empty, as one of one token may be
            raise
    return usage


async def refreshes_since(conversation: Conversation, world: World) -> tuple[Spent, ...]:
    """The refreshes since the last request of a chat, by what was spent: perhaps those of another session, too."""
    last = conversation.held[-1].at if conversation.held else None
    if last is None or world.spending is None:
        return ()
    with suppress(WorkbenchError):
        spent = await world.spending.ledger.spent(last, conversation.id)
        return tuple(one for one in spent if one.kind == "refresh")
    return ()


async def with_refresh(conversation: Conversation, world: World) -> Conversation:
    """The conversation with its last request as old as the refresh that renewed it, if there was one since."""
    return _renewed(conversation, await refreshes_since(conversation, world))


def _renewed(conversation: Conversation, refreshes: Sequence[Spent]) -> Conversation:
    if not refreshes:
        return conversation
    held = conversation.held
    return replace(conversation, held=(*held[:-1], replace(held[-1], at=refreshes[-1].at_utc)))


@dataclass(slots=True)
class _Keeping:
    """A chat that is kept warm: its task, what is shown of it, and whether a turn ended since it was looked at."""

    task: asyncio.Task[None] | None = None
    shown: KeptWarm | None = None
    turned: bool = False


class KeepingWarm:
    """Keeps chats warm, each until it no longer pays, was done as often as wanted, fails, or somebody stops it.

    It goes on while another chat is in view. A turn renews the cache itself, and the count begins again after it.
    """

    def __init__(self, world: World, states: StateStore, reload: Callable[[str], Awaitable[None]]) -> None:
        self._world, self._states, self._reload = world, states, reload
        self._running: dict[str, _Keeping] = {}
        states.subscribe(self._follow, TurnAsked, TurnEnded, ChatLoaded)

    async def do(self, intent: KeepWarm) -> None:
        """Begin or stop; `NothingToKeepWarm` says why not."""
        for chat in (intent.chat,) if intent.chat else tuple(self._running):
            self._stop(chat)
            if intent.on and chat:
                await self._check(chat)
                keeping = self._running[chat] = _Keeping()
                keeping.task = self._world.tasks.spawn(
                    f"keep the cache of {chat} warm", self._keep(chat, keeping)
                )

    async def _check(self, chat: str) -> None:
        now = await self._priced(chat)
        if now.done >= now.most:
            raise NothingToKeepWarm(
                tr("Keeping it warm any longer costs more than reading it again. Nothing was sent.")
            )
        if not age_between(self._world.utc.utc_now(), now.until_utc):
            raise NothingToKeepWarm(tr("The cache has forgotten this chat already. Nothing was sent."))

    async def _priced(self, chat: str) -> KeptWarm:
        return (await plan_refresh(chat, self._world)).offer(self._most)

    async def offer(self, chat: str) -> None:
        """Say what keeping a chat warm would cost, where that pays."""
        if chat in self._running or self._why_not(local=False):
            return
        try:
            kept = await self._priced(chat)
        except WorkbenchError:
            return
        self._show(chat, kept if kept.pays else None)

    @property
    def _most(self) -> int:
        return self._states.state.preferences.keep_warm_most

    def _stop(self, chat: str) -> None:
        keeping = self._running.pop(chat, None)
        if keeping is not None and keeping.task is not None:
            keeping.task.cancel()
            self._show(chat, None)

    async def _keep(self, chat: str, keeping: _Keeping) -> None:
        problem = ""
        try:
            await self._keep_until_done(chat, keeping)
        except ModelFailed as failed:
            problem = failed.failure.message
        except WorkbenchError as error:
            problem = str(error)
        del self._running[chat]
        self._show(chat, None)
        if problem:
            self._states.emit(
                NoticeGiven(chat, tr("The cache is no longer kept warm. {problem}", problem=problem))
            )

    async def _keep_until_done(self, chat: str, keeping: _Keeping) -> None:
        world = self._world
        while True:
            keeping.turned = False
            refresh = await plan_refresh(chat, world)
            offer = refresh.offer(self._most)
            keeping.shown = replace(offer, on=True)
            self._show(chat, keeping.shown)
            if offer.done >= offer.most:
                return
            due = datetime.fromisoformat(offer.until_utc) - timedelta(seconds=BEFORE_S)
            await self._wait(chat, keeping, due.isoformat())
            if keeping.turned:
                continue  # a turn was asked since, which renewed the cache itself
            if not age_between(world.utc.utc_now(), offer.until_utc):
                raise NotKept(tr("It was forgotten meanwhile, because this computer was asleep."))
            if why := self._why_not(local=refresh.local):
                raise NotKept(why)
            await send_refresh(refresh, world)
            await self._reload(chat)

    async def _wait(self, chat: str, keeping: _Keeping, until_utc: str) -> None:
        """Wait until a moment, or until a turn has ended; not while one is answered."""
        # In pieces: while a computer is suspended the cache's time runs, and that of the loop does not.
        while (left_s := age_between(self._world.utc.utc_now(), until_utc) or 0.0) > 0 or self._answers(chat):
            if keeping.turned and not self._answers(chat):
                return
            await asyncio.sleep(min(left_s or 1.0, _LOOK_S))

    def _answers(self, chat: str) -> bool:
        opened = self._states.state.open.get(chat)
        return chat in self._states.state.away or (opened is not None and opened.running is not None)

    def _why_not(self, *, local: bool) -> str:
        state = self._states.state
        if state.preferences.offline and not local:
            return tr("Nothing leaves this computer: it is set to be offline.")
        return "" if state.sending_off is None else tr("Sending is off until the settings file is corrected.")

    def _show(self, chat: str, kept: KeptWarm | None) -> None:
        opened = self._states.state.open.get(chat)
        if opened is not None and opened.warm != kept:
            self._states.emit(ChatShown(chat, {"warm": kept}))

    def _follow(self, event: Event, _state: WorkbenchState) -> None:
        chat = event.chat.id if isinstance(event, ChatLoaded) else getattr(event, "chat", "")
        keeping = self._running.get(chat)
        if keeping is None:
            if isinstance(event, TurnAsked):
                self._show(chat, None)  # what was offered is over
        elif isinstance(event, ChatLoaded):
            self._show(chat, keeping.shown)
        elif isinstance(event, TurnEnded):
            keeping.turned = True
