"""Shows requests as they were sent, and two requests side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from workbench.context.compare import compare
from workbench.context.count.calibration import rescaled
from workbench.context.explain.differences import TimedRequest, diff_view
from workbench.context.explain.row_facts import turns_of_attachments
from workbench.context.influence.pieces import attached_texts
from workbench.domain.caching import Verdict
from workbench.domain.change import Built
from workbench.domain.errors import NotKept
from workbench.domain.message import Message
from workbench.domain.record import TurnLine, TurnRecord, noted_amount, noted_table, noted_text
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, Reason, SegmentRow
from workbench.domain.shown.influence_view import KeptInfluence
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import OWN_WORDS
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.events import ChatShown
from workbench.engine.influence.target import NothingToMeasure, find_target, is_stale, kept_influence
from workbench.engine.intents import CompareTurns, OpenTurn
from workbench.engine.learning import told_prompt
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.shown.inspection import counter_of, stored_request
from workbench.engine.shown.request_view import KeptLenses, RequestViewer, Scene
from workbench.engine.shown.turn_rows import last_cached
from workbench.engine.watch.kept_turn import came_in, noted_lost
from workbench.engine.watch.turn_of import noted_findings, noted_rules

Side = TurnRecord | None
"""One of two requests that are compared; None is the next one."""


class Past:
    """Shows sent requests; a comparison with the next request is kept up to date."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope, self._world = scope, scope.world
        self._followed: tuple[Side, Side] | None = None
        self._opening: OpenTurn | None = None
        self._comparing: CompareTurns | None = None

    async def open(self, intent: OpenTurn) -> None:
        """Open a turn, or close the opened one; `NotKept` if there is no turn of that number.

        A watched chat has no next request: there the last one is shown instead.
        """
        state = self._scope.state
        if (
            intent.number is None
            and state is not None
            and state.chat.filed.watched is not None
            and state.turns
        ):
            intent = replace(intent, number=state.turns[-1].number)
        self._opening = intent
        view, kept = (None, None) if intent.number is None else await self._opened(intent.number)
        if self._opening is intent:  # nobody wished for something else while it was read
            self._scope.emit(ChatShown(intent.chat, {"opened": view, "influence": kept}))

    async def compare(self, intent: CompareTurns) -> None:
        """Show two turns side by side, or end that; `NotKept` if there is no turn of that number."""
        self._comparing, self._followed = intent, None
        if intent.before is None and intent.after is None:
            self._scope.emit(ChatShown(intent.chat, {"compared": None}))
            return
        lines = await self._world.store.turn_lines(intent.chat, notes=False)
        before, after = [
            None if number is None else await self.read(lines[_place(lines, number)])
            for number in (intent.before, intent.after)
        ]
        if self._comparing is not intent:
            return
        sides = before, after
        if before is None or after is None:
            self._followed = sides
        self._scope.emit(ChatShown(intent.chat, {"compared": self._difference(*sides)}))

    def show_two(self, before: TimedRequest, after: TimedRequest) -> None:
        """Show how two requests differ, one of which is a variant of the other or of the same one."""
        self._comparing, self._followed = None, None
        self._scope.emit(ChatShown(self._scope.chat, {"compared": self._between(before, after)}))

    def follow_next(self) -> None:
        if self._followed is not None:
            self._scope.emit(ChatShown(self._scope.chat, {"compared": self._difference(*self._followed)}))

    def look_ahead(self) -> None:
        """Something newer is shown: discard a turn that is still being read."""
        self._opening = None

    async def _opened(self, number: int) -> tuple[EnvelopeView, KeptInfluence | None]:
        chat = self._scope.chat
        lines = await self._world.store.turn_lines(chat, notes=False)
        place = _place(lines, number)
        turn = await self.read(lines[place])
        before = await self.read(lines[place - 1]) if place else None
        state = self._scope.state
        await self._load_pictures(turn, Conversation(chat) if state is None else state.conversation)
        view = self._view(turn, before)
        inputs = turn.built.inputs
        if inputs.passed is None:
            return view, await self._stored_influence(turn)
        if not inputs.passed.came_lines:
            return _with_watch_notes(view, turn), None
        counter = self._world.builder.counters.counter(inputs.settings.counter, inputs.model)
        sent, _ = _as_reported(turn, stored_request(turn, before, self._world.builder))
        came = await asyncio.to_thread(came_in, replace(turn, built=sent.built), counter)
        # What came beside what was sent: the same request twice, told apart by the rules.
        shown = replace(
            self._view(came, before), watched=True, as_came=True, rules=noted_rules(turn.usage or {})
        )
        shown = replace(shown, layers=_marked_left_out(shown, view), diff=self._view(turn, came).diff)
        return replace(_with_watch_notes(view, turn), came=shown), None

    def _view(self, turn: TurnRecord, before: TurnRecord | None) -> EnvelopeView:
        """The view of a stored turn."""
        prepared, reported = _as_reported(turn, stored_request(turn, before, self._world.builder))
        state = self._scope.state
        attached_in = {} if state is None else turns_of_attachments(state.records)
        scene = Scene(attached_in, {}, "sent", turn.started_utc)
        prepared = replace(prepared, compare_with=_compared_with(turn))
        earlier = "" if before is None else before.started_utc
        lost = None if turn.built.inputs.passed is None else noted_lost(turn.usage or {})
        lenses = KeptLenses(self._world, _parameters(turn), earlier, turn.started_utc, lost)
        view = RequestViewer(self._world.builder, self._world.prices, lenses).view(prepared, scene)
        cache = noted_table(turn.usage or {}, "cache")
        served, found = last_cached(turn.usage or {}, cache), cache.get("verdict")
        judged = found if found in get_args(Verdict) else None
        return _read_only(replace(view, reported=reported, served_tokens=served, verdict=judged))

    async def _stored_influence(self, turn: TurnRecord) -> KeptInfluence | None:
        """The stored influence of its answer; None if it cannot be measured."""
        try:
            target = await find_target(turn, self._world.store)
        except NothingToMeasure:
            return None
        found, entry = kept_influence(target.record), target.record.entry
        whole = entry.text if isinstance(entry, Message) else ""
        stale = found is not None and is_stale(found, turn.built)
        asked, reply, offset = turn.question or "", turn.reply or "", len(whole) - len(target.answer)
        texts = {key: one.content_digest for key, one in attached_texts(turn.built.inputs).items()}
        return KeptInfluence(turn.number, asked, reply, target.record.id, offset, found, stale, texts)

    async def _load_pictures(self, turn: TurnRecord, conversation: Conversation) -> None:
        """Load pictures that only a request of another branch shows."""
        inputs = turn.built.inputs
        asked = () if inputs.question is None else (inputs.question,)
        entries = (*inputs.history, *asked, *inputs.rounds)
        await self._world.pictures.fill(conversation, self._world.store, entries)

    def _difference(self, before: Side, after: Side) -> DiffView | None:
        """The difference of the two; None while there is no next request."""
        one, other = self._request_of(before), self._request_of(after)
        if one is None or other is None:
            return None
        return self._between(one, other)

    def _between(self, before: TimedRequest, after: TimedRequest) -> DiffView:
        change = compare(before.built, after.built, counter_of(after.built, self._world.builder))
        return diff_view(before, after, change, self._world.prices.price(after.built.inputs.model))

    def _request_of(self, side: Side) -> TimedRequest | None:
        if side is not None:
            return TimedRequest(side.built, side.started_utc)
        state = self._scope.state
        return None if state is None or state.prepared is None else TimedRequest(state.prepared.built)

    async def read(self, line: TurnLine | TurnRow) -> TurnRecord:
        """Read a turn from the store."""
        store, chat = self._world.store, self._scope.chat
        turn = await store.turn(chat, line.question, line.reply)
        if turn is None or turn.reply != line.reply:
            # The newest one was answered on another branch.
            turns = [one for one in await store.turns(chat) if one.question == line.question]
            turn = next(one for one in reversed(turns) if one.reply == line.reply)
        return turn


def _place(lines: tuple[TurnLine, ...], number: int) -> int:
    places = [place for place, line in enumerate(lines) if line.number == number]
    if not places:
        raise NotKept(tr("There is no turn {number} on the branch in view.", number=number))
    return places[-1]


def _as_reported(turn: TurnRecord, prepared: Prepared) -> tuple[Prepared, bool]:
    """An estimated request with its provider's count, and whether that is known."""
    envelope, told = prepared.built.envelope, told_prompt(turn.usage or {})
    if envelope.exact or not told:
        return prepared, False
    return replace(prepared, built=Built(prepared.built.inputs, rescaled(envelope, told))), True


def _parameters(turn: TurnRecord) -> Mapping[str, Any]:
    return noted_table(noted_table(turn.usage or {}, "request"), "parameters")


def _compared_with(turn: TurnRecord) -> str:
    return noted_text(noted_table(turn.usage or {}, "request"), "compared_with")


def _with_watch_notes(view: EnvelopeView, turn: TurnRecord) -> EnvelopeView:
    """The view of a watched request, with its findings and the digest of the bytes that passed."""
    notes = turn.usage or {}
    digest = noted_text(noted_table(notes, "request"), "sent_digest")
    cost = noted_amount(noted_table(notes, "cost"), "usd")
    findings = noted_findings(notes)
    layers = tuple(layer for layer in view.layers if layer.rows)
    told = noted_text(noted_table(notes, "error"), "message")
    view = replace(
        view, watched=True, layers=layers, findings=findings, cost_usd=cost, rules=noted_rules(notes),
        was_sent=not told.startswith(OWN_WORDS),
    )  # fmt: skip
    return replace(view, digest=digest) if digest else view


def _marked_left_out(came: EnvelopeView, sent: EnvelopeView) -> tuple[LayerRow, ...]:
    """The layers of a request as it came, with what was not sent marked."""
    there = {row.digest for layer in sent.layers for row in layer.rows}
    places = {row.key.id: row for layer in sent.layers for row in layer.rows}
    known = {row.digest for layer in came.layers for row in layer.rows}

    def marked(row: SegmentRow) -> SegmentRow:
        if row.digest in there:
            return row
        now = places.get(row.key.id)
        if now is None or now.digest in known:  # nothing is left there, or what stood behind it moved up
            return replace(row, state="excluded", reason=Reason("out_by_rule", _rule_out(row)))
        if gone := len(set(row.members) - set(now.members)):
            return replace(row, state="compacted", reason=Reason("some_by_rule", _rule_out(row), gone))
        return replace(
            row, state="compacted" if row.kind == "result" else row.state, reason=Reason("by_rule")
        )

    return tuple(replace(layer, rows=tuple(map(marked, layer.rows))) for layer in came.layers if layer.rows)


def _rule_out(row: SegmentRow) -> str:
    """The rule that takes such a row out."""
    return "tools.without" if row.kind in ("tools", "tool") else "block.drop"


def _read_only(view: EnvelopeView) -> EnvelopeView:
    """The view without tuning: it was sent."""
    layers = tuple(
        replace(layer, rows=tuple(replace(row, tunable=False, excludable=False) for row in layer.rows))
        for layer in view.layers
    )
    return replace(view, layers=layers)
