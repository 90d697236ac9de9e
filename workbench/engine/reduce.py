"""Events into state: a pure function, so that every state can be had again from its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from workbench.domain.job import Job
from workbench.domain.message import ToolCall
from workbench.engine.events import (
    AnswerGrew,
    ChatClosed,
    ChatLoaded,
    ChatNamed,
    DraftEdited,
    EditShown,
    EnvelopeBuilt,
    Event,
    LookedAhead,
    LookEvent,
    ModelProgressed,
    NoticeGiven,
    QueueChanged,
    RebuildProposed,
    RetryScheduled,
    ThoughtGrew,
    ToolAsked,
    ToolRan,
    TurnAsked,
    TurnBegan,
    TurnEnded,
    TurnProgressed,
    TurnWithdrawn,
)
from workbench.engine.program_events import (
    FolderOffered,
    JobDismissed,
    JobMoved,
    ModelReadied,
    PreferencesChanged,
    ProgramEvent,
    ReachSeen,
    ServerMoved,
)
from workbench.engine.shown_events import ChatShown, ProgramShown
from workbench.engine.state import ChatState, Notice, RunningTurn, ToolCard, WorkbenchState


def look(kept: ChatState, event: LookEvent) -> ChatState:
    """An open chat after something about it is shown otherwise."""
    match event:
        case ChatShown(_, fields):
            return replace(kept, **fields)
        case LookedAhead():
            return replace(kept, ahead=True, opened=None)
        case EditShown(_, question, edit):
            others = _without(kept.edits, question)
            return replace(kept, edits=others if edit is None else {**others, question: edit})
        case _:
            assert_never(event)


def in_program(state: WorkbenchState, event: ProgramEvent) -> WorkbenchState:
    """The state after something that is about no single chat."""
    match event:
        case ProgramShown(fields):
            return replace(state, **fields)
        case ModelReadied(name, readiness):
            return replace(state, readiness={**state.readiness, name: readiness})
        case PreferencesChanged(preferences):
            return replace(state, preferences=preferences)
        case ServerMoved(workspace, server, listing):
            others = _without(state.servers, (workspace, server))
            moved = others if listing is None else {**others, (workspace, server): listing}
            return replace(state, servers=moved)
        case FolderOffered(workspace, offer, problem):
            offers = _without(state.offers, workspace)
            nothing = offer is None and not problem
            return replace(state, offers=offers if nothing else {**offers, workspace: (offer, problem)})
        case ReachSeen(reach):
            return replace(state, reach={**state.reach, **reach})
        case JobMoved(job):
            return replace(state, jobs=_moved(state.jobs, job))
        case JobDismissed(job):
            return replace(state, jobs=tuple(known for known in state.jobs if known.id != job))
        case _:
            assert_never(event)


def _moved(jobs: tuple[Job, ...], job: Job) -> tuple[Job, ...]:
    if all(known.id != job.id for known in jobs):
        return (*jobs, job)
    return tuple(job if known.id == job.id else known for known in jobs)


T = TypeVar("T")
K = TypeVar("K")
Progress = TurnProgressed | ModelProgressed | RetryScheduled | AnswerGrew | ThoughtGrew | ToolAsked | ToolRan
TurnMark = TurnAsked | TurnWithdrawn | TurnBegan | TurnEnded
ChatEvent = Progress | TurnMark | DraftEdited | QueueChanged | EnvelopeBuilt | RebuildProposed | LookEvent
Away = Mapping[str, RunningTurn]

_NOTICES_KEPT = 20
# Up to so many characters an answer is copied for every piece of it; beyond, once for a sixteenth more.
_COPIED_CHARS, _WAITING = 1_000_000, 16


def reduce(state: WorkbenchState, event: Event) -> WorkbenchState:
    """The state after an event; of a chat that is not open, only the turn in progress is remembered."""
    match event:
        case ChatLoaded():
            return _loaded(state, event)
        case ChatClosed(chat):
            return _closed(state, chat)
        case NoticeGiven(chat, text, left_out):
            number = state.notices_given + 1
            notices = (*state.notices, Notice(number, chat, text, left_out))[-_NOTICES_KEPT:]
            return replace(state, notices=notices, notices_given=number)
        case ChatNamed():
            return _named(state, event)
        case _ if isinstance(event, ProgramEvent):
            return in_program(state, event)
        case _:
            return _in_chat(state, event)


def _in_chat(state: WorkbenchState, event: ChatEvent) -> WorkbenchState:
    kept = state.open.get(event.chat)
    if kept is not None:
        return replace(state, open={**state.open, event.chat: _in_view(kept, event)})
    return replace(state, away=_out_of_view(state.away, event))


def _loaded(state: WorkbenchState, event: ChatLoaded) -> WorkbenchState:
    """What is typed and what arrives is newer here than what was read, so it stays."""
    key = event.chat.id
    old = state.open.get(key)
    if old is None:
        running = state.away.get(key)
        fresh = ChatState(
            event.chat,
            event.conversation,
            event.records,
            event.draft,
            running=running,
            pictures=event.pictures,
        )
    else:
        pictures = old.pictures if old.pictures == event.pictures else event.pictures
        fresh = replace(
            old, chat=event.chat, conversation=event.conversation, records=event.records, pictures=pictures
        )
    return replace(state, open={**state.open, key: fresh}, away=_without(state.away, key))


def _named(state: WorkbenchState, event: ChatNamed) -> WorkbenchState:
    """The title in the list and in the chat itself, where it is in view."""
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
        case DraftEdited(_, text, given_back):
            return replace(kept, draft=text, draft_number=kept.draft_number + given_back)
        case QueueChanged(_, queued, keys, held):
            return replace(kept, queued=queued, queued_keys=keys, held=held)
        case EnvelopeBuilt(_, prepared):
            return replace(kept, prepared=prepared)
        case TurnAsked(_, _, text, drafted):
            asked = replace(_asked(event), number=kept.conversation.turn + 1)
            draft = "" if drafted and kept.draft == text else kept.draft
            return replace(kept, running=asked, draft=draft, ahead=False, opened=None)
        case TurnWithdrawn():
            return replace(kept, running=None)
        case TurnBegan():
            return replace(kept, running=_begun(kept.running, event), ended=None, proposal=None)
        case TurnEnded(_, _, outcome):
            about = "" if kept.running is None else kept.running.question
            idle = replace(kept, running=None, in_flight=None, ahead=False)
            return replace(idle, ended=outcome, ended_question=about)
        case RebuildProposed(prepared=prepared):
            return replace(kept, proposal=prepared)
        case _ if isinstance(event, LookEvent):
            return look(kept, event)
        case _:
            return kept if kept.running is None else replace(kept, running=_running(kept.running, event))


def _out_of_view(away: Away, event: ChatEvent) -> Away:
    match event:
        case TurnAsked(chat):
            return {**away, chat: _asked(event)}
        case TurnBegan(chat):
            return {**away, chat: _begun(away.get(chat), event)}
        case TurnEnded(chat) | TurnWithdrawn(chat):
            return _without(away, chat)
        case _ if isinstance(event, DraftEdited | QueueChanged | EnvelopeBuilt | RebuildProposed | LookEvent):
            return away
        case _:
            turn = away.get(event.chat)
            return away if turn is None else {**away, event.chat: _running(turn, event)}


def _asked(event: TurnAsked) -> RunningTurn:
    return RunningTurn(0, event.question, event.text, event.replaces)


def _begun(running: RunningTurn | None, event: TurnBegan) -> RunningTurn:
    """The turn whose question is kept now; an answer that is to be continued is there already."""
    asked = running if running is not None and running.question == event.question else RunningTurn(0, "")
    return RunningTurn(
        event.number,
        event.question,
        asked.asked,
        asked.replaces,
        text=event.begun,
        begun_chars=len(event.begun),
    )


def _without(mapping: Mapping[K, T], key: K) -> Mapping[K, T]:
    return {other: kept for other, kept in mapping.items() if other != key} if key in mapping else mapping


def _running(turn: RunningTurn, event: Progress) -> RunningTurn:
    match event:
        case TurnProgressed(_, stage):
            return replace(turn, stage=stage, progress="", fraction=None)
        case ModelProgressed(_, what, fraction):
            return replace(turn, progress=what, fraction=fraction, retry=None)
        case RetryScheduled(_, attempt, _, failure, tries):
            return replace(turn, retry=failure, attempt=(attempt + 1, tries))
        case AnswerGrew(_, text):
            text, more = _grown(turn, text)
            return replace(turn, text=text, more=more, stage="", progress="", fraction=None, retry=None)
        case ThoughtGrew(_, text):
            return replace(
                turn, thinking=turn.thinking + text, stage="", progress="", fraction=None, retry=None
            )
        case ToolAsked(_, call, preview):
            return _with_card(turn, ToolCard(call, preview), call)
        case ToolRan(_, call, outcome):
            known = next((card for card in turn.tools if card.call.id == call.id), ToolCard(call))
            done = replace(known, outcome=outcome, said=turn.text + turn.more)
            return replace(_with_card(turn, done, call), text="", more="")
        case _:
            assert_never(event)


def _grown(turn: RunningTurn, piece: str) -> tuple[str, str]:
    """The text with a piece more, and what waits: a text of megabytes is not copied for every piece of it."""
    more = turn.more + piece
    waits = len(turn.text) > _COPIED_CHARS and len(more) < len(turn.text) // _WAITING
    return (turn.text, more) if waits else (turn.text + more, "")


def _with_card(turn: RunningTurn, card: ToolCard, call: ToolCall) -> RunningTurn:
    """The turn with a call's card, the newest one last."""
    others = [known for known in turn.tools if known.call.id != call.id]
    return replace(turn, tools=(*others, card))
