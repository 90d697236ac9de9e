"""Rebuilds a chat's stored turns in other layouts: what a cache would have served of them.

Nothing is sent and nobody is asked. The work is done in a thread in pieces; what is known of a turn stays known, so
that a turn more costs one turn more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from workbench.context.assemble import Assembly
from workbench.context.cache.shares import (
    TurnFigures,
    foretold_figures,
    layout_shares,
    sent_figures,
    sent_layout,
    together,
    trim_last,
    was_sent,
    with_losses_of,
)
from workbench.context.compare import compare
from workbench.domain.change import Built
from workbench.domain.envelope import WireLayout
from workbench.domain.errors import WorkbenchError
from workbench.domain.model import ModelCard
from workbench.domain.shown.turn_view import LineName, TurnRow
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import Variant
from workbench.engine.assembly.prepare import (
    Ask,
    Builder,
    Prepared,
    forecast_cache,
    is_cold,
    make_sendable,
    prepare_turn,
    turn_inputs,
)
from workbench.engine.comparing import with_history
from workbench.engine.conversation import Conversation, age_between
from workbench.engine.events import ChatShown
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.rerun import Rerun
from workbench.engine.state import ChatState
from workbench.engine.tasks import Latest
from workbench.ports.models import PriceList

PIECE = 8
"""So many turns are read and built at once: others use the store and the room beside the loop, too."""
REST_S = 0.02
NEWEST, STEP, UNSEEN = 200, 100, 12
"""So many of the newest turns are compared, and up to a step more: each costs the longer the chat is. Some before them
are played unseen, so that every layout begins with a library and a cache as it would have them then."""

RunName = WireLayout | Literal["trim_last"]

_RUNS: tuple[RunName, ...] = ("append_only", "layered", "trim_last")


class Layouts:
    """Compares layouts of a chat's turns; one piece of work at a time, until all turns are known."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope, self._world = scope, scope.world
        self._known: _Played | None = None
        self._looks = Latest(scope, self._work)

    def look(self) -> None:
        """Compute what is unknown of the turns; results are shown one by one."""
        self._looks.call(f"compare the layouts of {self._scope.chat}", object())

    async def _work(self, _: object) -> None:
        # What is in view may change meanwhile: every piece begins with what it is then.
        while (state := self._scope.state) is not None:
            sent = [row for row in state.turns if was_sent(row)]
            # In steps, so that not every new turn makes all of it begin anew.
            older = max(0, (len(sent) - NEWEST) // STEP * STEP)
            unseen = min(older, UNSEEN)
            rows = sent[older - unseen :]
            if self._known is None or not self._known.is_beginning_of(rows):
                self._known = _Played(self._world.prices)  # another branch
            played = self._known
            missing = rows[len(played.rows) :][:PIECE]
            if missing:
                try:
                    await self._take(played, missing, state)
                except WorkbenchError:
                    # A turn was taken away while it was read: whoever looks next begins anew.
                    self._known = None
                    return
            waiting = len(rows) - len(played.rows)
            if missing or state.shares is None:
                figures = [(name, some[unseen:]) for name, some in played.figures()]
                shares = layout_shares(played.rows[unseen:], figures, waiting)
                self._scope.emit(ChatShown(self._scope.chat, {"shares": replace(shares, older=older)}))
            if not waiting:
                return
            await asyncio.sleep(REST_S)

    async def _take(self, played: _Played, rows: Sequence[TurnRow], state: ChatState) -> None:
        builder = self._world.builder
        read = await self._world.store.turn_inputs(
            self._scope.chat, [(row.question, row.reply) for row in rows]
        )
        turns = with_history(read, [row.question for row in rows], state.records)
        for row, asked in zip(rows, turns, strict=True):
            played.prepare_for(asked.model, builder)
            # One at a time: whoever else has work beside the loop waits for one turn at most.
            await builder.thread.do(partial(played.play, row, asked))


class _Played:
    """The turns of one branch rebuilt in every layout; the layout they were sent in shows what the cache really lost.

    Attributes:
        rows: the turns that are known.
    """

    def __init__(self, prices: PriceList) -> None:
        self.rows: tuple[TurnRow, ...] = ()
        self._prices = prices
        self._sent: list[TurnFigures] = []
        self._found: dict[RunName, list[TurnFigures]] = {name: [] for name in _RUNS}
        self._reruns: dict[RunName, Rerun] = {}
        self._builders: dict[str, Builder] = {}

    def is_beginning_of(self, rows: Sequence[TurnRow]) -> bool:
        """Whether the known turns are the first of these."""
        known = len(self.rows)
        return known <= len(rows) and all(a is b or a == b for a, b in zip(self.rows, rows, strict=False))

    def figures(self) -> list[tuple[LineName, Sequence[TurnFigures]]]:
        """Figures turn by turn: as sent, then in each other layout."""
        shown = sent_layout(self.rows)
        return [("sent", self._sent), *((name, some) for name, some in self._found.items() if name != shown)]

    def prepare_for(self, card: ModelCard, builder: Builder) -> None:
        """Create a builder for a model that shares no mutable state with the event loop's."""
        if card.tokenizer not in self._builders:
            self._builders[card.tokenizer] = builder.copy(card)
        if not self._reruns:
            self._reruns = {
                name: Rerun(
                    self._builders[card.tokenizer],
                    Variant(name, {} if name == "trim_last" else {"layout": name}),
                )
                for name in _RUNS
            }

    def play(self, row: TurnRow, asked: TurnInputs) -> None:
        """Rebuild one more turn in every layout; runs in a thread."""
        card, builder = asked.model, self._builders[asked.model.tokenizer]
        price = self._prices.price(card)
        before = self.rows[-1].sent_utc if self.rows else None
        # Cold: noted then, or so long ago that no cache can hold the request before, unless one did.
        aged = is_cold(builder.cache_rules(card), age_between(before, row.sent_utc))
        inputs = replace(asked, cold=asked.cold or (not row.cached_tokens and aged))
        found: dict[RunName, TurnFigures] = {}
        for name, rerun in self._reruns.items():
            rerun.builder = builder
            made = rerun.build_all(
                _requests(row, inputs), _trimmed_last if name == "trim_last" else prepare_turn
            )
            found[name] = together(
                [foretold_figures(one.built.envelope.total_tokens, one.forecast, card, price) for one in made]
            )
        own = found[row.layout or "layered"]
        sent = sent_figures(row, card, price, own)
        for name, figures in found.items():
            self._found[name].append(with_losses_of(sent, own, figures, card, price))
        self._sent.append(sent)
        self.rows = (*self.rows, row)


def _requests(row: TurnRow, inputs: TurnInputs) -> list[TurnInputs]:
    """Inputs of each request of a turn: where tools ran, one before every answer of the model."""
    whole = inputs.rounds
    answers = [place for place, message in enumerate(whole) if message.role == "assistant"]
    rounds = [whole[:place] for place in answers] + [whole]
    return [replace(inputs, rounds=some) for some in rounds[-max(1, row.requests) :]]


def _trimmed_last(conversation: Conversation, ask: Ask, builder: Builder) -> Prepared:
    """The next request as built without regard to caches."""
    inputs = turn_inputs(conversation, ask, builder)
    sendable, _ = make_sendable(inputs, builder)
    counter = builder.counters.counter(inputs.settings.counter, inputs.model)
    built = Built(inputs, trim_last(sendable, Assembly(counter, builder.renderers, builder.memory)))
    change = compare(conversation.previous, built, counter)
    return Prepared(built, change, forecast_cache(conversation, built, change, builder, None), sendable, {})
