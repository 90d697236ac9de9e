"""The state store: events are its only way to change, and listeners get each event with the new state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TypeVar, assert_never

from workbench.domain.job import Job
from workbench.domain.message import ToolCall
from workbench.domain.record import split_draft
from workbench.engine import events
from workbench.engine.state import ChatState, Notice, RunningTurn, ToolCard, WorkbenchState
from workbench.ports.tracing import REDUCE, Trace


def look(kept: ChatState, event: events.LookEvent) -> ChatState:
    """The chat's state after an event about what is shown of it."""
    match event:
        case events.ChatShown(_, fields):
            return replace(kept, **fields)
        case events.LookedAhead():
            return replace(kept, ahead=True, opened=None)
        case events.EditShown(_, question, edit):
            others = _without(kept.edits, question)
            return replace(kept, edits=others if edit is None else {**others, question: edit})
        case _:
            assert_never(event)


def in_program(state: WorkbenchState, event: events.ProgramEvent) -> WorkbenchState:
    """The state after an event about no single chat."""
    match event:
        case events.ProgramShown(fields):
            return replace(state, **fields)
        case events.ModelReadied(name, readiness):
            return replace(state, readiness={**state.readiness, name: readiness})
        case events.PreferencesChanged(preferences):
            return replace(state, preferences=preferences)
        case events.ServerMoved(workspace, server, listing):
            others = _without(state.servers, (workspace, server))
            moved = others if listing is None else {**others, (workspace, server): listing}
            return replace(state, servers=moved)
        case events.FolderOffered(workspace, offer, problem):
            offers = _without(state.offers, workspace)
            nothing = offer is None and not problem
            return replace(state, offers=offers if nothing else {**offers, workspace: (offer, problem)})
        case events.ReachSeen(reach):
            return replace(state, reach={**state.reach, **reach})
        case events.JobMoved(job):
            return replace(state, jobs=_moved(state.jobs, job))
        case events.JobDismissed(job):
            return replace(state, jobs=tuple(known for known in state.jobs if known.id != job))
        case _:
            assert_never(event)


def _moved(jobs: tuple[Job, ...], job: Job) -> tuple[Job, ...]:
    if all(known.id != job.id for known in jobs):
        return (*jobs, job)
    return tuple(job if known.id == job.id else known for known in jobs)


T = TypeVar("T")
K = TypeVar("K")
Progress = (
    events.TurnProgressed
    | events.ModelProgressed
    | events.RetryScheduled
    | events.AnswerGrew
    | events.ThoughtGrew
    | events.ToolAsked
    | events.ToolProgressed
    | events.ToolRan
)
TurnMark = events.TurnAsked | events.TurnWithdrawn | events.TurnBegan | events.TurnEnded
ChatEvent = (
    Progress
    | TurnMark
    | events.DraftEdited
    | events.QueueChanged
    | events.EnvelopeBuilt
    | events.RebuildProposed
    | events.LookEvent
)
Away = Mapping[str, RunningTurn]

_NOTICES_KEPT = 20
# Up to so many characters an answer is copied for every piece of it; beyond, once for a sixteenth more.
_COPIED_CHARS, _WAITING = 1_000_000, 16


def reduce(state: WorkbenchState, event: events.Event) -> WorkbenchState:
    """The state after an event; of a chat that is not open, only its running turn is tracked."""
    match event:
        case events.ChatLoaded():
            return _loaded(state, event)
        case events.ChatClosed(chat):
            return _closed(state, chat)
        case events.NoticeGiven(chat, text, left_out):
            number = state.notices_given + 1
            notices = (*state.notices, Notice(number, chat, text, left_out))[-_NOTICES_KEPT:]
            return replace(state, notices=notices, notices_given=number)
        case events.ChatNamed():
            return _named(state, event)
        case _ if isinstance(event, events.ProgramEvent):
            return in_program(state, event)
        case _:
            return _in_chat(state, event)


def _in_chat(state: WorkbenchState, event: ChatEvent) -> WorkbenchState:
    kept = state.open.get(event.chat)
    if kept is not None:
        return replace(state, open={**state.open, event.chat: _in_view(kept, event)})
    return replace(state, away=_out_of_view(state.away, event))


def _loaded(state: WorkbenchState, event: events.ChatLoaded) -> WorkbenchState:
    """The state with a loaded chat; its draft and running turn are newer than the store, and stay."""
    key = event.chat.id
    old = state.open.get(key)
    if old is None:
        running = state.away.get(key)
        words, prefill = split_draft(event.draft)
        fresh = ChatState(
            event.chat,
            event.conversation,
            event.records,
            words,
            prefill=prefill,
            running=running,
            pictures=event.pictures,
        )
    else:
        pictures = old.pictures if old.pictures == event.pictures else event.pictures
        fresh = replace(
            old, chat=event.chat, conversation=event.conversation, records=event.records, pictures=pictures
        )
    return replace(state, open={**state.open, key: fresh}, away=_without(state.away, key))


def _named(state: WorkbenchState, event: events.ChatNamed) -> WorkbenchState:
    """The state with a chat's new title, in the list and in the open chat."""
    chats = tuple(replace(chat, title=event.title) if chat.id == event.chat else chat for chat in state.chats)
    kept = state.open.get(event.chat)
    if kept is None:
        return replace(state, chats=chats)
    named = replace(kept, chat=replace(kept.chat, title=event.title))
    return replace(state, chats=chats, open={**state.open, event.chat: named})


def _closed(state: WorkbenchState, chat: str) -> WorkbenchState:
    old = state.open.get(chat)
    away = state.away if old is None or old.running is None else {**state.away, chat: old.running}
    return replace(state, open=_without(state.open, chat), away=away)


def _in_view(kept: ChatState, event: ChatEvent) -> ChatState:
    match event:
        case events.DraftEdited(_, text, given_back, prefill):
            begun = kept.prefill if prefill is None else prefill
            return replace(kept, draft=text, prefill=begun, draft_number=kept.draft_number + given_back)
        case events.QueueChanged(_, queued, keys, held, prefill, steps):
            shown = replace(kept, queued=queued, queued_keys=keys, held=held, queued_prefill=prefill)
            return replace(shown, queued_steps=steps)
        case events.EnvelopeBuilt(_, prepared):
            return replace(kept, prepared=kept.prepared if _is_side(kept) else prepared)
        case events.TurnAsked(_, _, text, drafted):
            asked = replace(_new_turn(event), number=kept.conversation.turn + 1)
            taken = drafted and kept.draft == text
            kept = replace(kept, draft="", prefill="") if taken else kept
            return replace(kept, running=asked, ahead=False, opened=None)
        case events.TurnWithdrawn():
            return replace(kept, running=None)
        case events.TurnBegan():
            return replace(kept, running=_started_turn(kept.running, event), ended=None, proposal=None)
        case events.TurnEnded(_, _, outcome):
            about = "" if kept.running is None else kept.running.question
            idle = replace(kept, running=None, in_flight=None, ahead=False)
            return idle if _is_side(kept) else replace(idle, ended=outcome, ended_question=about)
        case events.RebuildProposed(prepared=prepared):
            return replace(kept, proposal=prepared)
        case _ if isinstance(event, events.LookEvent):
            return look(kept, event)
        case _:
            return kept if kept.running is None else replace(kept, running=_running(kept.running, event))


def _is_side(kept: ChatState) -> bool:
    return kept.running is not None and kept.running.side


def _out_of_view(away: Away, event: ChatEvent) -> Away:
    match event:
        case events.TurnAsked(chat):
            return {**away, chat: _new_turn(event)}
        case events.TurnBegan(chat):
            return {**away, chat: _started_turn(away.get(chat), event)}
        case events.TurnEnded(chat) | events.TurnWithdrawn(chat):
            return _without(away, chat)
        case _ if isinstance(
            event,
            events.DraftEdited
            | events.QueueChanged
            | events.EnvelopeBuilt
            | events.RebuildProposed
            | events.LookEvent,
        ):
            return away
        case _:
            turn = away.get(event.chat)
            return away if turn is None else {**away, event.chat: _running(turn, event)}


def _new_turn(event: events.TurnAsked) -> RunningTurn:
    return RunningTurn(0, event.question, event.text, event.replaces, side=event.side)


def _started_turn(running: RunningTurn | None, event: events.TurnBegan) -> RunningTurn:
    """The running turn once its question is stored; an answer to continue is its text so far."""
    asked = running if running is not None and running.question == event.question else RunningTurn(0, "")
    return RunningTurn(
        event.number,
        event.question,
        asked.asked,
        asked.replaces,
        text=event.begun,
        begun_chars=len(event.begun),
        side=asked.side,
    )


def _without(mapping: Mapping[K, T], key: K) -> Mapping[K, T]:
    return {other: kept for other, kept in mapping.items() if other != key} if key in mapping else mapping


def _running(turn: RunningTurn, event: Progress) -> RunningTurn:
    match event:
        case events.TurnProgressed(_, stage):
            return replace(turn, stage=stage, progress="", fraction=None)
        case events.ModelProgressed(_, what, fraction):
            return replace(turn, progress=what, fraction=fraction, retry=None)
        case events.RetryScheduled(_, attempt, _, failure, tries):
            return replace(turn, retry=failure, attempt=(attempt + 1, tries))
        case events.AnswerGrew(_, text):
            text, more = _grown(turn, text)
            return replace(turn, text=text, more=more, stage="", progress="", fraction=None, retry=None)
        case events.ThoughtGrew(_, text):
            return replace(
                turn, thinking=turn.thinking + text, stage="", progress="", fraction=None, retry=None
            )
        case events.ToolAsked(_, call, preview):
            return _with_card(turn, ToolCard(call, preview), call)
        case events.ToolProgressed(_, call, progress):
            known = _card(turn, call)
            # What was still on its way when the call ended is old.
            return (
                turn
                if known.outcome is not None
                else _with_card(turn, replace(known, progress=progress), call)
            )
        case events.ToolRan(_, call, outcome):
            done = replace(_card(turn, call), outcome=outcome, said=turn.text + turn.more, progress=None)
            return replace(_with_card(turn, done, call), text="", more="")
        case _:
            assert_never(event)


def _grown(turn: RunningTurn, piece: str) -> tuple[str, str]:
    """The text with a piece appended, and what is buffered: a very long text is not copied for every piece."""
    more = turn.more + piece
    waits = len(turn.text) > _COPIED_CHARS and len(more) < len(turn.text) // _WAITING
    return (turn.text, more) if waits else (turn.text + more, "")


def _card(turn: RunningTurn, call: ToolCall) -> ToolCard:
    return next((card for card in turn.tools if card.call.id == call.id), ToolCard(call))


def _with_card(turn: RunningTurn, card: ToolCard, call: ToolCall) -> RunningTurn:
    """The turn with a tool call's card, the newest last."""
    others = [known for known in turn.tools if known.call.id != call.id]
    return replace(turn, tools=(*others, card))


Listener = Callable[[events.Event, WorkbenchState], None]
_Subscribed = tuple[Listener, tuple[type[events.Event], ...]]


class StateStore:
    """The one place where the state changes.

    Attributes:
        state: the newest state.
    """

    def __init__(self, report: Callable[[str, BaseException], None], trace: Trace | None = None) -> None:
        self.state = WorkbenchState()
        self._report, self._trace = report, trace
        self._listeners: list[_Subscribed] = []
        self._waiting: deque[tuple[events.Event, WorkbenchState, tuple[_Subscribed, ...]]] = deque()
        self._telling = False

    def subscribe(self, listener: Listener, *kinds: type[events.Event]) -> Callable[[], None]:
        """Call the listener with every event, or with events of some kinds; returns a function that unsubscribes."""
        subscribed = (listener, kinds)
        self._listeners.append(subscribed)
        return lambda: self._listeners.remove(subscribed)

    def emit(self, event: events.Event) -> None:
        """Take note of an event; listeners are told in the order they came, each of all events in their order.

        What a listener emits changes the state at once, and is told after the event that it was told of.
        """
        trace = self._trace
        with nullcontext() if trace is None else trace.span(REDUCE, type(event).__name__):
            self.state = reduce(self.state, event)
        self._waiting.append((event, self.state, tuple(self._listeners)))
        if self._telling:
            return
        self._telling = True
        try:
            while self._waiting:
                self._notify(*self._waiting.popleft())
        finally:
            self._telling = False

    def _notify(self, event: events.Event, state: WorkbenchState, listeners: tuple[_Subscribed, ...]) -> None:
        for one in listeners:
            listener, kinds = one
            if (kinds and not isinstance(event, kinds)) or one not in self._listeners:
                continue  # not wanted, or it left meanwhile
            try:
                listener(event, state)
            except Exception as error:  # noqa: BLE001  (whoever watches a turn must not be able to end it by failing)
                self._report("a listener", error)
