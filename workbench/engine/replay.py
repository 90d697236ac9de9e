"""Replays a trajectory through the same builder that feeds the window and the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.context.outgoing import Json
from workbench.context.report import REPORT_FORMAT
from workbench.domain.model import beginning_for
from workbench.domain.record import Chat, Record, branch_history
from workbench.domain.trajectory import Trajectory, TrajectoryTurn
from workbench.domain.turn import Tuning, begun_by_hand
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, is_cold, prepare_turn
from workbench.engine.conversation import (
    Conversation,
    after_turn,
    age_between,
    asked_last,
    may_prefill_library,
    reattach,
    shelved,
)
from workbench.engine.recall.finding import wanted_of
from workbench.engine.recall.providers import found_at_once
from workbench.engine.stored_conversation import NO_CLOCK_UTC, keep_turn, kept_conversation
from workbench.ports.history import HistoryStore


def replay(trajectory: Trajectory, builder: Builder) -> Json:
    """Reports of all turns, in order, as one document."""
    return whole_report(list(replay_turns(trajectory, builder)))


@dataclass(frozen=True, slots=True)
class Extract:
    """Which turns of a replay are reported, counted from 1, and whether in figures only."""

    first: int = 1
    last: int | None = None
    brief: bool = False

    def played(self, trajectory: Trajectory) -> tuple[TrajectoryTurn, ...]:
        """The turns to build: up to the last one reported."""
        return trajectory.turns[: self.last]

    def report(self, number: int, prepared: Prepared) -> Iterator[Json]:
        """The report of a turn, if it is wanted."""
        if number >= self.first:
            yield prepared.brief if self.brief else prepared.report


WHOLE = Extract()


def replay_turns(trajectory: Trajectory, builder: Builder, extract: Extract = WHOLE) -> Iterator[Json]:
    """Reports turn by turn: those of a long conversation together would not fit into memory."""
    conversation = start(trajectory)
    for number, turn in enumerate(extract.played(trajectory), 1):
        conversation, prepared = play_turn(conversation, turn, builder)
        yield from extract.report(number, prepared)
        conversation = after_turn(conversation, prepared.built, turn.reply, turn.now)


def start(trajectory: Trajectory) -> Conversation:
    """The conversation before its first turn."""
    return Conversation(trajectory.conversation, history=trajectory.history, trim=trajectory.trim)


def play_turn(
    conversation: Conversation, turn: TrajectoryTurn, builder: Builder
) -> tuple[Conversation, Prepared]:
    """The conversation after the user's changes, and the request of the turn."""
    old = conversation.tuning
    tuning = Tuning(
        pinned=(old.pinned | set(turn.pin_messages)) - set(turn.unpin_messages),
        excluded=(old.excluded | set(turn.exclude_messages)) - set(turn.include_messages),
        summaries=old.summaries,
        edits=old.edits,
    )
    attached = reattach(conversation.attached, turn.detach, (*turn.library, *turn.attach))
    opened = replace(conversation, attached=attached, tuning=tuning)
    if turn.library and may_prefill_library(conversation, turn.settings):
        opened = shelved(opened, turn.library)
    age_s = age_between(asked_last(conversation, turn.settings.model), turn.now)
    card = builder.catalogue.find(turn.settings.model)
    rules = builder.cache_rules(card.lasting(turn.settings.cache_lifetime))
    cold = turn.cold or is_cold(rules, age_s)
    ask = Ask(turn.settings, turn.question, turn.now, cold=cold, rebuild=turn.rebuild, age_s=age_s)
    if turn.question is not None and (begun := beginning_for(card, turn.prefill)):
        ask = replace(ask, rounds=(begun_by_hand(turn.question.id, begun),))
    if turn.question is not None:
        wanted = wanted_of(opened, turn.question.text, turn.settings, card)
        ask = replace(ask, found=found_at_once(wanted, builder.recall))
    return opened, prepare_turn(opened, ask, builder)


def whole_report(reports: Sequence[Json]) -> Json:
    """The reports of all turns as one document."""
    return {"format": REPORT_FORMAT, "turns": list(reports)}


# A trajectory whose conversation is kept in a store, closed and opened again where a turn asks for it.

OpenStore = Callable[[], Awaitable[HistoryStore]]


async def replay_kept(
    trajectory: Trajectory, builder: Builder, open_store: OpenStore, extract: Extract = WHOLE
) -> Json:
    """Like `replay`, byte for byte, but with the conversation passing through the store."""
    conversation = start(trajectory)
    store = await open_store()
    reports: list[Json] = []
    try:
        await _keep_start(store, conversation)
        for number, turn in enumerate(extract.played(trajectory), 1):
            if turn.reload:
                await store.close()
                store = await open_store()
                conversation = await _reloaded(store, conversation)
            conversation, prepared = play_turn(conversation, turn, builder)
            reports += extract.report(number, prepared)
            when = turn.now or NO_CLOCK_UTC
            conversation = await keep_turn(store, conversation, prepared.built, turn.reply, when)
    finally:
        await store.close()
    return whole_report(reports)


async def _keep_start(store: HistoryStore, conversation: Conversation) -> None:
    chat = conversation.id
    await store.create_chat(Chat(chat, NO_CLOCK_UTC))
    parents = (None, *(entry.id for entry in conversation.history))
    pairs = zip(conversation.history, parents, strict=False)
    await store.append([Record(chat, entry, NO_CLOCK_UTC, parent) for entry, parent in pairs])


async def _reloaded(store: HistoryStore, conversation: Conversation) -> Conversation:
    if conversation.previous is not None:
        return await kept_conversation(store, conversation.id)
    # No request was made yet: where trimming stood is in the trajectory itself, not in the store.
    path = await store.path(conversation.id)
    return replace(conversation, history=branch_history(path))
