"""A chat's turns built again in other layouts, from what was kept of them: what a cache would have served then.

Nothing is sent and nobody is asked. The work is done beside the loop in pieces; what is known of a turn stays known, so
that a turn more costs one turn more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from workbench.context.assemble import Assembly
from workbench.context.assembly.memory import BuildMemory
from workbench.context.cache.shares import (
    TurnFigures,
    foretold_figures,
    layout_shares,
    sent_figures,
    sent_layout,
    together,
    trim_last,
    was_sent,
    with_luck_of,
)
from workbench.context.compare import compare
from workbench.domain.caching import CacheForecast
from workbench.domain.change import Built
from workbench.domain.envelope import WireLayout
from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.turn_view import LineName, TurnRow
from workbench.domain.turn import TurnInputs
from workbench.engine.assembly.prepare import Ask, Builder, foretell, is_cold, made_sendable, prepare_turn
from workbench.engine.comparing import said_before
from workbench.engine.conversation import Conversation, after_turn, age_between
from workbench.engine.events import ChatShown
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.state import ChatState
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
    """Compares the layouts of a chat; one piece of work at a time, until all its turns are known."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope, self._world = scope, scope.world
        self._known: _Rerun | None = None
        self._running: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Work out what is not known yet of the turns; it is told piece by piece."""
        if self._running is None or self._running.done():
            self._running = self._scope.spawn(f"compare the layouts of {self._scope.chat}", self._work())

    async def _work(self) -> None:
        # What is in view may change meanwhile: every piece begins with what it is then.
        while (state := self._scope.state) is not None:
            sent = [row for row in state.turns if was_sent(row)]
            # In steps, so that not every new turn makes all of it begin anew.
            older = max(0, (len(sent) - NEWEST) // STEP * STEP)
            unseen = min(older, UNSEEN)
            rows = sent[older - unseen :]
            rerun = self._rerun(rows)
            missing = rows[len(rerun.rows) :][:PIECE]
            if missing:
                try:
                    await self._take(rerun, missing, state)
                except WorkbenchError:
                    # A turn was taken away while it was read: whoever looks next begins anew.
                    self._known = None
                    return
            waiting = len(rows) - len(rerun.rows)
            if missing or state.shares is None:
                figures = [(name, some[unseen:]) for name, some in rerun.figures()]
                shares = layout_shares(rerun.rows[unseen:], figures, waiting)
                self._scope.emit(ChatShown(self._scope.chat, {"shares": replace(shares, older=older)}))
            if not waiting:
                return
            await asyncio.sleep(REST_S)

    def _rerun(self, rows: Sequence[TurnRow]) -> _Rerun:
        """What is known already, where it is of the same branch; else a new beginning."""
        if self._known is None or not self._known.is_beginning_of(rows):
            self._known = _Rerun(self._scope.chat, self._world.prices)
        return self._known

    async def _take(self, rerun: _Rerun, rows: Sequence[TurnRow], state: ChatState) -> None:
        world = self._world
        read = await world.store.turn_inputs(rerun.chat, [(row.question, row.reply) for row in rows])
        turns = [
            (row, replace(inputs, history=history, question=question))
            for (row, inputs), (history, question) in zip(
                zip(rows, read, strict=True),
                said_before([row.question for row in rows], state.records),
                strict=True,
            )
        ]
        rerun.builders(world.builder, [inputs for _, inputs in turns])
        for turn in turns:
            # One at a time: whoever else has work beside the loop waits for one turn at most.
            await world.builder.thread.do(partial(rerun.play, [turn]))


@dataclass(slots=True)
class _Run:
    """One layout from turn to turn: where its conversation stands, and what it remembers."""

    conversation: Conversation
    memory: BuildMemory = field(default_factory=BuildMemory)
    figures: list[TurnFigures] = field(default_factory=list)


class _Rerun:
    """The turns of one branch in every layout; the one they were sent in tells what the cache had really lost.

    Attributes:
        rows: the turns that are known.
    """

    def __init__(self, chat: str, prices: PriceList) -> None:
        self.chat = chat
        self.rows: tuple[TurnRow, ...] = ()
        self._prices = prices
        self._sent: list[TurnFigures] = []
        self._runs = {name: _Run(Conversation(chat)) for name in _RUNS}
        self._builders: dict[str, Builder] = {}

    def is_beginning_of(self, rows: Sequence[TurnRow]) -> bool:
        """Whether the turns that are known are the first of these."""
        known = len(self.rows)
        return known <= len(rows) and all(a is b or a == b for a, b in zip(self.rows, rows, strict=False))

    def figures(self) -> list[tuple[LineName, Sequence[TurnFigures]]]:
        shown = sent_layout(self.rows)
        others = ((name, run.figures) for name, run in self._runs.items() if name != shown)
        return [("sent", self._sent), *others]

    def builders(self, builder: Builder, turns: Sequence[TurnInputs]) -> None:
        """Have a builder for every model of some turns, which shares nothing that changes with those in the loop."""
        for inputs in turns:
            card = inputs.model
            if card.tokenizer not in self._builders:
                self._builders[card.tokenizer] = builder.apart(card)

    def play(self, turns: Sequence[tuple[TurnRow, TurnInputs]]) -> None:
        """Build some turns more; done in a thread, one piece after the other."""
        for row, asked in turns:
            inputs = replace(asked, cold=self._was_cold(row, asked))
            price = self._prices.price(inputs.model)
            found: dict[RunName, TurnFigures] = {}
            for name, run in self._runs.items():
                builder = replace(self._builders[inputs.model.tokenizer], memory=run.memory)
                requests = [
                    foretold_figures(built.envelope.total_tokens, expected, inputs.model, price)
                    for built, expected in _requests(name, run, _asked(row, inputs), builder)
                ]
                found[name] = together(requests)
            own = found[row.layout or "layered"]
            sent = sent_figures(row, inputs.model, price, own)
            for name, run in self._runs.items():
                run.figures.append(with_luck_of(sent, own, found[name], inputs.model, price))
            self._sent.append(sent)
            self.rows = (*self.rows, row)

    def _was_cold(self, row: TurnRow, inputs: TurnInputs) -> bool:
        """Whether no cache held the request before: noted then, or so long ago that none can, unless one did."""
        before = self.rows[-1].sent_utc if self.rows else None
        rules = self._builders[inputs.model.tokenizer].cache_rules(inputs.model)
        return inputs.cold or (not row.cached_tokens and is_cold(rules, age_between(before, row.sent_utc)))


def _asked(row: TurnRow, inputs: TurnInputs) -> list[TurnInputs]:
    """The inputs of each request of a turn: where tools ran, there was one before every answer of the model."""
    whole = inputs.rounds
    answers = [place for place, message in enumerate(whole) if message.role == "assistant"]
    rounds = [whole[:place] for place in answers] + [whole]
    return [replace(inputs, rounds=some) for some in rounds[-max(1, row.requests) :]]


def _requests(
    name: RunName, run: _Run, asked: Sequence[TurnInputs], builder: Builder
) -> Iterator[tuple[Built, CacheForecast | None]]:
    """The requests of one turn in a layout, and what a cache would serve of each; the conversation goes on."""
    first = asked[0]
    standing = replace(
        run.conversation,
        turn=first.turn - 1,
        history=first.history,
        attached=first.attached,
        tuning=first.tuning,
    )
    for inputs in asked:
        built, expected = _built(name, standing, inputs, builder)
        # What was cut stays cut while tools run, and each request goes on from the one before.
        standing = replace(standing, trim=built.envelope.cuts.trim, current=built, previous=built)
        yield built, expected
    if standing.current is not None:
        run.conversation = after_turn(replace(standing, current=None), standing.current, ())


def _built(
    name: RunName, standing: Conversation, inputs: TurnInputs, builder: Builder
) -> tuple[Built, CacheForecast | None]:
    if name == "trim_last":
        counter = builder.counters.counter(inputs.settings.counter, inputs.model)
        sendable, _ = made_sendable(inputs, builder)
        built = Built(inputs, trim_last(sendable, Assembly(counter, builder.renderers, builder.memory)))
        change = compare(standing.previous, built, counter)
        return built, foretell(standing, built, change, builder, None)
    ask = Ask(
        replace(inputs.settings, layout=name), inputs.question, inputs.now, inputs.tool_results,
        inputs.rounds, inputs.model, inputs.cold, inputs.rebuild, found=inputs.found,
    )  # fmt: skip
    prepared = prepare_turn(standing, ask, builder)
    return prepared.built, prepared.forecast
