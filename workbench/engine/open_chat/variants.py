"""Compares a request of an open chat under other settings, computed in a thread from stored turns; no model is asked.

What was read and replayed stays cached while the chat is open: one more turn costs one turn per variant.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, islice

from workbench.context.cache.shares import was_sent
from workbench.context.explain.differences import TimedRequest
from workbench.domain.change import Built
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.model import ModelCard
from workbench.domain.shown.comparison import Comparison, ComparisonColumn
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.translation import tr
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import NEXT, Variant
from workbench.engine.assembly.counters import SERVED
from workbench.engine.assembly.prepare import Builder, Prepared
from workbench.engine.comparing import (
    column_of,
    refuse_many,
    said_before,
    sent_column,
    stood_before,
    variant_column,
    with_history,
)
from workbench.engine.conversation import Conversation
from workbench.engine.events import ChatShown
from workbench.engine.open_chat.past import Past
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.rerun import Rerun, Turn, variant_card
from workbench.engine.state import ChatState
from workbench.engine.tasks import Latest
from workbench.engine.tuning_intents import CompareVariants, DiffVariant

PIECE = 32
"""So many turns are read at once: others use the store, too."""

TurnKey = tuple[str, str | None]
"""A turn on its branch: its question and its reply."""


@dataclass(frozen=True, slots=True)
class _Base:
    """The request that variants are compared with.

    Attributes:
        before: the turns before it. key: which it is. asked, at: what it starts from, and when it was sent.
        held: what a cache holds where all before was sent as it was. age_s: for how long.
    """

    column: ComparisonColumn
    before: tuple[TurnRow, ...]
    key: Hashable
    asked: TurnInputs
    built: Built
    held: Conversation
    at: str | None = None
    age_s: float | None = None


@dataclass(slots=True)
class _Result:
    """The columns of the variants so far, by position."""

    columns: dict[int, ComparisonColumn] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)
    built: dict[int, Built] = field(default_factory=dict)


class Variants:
    """Compares one request of a chat under variants; a newer request cancels the one before."""

    def __init__(self, scope: ChatScope, past: Past) -> None:
        self._scope, self._world, self._past = scope, scope.world, past
        self._comparing = Latest(scope, self._work)
        self._variants: tuple[Variant, ...] = ()
        self._reruns: list[Rerun] = []
        self._read: dict[TurnKey, TurnInputs] = {}
        self._builders: dict[str, Builder] = {}
        self._shown: tuple[_Base, _Result] | None = None

    def look(self, intent: CompareVariants) -> None:
        """Start a comparison; results are shown one by one."""
        refuse_many(intent.variants or ())
        if intent.variants is None:
            intent = replace(intent, variants=self._variants)
        self._variants = intent.variants or ()
        self._comparing.call(f"compare variants of {self._scope.chat}", intent)

    def differ(self, intent: DiffVariant) -> None:
        """Show how two compared requests differ; `NotKept` if one of them is missing."""
        self._past.show_two(self._side(intent.against), self._side(intent.name))

    def _side(self, name: str) -> TimedRequest:
        state = self._scope.state
        variants = () if state is None or state.comparison is None else state.comparison.variants
        place = next((at for at, one in enumerate(variants) if one.name == name), None)
        if self._shown is not None and not name:
            return TimedRequest(self._shown[0].built, self._shown[0].at or "")
        built = None if self._shown is None or place is None else self._shown[1].built.get(place)
        if built is None:
            raise NotKept(tr("The variant “{name}” is not built: there is nothing to compare.", name=name))
        return TimedRequest(built, name=name)

    async def _work(self, wanted: CompareVariants) -> None:
        try:
            await self._compare(wanted)
        except WorkbenchError as problem:
            # A turn was taken away while it was read, or was never sent: each variant says so.
            told = tuple((one.name, str(problem)) for one in wanted.variants or ())
            self._tell(wanted, Comparison(wanted.chat, wanted.turn, (), told, wanted.variants or ()))

    async def _compare(self, wanted: CompareVariants) -> None:
        state = self._scope.state
        base = None if state is None else await self._base(wanted, state)
        if state is None or base is None:
            self._tell(wanted, Comparison(wanted.chat, wanted.turn, (), variants=wanted.variants or ()))
            return
        variants, result, known = wanted.variants or (), _Result(), self._known_columns(wanted, state)
        self._show(wanted, base, result, known, 0)
        turns = await self._turns(wanted, base.before)
        keys = dict.fromkeys(one.key for turn in (*turns, base.asked) for one in turn.attached)
        for place, variant in enumerate(variants):
            done = place * (len(base.before) + 1)
            try:
                rerun = self._rerun(variant.with_full_keys(keys), base)
                rows = base.before[len(rerun.played) :]
                asked = with_history(
                    turns[len(rerun.played) :], [row.question for row in rows], state.records
                )
                left = (
                    ((row.question, row.reply), one, row.sent_utc)
                    for row, one in zip(rows, asked, strict=True)
                )
                async for _ in self._play(rerun, left):
                    if not self._comparing.is_wanted(wanted):
                        return
                    self._show(wanted, base, result, known, done + len(rerun.played))
                await self._last(rerun, base, place, result)
            except WorkbenchError as problem:
                result.problems[place] = str(problem)
            if not self._comparing.is_wanted(wanted):
                return
            self._show(wanted, base, result, known, done + len(base.before) + 1)
        self._shown = base, result
        self._drop_others(variants)

    async def _play(self, rerun: Rerun, turns: Iterator[Turn]) -> AsyncIterator[None]:
        """Replay turns in a thread; other work there waits for one request at most."""
        for _, alike in groupby(turns, key=lambda one: rerun.card(one[1])):
            first = next(alike)
            rerun.builder = self._thread_builder(rerun.card(first[1]))
            await self._world.builder.thread.do(partial(rerun.go_on, (first,)))
            while await self._world.builder.thread.do(partial(rerun.go_on, islice(alike, PIECE))):
                yield

    async def _last(self, rerun: Rerun, base: _Base, place: int, result: _Result) -> None:
        card = rerun.card(base.asked)
        rerun.builder = self._thread_builder(card)

        def work() -> tuple[Prepared, ComparisonColumn]:
            prepared = rerun.ask(base.asked, base.at)
            return prepared, variant_column(rerun, prepared, base.held, base.age_s)

        prepared, result.columns[place] = await self._world.builder.thread.do(work)
        result.built[place] = prepared.built
        if card.tokenizer.startswith(SERVED) and not prepared.built.envelope.exact:
            # Its server will have counted more by the next time.
            self._reruns = [one for one in self._reruns if one is not rerun]

    async def _base(self, wanted: CompareVariants, state: ChatState) -> _Base | None:
        """The request as it is shown or was sent; None while there is none."""
        sent = tuple(row for row in state.turns if was_sent(row))
        if wanted.turn is None:
            prepared = state.prepared
            if prepared is None:
                return None
            forecasts = prepared.forecast, prepared.forecast
            built, held = prepared.built, state.conversation
            column = column_of(Variant(NEXT), built, forecasts)
            return _Base(column, sent, "next", built.inputs, built, held, age_s=prepared.age_s)
        before = tuple(row for row in sent if row.number < wanted.turn)
        row = next((row for row in reversed(sent) if row.number == wanted.turn), None)
        if row is None:
            raise NotKept(tr("Turn {turn} was not sent on the branch in view.", turn=wanted.turn))
        turn = await self._past.read(row)
        last = await self._past.read(before[-1]) if before else None
        ((history, _),) = said_before([row.question], state.records)
        inputs = turn.built.inputs
        asked = replace(inputs, history=inputs.tuning.edited(history))
        column = sent_column(turn, last, self._world.builder)
        held = stood_before(turn, last)
        return _Base(column, before, (row.question, row.reply), asked, turn.built, held, turn.started_utc)

    async def _turns(self, wanted: CompareVariants, rows: Sequence[TurnRow]) -> list[TurnInputs]:
        """Inputs of the turns; those read before are cached."""
        keys = [(row.question, row.reply) for row in rows]
        missing = [key for key in keys if key not in self._read]
        for start in range(0, len(missing), PIECE):
            piece = missing[start : start + PIECE]
            read = await self._world.store.turn_inputs(wanted.chat, piece)
            self._read |= dict(zip(piece, read, strict=True))
        return [self._read[key] for key in keys]

    def _rerun(self, variant: Variant, base: _Base) -> Rerun:
        """A `Rerun` that has replayed the beginning of these turns, else a new one."""
        keys = [(row.question, row.reply) for row in base.before]
        for one in self._reruns:
            if one.variant == variant and one.played == keys[: len(one.played)]:
                return one
        builder = self._thread_builder(variant_card(variant, base.asked, self._world.builder))
        rerun = Rerun(builder, variant, at_once=2 * PIECE)
        self._reruns = [*(one for one in self._reruns if one.variant != variant), rerun]
        return rerun

    def _drop_others(self, variants: Sequence[Variant]) -> None:
        """Discard replays of variants that are no longer wanted."""
        names = {one.name for one in variants}
        self._reruns = [one for one in self._reruns if one.variant.name in names]

    def _thread_builder(self, card: ModelCard) -> Builder:
        """A builder for a model that shares no mutable state with the event loop's."""
        if card.tokenizer not in self._builders:
            self._builders[card.tokenizer] = self._world.builder.copy(card)
        return self._builders[card.tokenizer]

    def _known_columns(self, wanted: CompareVariants, state: ChatState) -> dict[str, ComparisonColumn]:
        """Columns of the same variants from a moment ago, shown until they are computed again."""
        old = state.comparison
        if old is None or old.turn != wanted.turn:
            return {}
        same = [one for one in wanted.variants or () if one in old.variants]
        return {one.name: column for one in same if (column := old.column(one.name)) is not None}

    def _show(
        self,
        wanted: CompareVariants,
        base: _Base,
        result: _Result,
        known: Mapping[str, ComparisonColumn],
        played: int,
    ) -> None:
        variants = wanted.variants or ()
        columns = [
            result.columns.get(place) or (None if place in result.problems else known.get(one.name))
            for place, one in enumerate(variants)
        ]
        problems = tuple((variants[place].name, why) for place, why in sorted(result.problems.items()))
        there = (base.column, *(one for one in columns if one is not None))
        turns = len(variants) * (len(base.before) + 1)
        told = Comparison(wanted.chat, wanted.turn, there, problems, variants, played, turns, base.asked)
        self._tell(wanted, told)

    def _tell(self, wanted: CompareVariants, comparison: Comparison) -> None:
        if self._comparing.is_wanted(wanted):
            self._scope.emit(ChatShown(self._scope.chat, {"comparison": comparison}))
