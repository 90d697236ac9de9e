"""Looking back: a request as it was sent, and two requests side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, assert_never

from workbench.context.compare.compare import compare
from workbench.context.count.calibration import rescaled
from workbench.context.explain.differences import TimedRequest, diff_view
from workbench.context.explain.row_facts import turns_of_attachments
from workbench.domain.change import Built
from workbench.domain.errors import NotKept
from workbench.domain.note_values import noted_table, noted_text
from workbench.domain.record import TurnLine, TurnRecord
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.events import (
    ChatClosed,
    EnvelopeBuilt,
    Event,
    LookedAhead,
    TurnAsked,
    TurnOpened,
    TurnsCompared,
)
from workbench.engine.intents import CompareTurns, OpenTurn
from workbench.engine.learning import told_prompt
from workbench.engine.shown.inspection import counter_of, stored_request
from workbench.engine.shown.on_demand import kept_lenses
from workbench.engine.shown.request_view import RequestViewer, Scene
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import World

Side = TurnRecord | None
"""One of two requests that are compared; None is the next one."""


class Past:
    """Shows what was sent; a comparison with the next request follows that."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._followed: dict[str, tuple[Side, Side]] = {}
        self._newest: dict[tuple[str, type], OpenTurn | CompareTurns] = {}
        states.subscribe(self._follow)

    async def do(self, intent: OpenTurn | CompareTurns) -> None:
        """Show a turn, or two; `NotKept` where there is none of that number."""
        self._newest[intent.chat, type(intent)] = intent
        match intent:
            case OpenTurn(chat, number):
                view = None if number is None else await self._opened(chat, number)
                if self._is_newest(intent):
                    self._states.emit(TurnOpened(chat, view))
            case CompareTurns(chat):
                await self._compare(intent)
            case _:
                assert_never(intent)

    def _is_newest(self, intent: OpenTurn | CompareTurns) -> bool:
        """Whether nobody wished for something else while this was read: what comes late must not be shown."""
        return self._newest.get((intent.chat, type(intent))) is intent

    async def _opened(self, chat: str, number: int) -> EnvelopeView:
        lines = await self._world.store.turn_lines(chat)
        place = _place(lines, number)
        turn = await self._read(chat, lines[place])
        before = await self._read(chat, lines[place - 1]) if place else None
        prepared, reported = _as_reported(turn, stored_request(turn, before, self._world.builder))
        state = self._states.state.open.get(chat)
        await self._have_pictures(turn, Conversation(chat) if state is None else state.conversation)
        attached_in = {} if state is None else turns_of_attachments(state.records)
        scene = Scene(attached_in, {}, "sent", turn.started_utc)
        prepared = replace(prepared, compare_with=_compared_with(turn))
        lenses = kept_lenses(self._world, _parameters(turn), "" if before is None else before.started_utc)
        view = RequestViewer(self._world.builder, self._world.prices, lenses).view(prepared, scene)
        return _read_only(replace(view, reported=reported))

    async def _have_pictures(self, turn: TurnRecord, conversation: Conversation) -> None:
        """A request of another branch may show pictures that the one in view does not."""
        inputs = turn.built.inputs
        asked = () if inputs.question is None else (inputs.question,)
        entries = (*inputs.history, *asked, *inputs.rounds)
        await self._world.pictures.fill(conversation, self._world.store, entries)

    async def _compare(self, intent: CompareTurns) -> None:
        chat = intent.chat
        self._followed.pop(chat, None)
        if intent.before is None and intent.after is None:
            self._states.emit(TurnsCompared(chat, None))
            return
        lines = await self._world.store.turn_lines(chat)
        before, after = [
            None if number is None else await self._read(chat, lines[_place(lines, number)])
            for number in (intent.before, intent.after)
        ]
        if not self._is_newest(intent):
            return
        if before is None or after is None:
            self._followed[chat] = (before, after)
        self._states.emit(TurnsCompared(chat, self._difference(chat, before, after)))

    def _difference(self, chat: str, before: Side, after: Side) -> DiffView | None:
        """How the two differ; None while there is no next request."""
        one, other = self._seen(chat, before), self._seen(chat, after)
        if one is None or other is None:
            return None
        change = compare(one.built, other.built, counter_of(other.built, self._world.builder))
        return diff_view(one, other, change, self._world.prices.price(other.built.inputs.model))

    def _seen(self, chat: str, side: Side) -> TimedRequest | None:
        if side is not None:
            return TimedRequest(side.built, side.started_utc)
        state = self._states.state.open.get(chat)
        return None if state is None or state.prepared is None else TimedRequest(state.prepared.built)

    async def _read(self, chat: str, line: TurnLine) -> TurnRecord:
        """The whole turn of a line."""
        store = self._world.store
        turn = await store.turn(chat, line.question, line.reply)
        if turn is None or turn.reply != line.reply:
            # The newest one was answered on another branch.
            turns = [one for one in await store.turns(chat) if one.question == line.question]
            turn = next(one for one in reversed(turns) if one.reply == line.reply)
        return turn

    def _follow(self, event: Event, state: WorkbenchState) -> None:
        match event:
            case EnvelopeBuilt(chat) if chat in self._followed:
                before, after = self._followed[chat]
                self._states.emit(TurnsCompared(chat, self._difference(chat, before, after)))
            case LookedAhead(chat) | TurnAsked(chat):
                # Something newer is looked at: a turn that is still being read must not come over it.
                self._newest.pop((chat, OpenTurn), None)
            case ChatClosed(chat):
                self._followed.pop(chat, None)
                for kind in (OpenTurn, CompareTurns):
                    self._newest.pop((chat, kind), None)
            case _:
                pass


def _place(lines: tuple[TurnLine, ...], number: int) -> int:
    places = [place for place, line in enumerate(lines) if line.number == number]
    if not places:
        raise NotKept(f"There is no turn {number} on the branch in view.")
    return places[-1]


def _as_reported(turn: TurnRecord, prepared: Prepared) -> tuple[Prepared, bool]:
    """An estimated request as its provider counted it, and whether that is known."""
    envelope, told = prepared.built.envelope, told_prompt(turn.usage or {})
    if envelope.exact or not told:
        return prepared, False
    return replace(prepared, built=Built(prepared.built.inputs, rescaled(envelope, told))), True


def _parameters(turn: TurnRecord) -> Mapping[str, Any]:
    """The parameters that went along, as far as they were noted."""
    return noted_table(noted_table(turn.usage or {}, "request"), "parameters")


def _compared_with(turn: TurnRecord) -> str:
    return noted_text(noted_table(turn.usage or {}, "request"), "compared_with")


def _read_only(view: EnvelopeView) -> EnvelopeView:
    """What was sent is no longer tuned."""
    layers = tuple(
        replace(layer, rows=tuple(replace(row, tunable=False, excludable=False) for row in layer.rows))
        for layer in view.layers
    )
    return replace(view, layers=layers)
