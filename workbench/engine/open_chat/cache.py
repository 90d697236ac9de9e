"""What the model's own server still holds of requests that are being written, asked of that server.

Rules alone say what a cache does with the step from the last request to the next. They do not know that the server was
started anew since, or has answered another chat: what is shown before sending must know what is known when it is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from workbench.context.outgoing import model_request
from workbench.domain.answer import ModelFailed
from workbench.domain.caching.forecast import CacheForecast
from workbench.domain.change import Built
from workbench.domain.errors import WorkbenchError
from workbench.domain.models.model import ModelCard
from workbench.engine.assembly.counters import SERVED
from workbench.engine.assembly.exact_counts import nothing_held
from workbench.engine.assembly.prepare import Prepared, is_cold
from workbench.engine.conversation import Conversation, age_between, asked_last
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.tasks import Debounced

SETTLE_S = 0.3
"""Delay after the last key before the server is asked: it processes the whole request for that."""

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What the server held of a request, whether that is exact, and what the rules had said of it."""

    key: _Key
    read_tokens: int | None
    sure: bool
    by_rule: int


@dataclass(slots=True)
class _Request:
    """One of a chat's requests: the next, a trial, an edit, a priced step."""

    asks: Debounced[Prepared]
    known: _Known | None = None


class CacheAhead:
    """Corrects the forecasts of one chat by what its server says; `done` is called when there is news."""

    def __init__(self, scope: ChatScope, done: Callable[[], None]) -> None:
        self._scope, self._world, self._chat, self._done = scope, scope.world, scope.chat, done
        self._requests: dict[str, _Request] = {}
        self._moves = 0
        self._forgotten: Built | None = None

    def foretold(self, prepared: Prepared, name: str = "") -> Prepared:
        """The request with a forecast that its server agrees with, as far as it was asked; without one before that.

        `name` tells requests apart that are not the next one: an edited question, a trial.
        """
        card = prepared.built.inputs.model
        asked = card.tokenizer.startswith(SERVED) and not card.counted_at_send
        if prepared.forecast is None or not asked:
            return prepared  # nobody can be asked, or may be before it is sent: what the rules say stays
        request, key = self._request(name), _key(prepared)
        if request.known is None or request.known.key != key:
            request.asks.call(f"ask what is cached for {self._chat}", prepared)
        return replace(prepared, forecast=_corrected(prepared, key, request.known))

    def forgot(self, previous: Built | None) -> bool:
        """Whether the server was found to hold nothing of the chat's last request."""
        return previous is not None and self._forgotten is previous

    def moved(self) -> None:
        """A server answered something, or was started: what it held before is outdated."""
        self._moves += 1
        for request in self._requests.values():
            request.known = None

    def _request(self, name: str) -> _Request:
        if name not in self._requests:

            async def ask(prepared: Prepared) -> None:
                await self._ask(name, prepared)

            self._requests[name] = _Request(Debounced(self._scope, lambda: SETTLE_S, ask))
        return self._requests[name]

    async def _ask(self, name: str, asked: Prepared) -> None:
        moves = -1
        held, sure = None, False
        while moves != self._moves:  # what a server said before it answered somebody is outdated
            moves = self._moves
            held, sure = await self._held(asked)
        request = self._requests.get(name)
        if request is None or not request.asks.is_wanted(asked) or asked.forecast is None:
            return
        request.known = _Known(_key(asked), held, sure, asked.forecast.predicted_read_tokens)
        if not name:
            self._note(asked, held)
        self._done()

    def _note(self, asked: Prepared, held: int | None) -> None:
        if held is None or asked.forecast is None or asked.previous is None:
            return
        found = replace(asked.forecast, predicted_read_tokens=held, exact=True)
        if nothing_held(replace(asked, forecast=found)):
            self._forgotten = asked.previous

    async def _held(self, prepared: Prepared) -> tuple[int | None, bool]:
        """How much of a request its server holds, and whether that is sure: nothing where it does not run; None where
        it does not say."""
        try:
            model = self._world.models.open(prepared.built.inputs.settings.model)
            meter = await model.meter()
            if meter is None:
                return 0, True
            measured = await meter.measure(model_request(prepared.built))
        except (ModelFailed, WorkbenchError):
            return None, False
        held, by_rule = measured.cached_tokens, prepared.forecast
        if held is not None and not measured.sure and by_rule is not None:
            held = max(held, measured.served(by_rule.predicted_read_tokens))
        return held, measured.sure


def _key(prepared: Prepared) -> _Key:
    return tuple(layer.digest for layer in prepared.built.envelope.layers)


def _corrected(prepared: Prepared, key: _Key, known: _Known | None) -> CacheForecast | None:
    by_rule = prepared.forecast
    if by_rule is None or known is None or known.read_tokens is None:
        return None
    total = prepared.built.envelope.total_tokens
    read = known.read_tokens
    if key[:-1] != known.key[:-1]:
        # Another beginning: as the rules say where they were right before, and never more than was held then.
        read = (
            by_rule.predicted_read_tokens
            if read == known.by_rule
            else min(read, by_rule.predicted_read_tokens)
        )
    read = max(0, min(read, total - 1))
    return replace(
        by_rule,
        predicted_read_tokens=read,
        predicted_write_tokens=total - read,
        fresh_tokens=0,
        exact=known.sure,
    )


LOOK_S = 15.0
"""How often the clock on the wall is looked at while a cache is warm."""


@dataclass(frozen=True, slots=True)
class Warm:
    """How a chat's cache stands; `until_utc` is None where nobody knows how long it lasts, or nothing was sent."""

    cold: bool = False
    until_utc: str | None = None
    left_s: float = 0.0
    asked_utc: str | None = None


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
        return Warm(is_cold(rules, age_s), until, max(0.0, lifetime_s - age_s), asked_at)

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
