"""What the model's own server still holds of requests that are being written, asked of that server.

Rules alone say what a cache does with the step from the last request to the next. They do not know that the server was
started anew since, or has answered another chat: what is shown before sending must know what is known when it is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.context.outgoing import model_request
from workbench.domain.answer import ModelFailed
from workbench.domain.change import Built
from workbench.domain.errors import WorkbenchError
from workbench.domain.forecast import CacheForecast
from workbench.engine.assembly.counters import SERVED
from workbench.engine.assembly.exact_counts import nothing_held
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.world import World

SETTLE_S = 0.3
"""So long nothing may be typed before the server is asked: it reads the whole request for that."""

_Place = tuple[str, str]
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What the server held of a request, whether that is no estimate, and what the rules had said of it."""

    key: _Key
    read_tokens: int | None
    sure: bool
    by_rule: int


class CacheAhead:
    """Corrects forecasts by what servers say; `done` is told of a chat with news."""

    def __init__(self, world: World, done: Callable[[str], None]) -> None:
        self._world, self._done = world, done
        self._known: dict[_Place, _Known] = {}
        self._wanted: dict[_Place, Prepared] = {}
        self._asking: set[_Place] = set()
        self._moves = 0
        self._forgotten: dict[str, Built] = {}

    def foretold(self, chat: str, prepared: Prepared, edited: str = "") -> Prepared:
        """The request with a forecast that its server agrees with, as far as it was asked; without one before that.

        `edited` names what else it is than the next request: a question that is changed in its place, a trial.
        """
        card = prepared.built.inputs.model
        asked = card.tokenizer.startswith(SERVED) and not card.counted_at_send
        if prepared.forecast is None or not asked:
            return prepared  # nobody can be asked, or may be before it is sent: what the rules say stays
        place, key = (chat, edited), _key(prepared)
        known = self._known.get(place)
        if known is None or known.key != key:
            self._wanted[place] = prepared
            if place not in self._asking:
                self._asking.add(place)
                self._world.tasks.spawn(f"ask what is cached for {chat}", self._ask(place))
        return replace(prepared, forecast=_corrected(prepared, key, known))

    def forgot(self, chat: str, previous: Built | None) -> bool:
        """Whether the server was found to have nothing of the chat's last request."""
        return previous is not None and self._forgotten.get(chat) is previous

    def moved(self) -> None:
        """A server answered something, or was started: what it held before says nothing any more."""
        self._moves += 1
        self._known.clear()

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        for place in [place for place in (*self._known, *self._wanted) if place[0] == chat]:
            self._known.pop(place, None)
            self._wanted.pop(place, None)
        self._forgotten.pop(chat, None)

    async def _ask(self, place: _Place) -> None:
        """Ask once nothing was typed for a moment, for what is newest then."""
        try:
            while (asked := await self._settled(place)) is not None:
                moves, (held, sure) = self._moves, await self._held(asked)
                # What the server said before it answered somebody says nothing any more.
                if moves == self._moves and self._wanted.get(place) is asked and asked.forecast is not None:
                    self._known[place] = _Known(_key(asked), held, sure, asked.forecast.predicted_read_tokens)
                    self._note(place, asked, held)
                    break
        finally:
            self._asking.discard(place)
        if asked is not None:
            self._done(place[0])

    def _note(self, place: _Place, asked: Prepared, held: int | None) -> None:
        if held is None or place[1] or asked.forecast is None or asked.previous is None:
            return
        found = replace(asked.forecast, predicted_read_tokens=held, exact=True)
        if nothing_held(replace(asked, forecast=found)):
            self._forgotten[place[0]] = asked.previous

    async def _settled(self, place: _Place) -> Prepared | None:
        """The newest request of a place, once it has been that for a moment; None where the place is gone."""
        newest: Prepared | None = None
        while (wanted := self._wanted.get(place)) is not newest:
            newest = wanted
            await asyncio.sleep(SETTLE_S)
        return newest

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
