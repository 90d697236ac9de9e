"""Which of what is attached fits the question that is being written, and which priorities that suggests.

Looked for once nothing was typed for a moment, in slices; only suggested, and never about what a person decided.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace

from workbench.context.recall.rank import ranking
from workbench.context.recall.relevance import shares, suggested, suggestions
from workbench.domain.attachment import Artifact
from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.relevance_view import Opinion, Relevance
from workbench.engine.events import (
    ChatClosed,
    ChatLoaded,
    DraftEdited,
    Event,
    RelevanceShown,
    TurnAsked,
)
from workbench.engine.priorities.second_opinion import read_priorities, second_opinion
from workbench.engine.recall.finding import asked_words
from workbench.engine.recall.gathering import breathing
from workbench.engine.recall.section_index import SectionIndex
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.tuning_intents import AboutPriorities, AskPriorities, DismissSuggestions, TuneAttached
from workbench.engine.turn.aside import ask_aside
from workbench.engine.world import World

SETTLE_S = 0.3
"""So long nothing may be typed before it is looked for: never in the frame of a keystroke."""
_MOST_CHARS = 4_000_000
"""Of all texts together: more would take too long to read, and too much memory."""

_BROKEN = "The program failed. No priority was changed; with WORKBENCH_LOG=FILE it writes down why."
_NO_QUESTION = (
    "Write your question first, with two or more texts attached: the priorities are suggested for it."
)


@dataclass(slots=True)
class _Question:
    """What is known of one question: from its first letter until it is sent, or there are no words any more."""

    wanted: tuple[str, tuple[Artifact, ...]]
    done: tuple[str, tuple[Artifact, ...]] | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    running: bool = False
    open: bool = False
    dismissed: bool = False
    opinion: Opinion | None = None
    said: Mapping[str, int] | None = None


@dataclass(slots=True)
class _Known:
    """What is known of a chat; `by_hand` are those whose priority a person set since the last question."""

    sections: SectionIndex = field(default_factory=lambda: SectionIndex(named=True))
    by_hand: frozenset[str] = frozenset()
    question: _Question | None = None


class RelevanceAhead:
    """Follows what is written and attached, and says what fits as a part of the chat's state."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._chats: dict[str, _Known] = {}
        states.subscribe(self._follow)

    def tuned(self, intent: TuneAttached) -> None:
        """A person changes what is attached: from now on their own number is left alone."""
        keys = {change.key for change in intent.changes if change.priority is not None}
        if keys and not intent.suggested:
            known = self._chats.setdefault(intent.chat, _Known())
            known.by_hand |= keys

    def do(self, intent: AboutPriorities) -> None:
        """Dismiss what is suggested, or begin to ask the model; that goes on by itself."""
        known = self._chats.get(intent.chat)
        question = None if known is None else known.question
        if isinstance(intent, DismissSuggestions):
            if question is not None:
                # An offer to ask the model, or its failure, stood before what is suggested: first only that goes.
                before = question.opinion is None or question.opinion.stage == "done"
                question.dismissed, question.opinion = question.dismissed or before, None
                self._show(intent.chat)
            return
        if known is None or question is None:
            raise WorkbenchError(_NO_QUESTION)
        work = self._ask(intent.chat, question, ask=isinstance(intent, AskPriorities))
        self._world.tasks.spawn(f"priorities of {intent.chat}", work)

    def _follow(self, event: Event, state: WorkbenchState) -> None:
        match event:
            case DraftEdited(chat):
                self._look(chat, state)
            case ChatLoaded():
                self._look(event.chat.id, state)
                self._show(event.chat.id)
            case TurnAsked(chat):
                if chat in self._chats:
                    self._chats[chat].by_hand = frozenset()
                self._look(chat, state)
            case ChatClosed(chat):
                self._chats.pop(chat, None)
            case _:
                pass

    def _look(self, chat: str, state: WorkbenchState) -> None:
        """Take note of what is written; it is looked for soon where there is something to compare."""
        opened = state.open.get(chat)
        words = "" if opened is None else asked_words(opened.draft.strip())
        attached = () if opened is None or not words else opened.conversation.attached
        if opened is None or len(attached) < 2:
            if chat in self._chats:
                self._chats[chat].question = None
            if opened is not None and opened.relevance is not None:
                self._states.emit(RelevanceShown(chat, None))
            return
        known = self._chats.setdefault(chat, _Known())
        if known.question is None:
            known.question = _Question((words, attached))
        question, done = known.question, known.question.done
        if done is not None and done[0] == words and done[1] is attached:
            question.wanted = done  # what is being looked for is not wanted any more
            return
        question.wanted = (words, attached)
        if not question.running:
            question.running = True
            self._world.tasks.spawn(f"relevance in {chat}", self._run(chat, known, question))

    async def _run(self, chat: str, known: _Known, question: _Question) -> None:
        try:
            while known.question is question and question.wanted is not question.done:
                wanted = question.wanted
                await asyncio.sleep(SETTLE_S)
                if question.wanted is not wanted or known.question is not question:
                    continue  # something was typed meanwhile
                found = await breathing(self._measuring(known.sections, *wanted))
                if question.wanted is wanted and known.question is question:
                    question.shares, question.done = found, wanted
                    self._show(chat, typed=True)
        finally:
            question.running = False

    def _measuring(
        self, sections: SectionIndex, words: str, attached: tuple[Artifact, ...]
    ) -> Generator[None, None, dict[str, float]]:
        """How well each fits, in slices."""
        yield from sections.follow(_with_words(attached))
        ranked = yield from ranking(sections.index, words, self._world.builder.recall.near)
        return shares(sections.index, ranked)

    def _show(self, chat: str, typed: bool = False) -> None:
        """Show what is known by now; while somebody types, what was offered stays open so that nothing jumps."""
        opened, known = self._states.state.open.get(chat), self._chats.get(chat)
        question = None if known is None else known.question
        if opened is None or known is None or question is None or question.done is None:
            return
        attached = opened.conversation.attached
        wanted = suggested(question.shares, attached) if question.said is None else question.said
        found = () if question.dismissed else suggestions(wanted, attached, _decided(opened, known))
        question.open = bool(found) or (typed and question.open)
        made = Relevance(question.shares, found, question.open, question.opinion)
        if made != opened.relevance:
            self._states.emit(RelevanceShown(chat, made))

    async def _ask(self, chat: str, question: _Question, *, ask: bool) -> None:
        moved = Opinion("failed", problem=_BROKEN)
        try:
            known, opened = self._chats[chat], self._states.state.open[chat]
            request, names = await second_opinion(opened, _decided(opened, known), self._world)
            moved = Opinion("offered", request.model, request.tokens, request.cost_usd)
            if ask:
                question.said = None
                self._tell(chat, question, replace(moved, stage="asking"))
                question.said = read_priorities(await ask_aside(request, self._world), names)
                question.dismissed = False
                moved = replace(moved, stage="done")
        except WorkbenchError as problem:
            moved = Opinion("failed", problem=f"No priority was changed. {problem}")
        finally:
            self._tell(chat, question, moved)

    def _tell(self, chat: str, question: _Question, opinion: Opinion) -> None:
        """Show how far it is; one who asks before anything was looked for is answered all the same."""
        question.opinion = opinion
        question.done = question.done or question.wanted
        self._show(chat)


def _decided(opened: ChatState, known: _Known) -> frozenset[str]:
    """What a person decided about: whose priority they set, and what they left out."""
    return known.by_hand | opened.conversation.tuning.excluded


def _with_words(attached: tuple[Artifact, ...]) -> tuple[Artifact, ...]:
    """What can be compared: texts, as many as can be read."""
    found, chars = [], 0
    for one in attached:
        chars += len(one.text)
        if chars > _MOST_CHARS:
            break
        if one.text and one.kind != "image":
            found.append(one)
    return tuple(found)
