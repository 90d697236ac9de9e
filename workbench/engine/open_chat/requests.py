"""The requests of an open chat: the next one, trials, edits and priced steps, and how each was last built and shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from workbench.context.assembly.draft import result_chunk
from workbench.context.explain.row_facts import turns_of_attachments
from workbench.context.outgoing import model_request
from workbench.context.text.at_commands import PlannedCall, planned_calls
from workbench.domain.answer import ModelFailed
from workbench.domain.caching import CacheForecast
from workbench.domain.change import Built
from workbench.domain.chunk import Chunk
from workbench.domain.errors import WorkbenchError
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.message import Message
from workbench.domain.model import ModelCard, beginning_for
from workbench.domain.recall import Wanted
from workbench.domain.record import Record
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import RequestMoment
from workbench.domain.tool import ToolOutcome
from workbench.domain.translation import tr
from workbench.domain.turn import begun_by_hand
from workbench.domain.workspace import Workspace
from workbench.engine.assembly.building import Preview, is_much_longer, prepare_in_thread, takes_long
from workbench.engine.assembly.counters import SERVED
from workbench.engine.assembly.exact_counts import learn_counts, nothing_held
from workbench.engine.assembly.pictures import ChatPictures
from workbench.engine.assembly.prepare import (
    Ask,
    Builder,
    Prepared,
    is_cold,
    prepare_turn,
    without_unsupported_tools,
)
from workbench.engine.conversation import Conversation, age_between, asked_last
from workbench.engine.events import NoticeGiven
from workbench.engine.intents import TrySettings
from workbench.engine.open_chat.recall import RecallAhead
from workbench.engine.open_chat.scope import Cards, ChatScope
from workbench.engine.recall.finding import wanted_of
from workbench.engine.shown.request_view import Lenses, RequestViewer, Scene
from workbench.engine.state import ChatState
from workbench.engine.tasks import Latest
from workbench.engine.turn.planning import undone_untold
from workbench.engine.turn.tools import command_outcome, reading_tools
from workbench.ports.models import PriceList
from workbench.ports.tools import Tool

# What the model's own server still holds of requests that are being written, asked of that server.
#
# Rules alone say what a cache does with the step from the last request to the next. They do not know that the server
# was started anew since, or has answered another chat: what is shown before sending must know what is known when it
# is sent.


SETTLE_S = 0.3
"""Delay after the last key before the server is asked: it processes the whole request for that."""

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What the server reported as cached for a request, whether that is exact, and what the rules had forecast."""

    key: _Key
    read_tokens: int | None
    sure: bool
    by_rule: int


@dataclass(slots=True)
class _Request:
    """One of a chat's requests (the next one, a trial, an edit, a priced step) and the server's last report on it."""

    asks: Latest[Prepared]
    known: _Known | None = None


class CacheAhead:
    """Corrects the cache forecasts of one chat by asking its server; calls `done` when a report arrives."""

    def __init__(self, scope: ChatScope, done: Callable[[], None]) -> None:
        self._scope, self._world, self._chat, self._done = scope, scope.world, scope.chat, done
        self._requests: dict[str, _Request] = {}
        self._moves = 0
        self._forgotten: Built | None = None

    def foretold(self, prepared: Prepared, name: str = "") -> Prepared:
        """The request with a forecast that its server agrees with, as far as it was asked; without one before that.

        `name` tells requests apart that are not the next one: an edited question, a trial.
        """
        card = prepared.built.inputs.model
        asked = card.tokenizer.startswith(SERVED) and not card.counted_at_send
        if prepared.forecast is None or not asked:
            return prepared  # nobody can be asked, or may be before it is sent: what the rules say stays
        request, key = self._request(name), _key(prepared)
        if request.known is None or request.known.key != key:
            request.asks.call(f"ask what is cached for {self._chat}", prepared)
        return replace(prepared, forecast=_corrected_forecast(prepared, key, request.known))

    def forgot(self, previous: Built | None) -> bool:
        """Whether the server was found to hold nothing of the chat's last request."""
        return previous is not None and self._forgotten is previous

    def moved(self) -> None:
        """Discard the server's reports: it has answered another request or was restarted."""
        self._moves += 1
        for request in self._requests.values():
            request.known = None

    def _request(self, name: str) -> _Request:
        if name not in self._requests:

            async def ask(prepared: Prepared) -> None:
                await self._ask(name, prepared)

            self._requests[name] = _Request(Latest(self._scope, ask, lambda: SETTLE_S))
        return self._requests[name]

    async def _ask(self, name: str, asked: Prepared) -> None:
        moves = -1
        held, sure = None, False
        while moves != self._moves:  # what a server said before it answered somebody is outdated
            moves = self._moves
            held, sure = await self._query_cached(asked)
        request = self._requests.get(name)
        if request is None or not request.asks.is_wanted(asked) or asked.forecast is None:
            return
        request.known = _Known(_key(asked), held, sure, asked.forecast.predicted_read_tokens)
        if not name:
            self._note_if_forgotten(asked, held)
        self._done()

    def _note_if_forgotten(self, asked: Prepared, held: int | None) -> None:
        if held is None or asked.forecast is None or asked.previous is None:
            return
        found = replace(asked.forecast, predicted_read_tokens=held, exact=True)
        if nothing_held(replace(asked, forecast=found)):
            self._forgotten = asked.previous

    async def _query_cached(self, prepared: Prepared) -> tuple[int | None, bool]:
        """Ask the server how many tokens it has cached (0 if it is off, None if unknown), and if that is exact."""
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


def _corrected_forecast(prepared: Prepared, key: _Key, known: _Known | None) -> CacheForecast | None:
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


LOOK_S = 15.0
"""How often the clock on the wall is looked at while a cache is warm."""
COOLING_S = 60.0
"""So long before a cache forgets a chat, that is told."""


@dataclass(frozen=True, slots=True)
class Warm:
    """Whether a chat's cache is warm; `until_utc` is None if its lifetime is unknown or nothing was sent."""

    cold: bool = False
    until_utc: str | None = None
    left_s: float = 0.0
    asked_utc: str | None = None


class Warmth:
    """Tracks the lifetime of one chat's cache; calls `turned` when it has just become cold."""

    def __init__(self, scope: ChatScope, turned: Callable[[], None], look_s: float = LOOK_S) -> None:
        self._scope, self._world, self._turned, self._look_s = scope, scope.world, turned, look_s
        self._waiting: tuple[str, asyncio.Task[None]] | None = None
        self.cooling: Callable[[str], None] = lambda chat: None

    def look(self, conversation: Conversation, model: str, card: ModelCard) -> Warm:
        """Whether the cache of a model is warm for the next request."""
        rules, asked_at = self._world.builder.cache_rules(card), asked_last(conversation, model)
        lifetime_s = None if rules is None else rules.lifetime_s
        age_s = age_between(asked_at, self._world.utc.utc_now())
        if lifetime_s is None or age_s is None or asked_at is None:
            return Warm()
        beside = conversation.beside
        newest = asked_at
        if beside is not None and beside.at and beside.built.inputs.settings.model == model:
            # A side question renews what the cache holds; whether a log begins anew is the chat's own matter.
            newest = max(asked_at, beside.at)
        until = (datetime.fromisoformat(newest) + timedelta(seconds=lifetime_s)).isoformat()
        return Warm(is_cold(rules, age_s), until, max(0.0, lifetime_s - age_s), newest)

    def watch(self, warm: Warm) -> None:
        """Schedule a call of `turned` for when the cache becomes cold; only for the request that is shown."""
        if warm.until_utc is None or warm.cold:
            self._stop()
        elif self._waiting is None or self._waiting[0] != warm.until_utc:
            self._stop()
            task = self._scope.spawn(f"wait for the cache of {self._scope.chat}", self._wait_until_cold(warm))
            self._waiting = (warm.until_utc, task)

    def _remaining_s(self, until_utc: str | None) -> float:
        return age_between(self._world.utc.utc_now(), until_utc or "") or 0.0

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting[1].cancel()
        self._waiting = None

    async def _wait_until_cold(self, warm: Warm) -> None:
        left_s = warm.left_s
        told = False
        # In pieces: while a computer is suspended the cache's time runs, and that of the loop does not.
        while left_s > 0 and (real_s := self._remaining_s(warm.until_utc)) > 0:
            if real_s <= COOLING_S and not told:
                told = True
                self.cooling(self._scope.chat)
            piece_s = min(left_s, self._look_s, max(real_s - COOLING_S, 0.0) or left_s)
            await asyncio.sleep(piece_s)
            left_s -= piece_s
        self._waiting = None  # first: whoever is told watches again
        self._turned()


# The commands of a question that is being written (@read, @search, @ls), run ahead so that the request is shown whole.
#
# They only read. What they gave back is what is sent, as long as the question asks for the same.


"""Delay after the last letter: a half-written path would be looked for at every one."""

Calls = tuple[PlannedCall, ...]


@dataclass(slots=True)
class _Question:
    """A text being written: its commands, and the results of those that have run."""

    runs: Latest[Calls]
    calls: Calls = ()
    known: dict[PlannedCall, ToolOutcome] = field(default_factory=dict)


class CommandsAhead:
    """Runs the commands (@read, @search, @ls) in a text while it is written; calls `done` when results arrive."""

    def __init__(self, scope: ChatScope, done: Callable[[], None]) -> None:
        self._scope, self._world, self._chat, self._done = scope, scope.world, scope.chat, done
        self._questions: dict[str, _Question] = {}
        self._memo = Memo()

    def results(self, text: str, turn: int, edited: str = "") -> tuple[Chunk, ...]:
        """The results of a text's commands as they stand before the question; those that are missing are run soon.

        `edited` names a question that is edited in place; without it the draft is meant.
        """
        # Asked for up to three times a key: for the next request, a trial, and ways to make it fit.
        calls = (
            self._memo.cached(f"calls {edited}", (text,), lambda: self._calls(text)) if "@" in text else ()
        )
        question = self._questions.get(edited)
        if question is None:
            if not calls:
                return ()
            question = self._questions[edited] = self._question(edited)
        if calls != question.calls:
            question.calls = calls
            question.known = {call: question.known[call] for call in calls if call in question.known}
            if any(call not in question.known for call in calls):
                question.runs.call(f"commands ahead in {self._chat}", calls)
            else:
                question.runs.cancel()
        return tuple(
            result_chunk(turn, number, call, question.known[call])
            for number, call in enumerate(calls, 1)
            if call in question.known
        )

    def taken(self, edited: str = "") -> Mapping[PlannedCall, ToolOutcome]:
        """Remove and return the results for the question that is sent now."""
        question = self._questions.pop(edited, None)
        if question is None:
            return {}
        question.runs.cancel()
        return question.known

    def _question(self, edited: str) -> _Question:
        async def run(calls: Calls) -> None:
            await self._run(edited, calls)

        return _Question(Latest(self._scope, run, lambda: SETTLE_S))

    def _tools(self) -> dict[str, Tool]:
        state = self._scope.state
        if state is None or self._world.toolbox is None:
            return {}
        return reading_tools(self._world.toolbox_in(self._world.workspaces.of(state.chat)))

    def _calls(self, text: str) -> Calls:
        tools = self._tools()
        return tuple(call for call in planned_calls(text) if call.name in tools)

    async def _run(self, edited: str, calls: Calls) -> None:
        question = self._questions.get(edited)
        if question is None:
            return
        tools = self._tools()
        for call in calls:
            if call not in question.known:
                outcome = await command_outcome(tools[call.name], call, self._world)
                if not question.runs.is_wanted(calls):
                    return  # sent or rewritten meanwhile
                question.known[call] = outcome
        self._done()


DRAFT_ID = "draft"
FURTHER_WORDS = (400, 30)
"""How much longer a question is made to see whether something else changes by it; less where it does."""


class ShownRequest:
    """One request that is shown again and again, and how it was shown last.

    Attributes:
        busy: whether it is being built beside the loop. missed: whether it was asked for meanwhile.
    """

    def __init__(self, builder: Builder, viewer: RequestViewer) -> None:
        self._builder = builder
        self.viewer = viewer
        self.busy = self.missed = False
        self.start_over()

    def start_over(self) -> None:
        self._preview = Preview(self._builder)
        self._delivered: tuple[Conversation, Ask, Prepared] | None = None

    def quickly(self, conversation: Conversation, ask: Ask) -> Prepared | None:
        """Build the request at once; None if that would block the event loop."""
        delivered, self._delivered = self._delivered, None
        if delivered is not None and delivered[0] is conversation and delivered[1] == ask:
            return delivered[2]
        last = self._preview.last
        if is_much_longer(ask, last):
            return None
        known = self._preview.unchanged(conversation, ask) or self._preview.retyped(conversation, ask)
        if known is None and takes_long(conversation, ask, last):
            return None
        prepared = known or prepare_turn(conversation, ask, self._builder)
        self._preview.keep(conversation, ask, prepared)
        return prepared

    async def look_further(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Prebuild the request with longer questions while nobody types, so that keystrokes need no build."""
        preview = self._preview
        question = ask.question or Message(DRAFT_ID, "user", ("x",))
        if ask.question is None:
            ask = replace(ask, question=question)
            prepared = await prepare_in_thread(conversation, ask, self._builder)
            preview.expect(conversation, ask, prepared)
        envelope = prepared.built.envelope
        for words in FURTHER_WORDS if envelope.sized and envelope.fits else ():
            longer = replace(ask, question=replace(question, texts=(*question.texts, " x" * words)))
            built = await prepare_in_thread(conversation, longer, self._builder)
            if preview.widen(conversation, longer, built):
                return

    async def build_in_thread(self, conversation: Conversation, ask: Ask) -> Prepared:
        """Build the request in a thread; the result is not kept if `start_over` was called meanwhile."""
        preview = self._preview
        prepared = await prepare_in_thread(conversation, ask, self._builder)
        if preview is self._preview:
            self.deliver(conversation, ask, prepared)
        return prepared

    def deliver(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Store a request that was built elsewhere."""
        self._delivered = (conversation, ask, prepared)
        self._preview.keep(conversation, ask, prepared)


class OpenRequests:
    """The next request of an open chat, and its variants: settings on trial, an edit, a priced step.

    Attributes:
        tried: settings or a workspace that are tried out; None where none are.
    """

    def __init__(self, builder: Builder, prices: PriceList, lenses: Lenses | None = None) -> None:
        self.next, self.trial, self.edit, self.priced = (
            ShownRequest(builder, RequestViewer(builder, prices, lenses)) for _ in range(4)
        )
        self.tried: TrySettings | None = None
        self._memo = Memo()

    def start_over(self) -> None:
        for request in (self.next, self.trial, self.edit, self.priced):
            request.start_over()

    def scene(self, state: ChatState, standing: RequestMoment = "next", sent_utc: str = "") -> Scene:
        records = state.records
        first = self._memo.cached(
            "attached in", (ByIdentity(records),), lambda: turns_of_attachments(records)
        )
        return Scene(first, state.disk, standing, sent_utc)


@dataclass(frozen=True, slots=True)
class NextAsk:
    """Input of a chat's next request, with the state of its cache and the values of its variables."""

    ask: Ask
    warm: Warm
    values: Mapping[str, str]


class ChatRequests:
    """Builds the requests of one open chat.

    Attributes:
        requests: the next one, a trial, an edit and a priced step, as they were built last.
        commands, recall, cache, warmth: what is looked up ahead of sending; each refreshes the chat when it has news.
        lenses: how a request's bytes and difference are made on demand.
    """

    def __init__(self, scope: ChatScope, cards: Cards, lenses: Lenses | None) -> None:
        self.scope, self.world, self.chat, self.lenses = scope, scope.world, scope.chat, lenses
        world = self.world
        self._cards = cards
        self._counting = False
        self._told: tuple[tuple[Record, ...], int, tuple[Chunk, ...]] | None = None
        self._memo = Memo()
        self.requests = OpenRequests(world.builder, world.prices, lenses)
        # Not a method of this: in a ring with them, all that is kept of a closed chat waited for a full collection.
        news = scope.on_news
        self.commands = CommandsAhead(scope, news)
        self.cache = CacheAhead(scope, news)
        self.recall = RecallAhead(world.providers, scope, news)
        self.warmth = Warmth(scope, news)

    def ask(self, state: ChatState, settings: ContextSettings, tried: Workspace | None = None) -> Ask:
        """Input of the next request under the chat's own settings, in its workspace or in one on trial."""
        return self.asked(state, settings, tried).ask

    def asked(self, state: ChatState, settings: ContextSettings, tried: Workspace | None = None) -> NextAsk:
        """The same, with the cache state and variables that were looked up for it."""
        conversation, words = state.conversation, state.next_words
        chat = replace(state.chat, settings=settings)
        around = self.world.workspaces.surroundings(chat, conversation.attached, tried)
        own = settings
        # The same object as long as nothing changed: whoever builds at every key knows it again at a glance.
        name = "settings" if tried is None else tr("settings that are tried")
        settings = self._memo.cached(name, (own, around), lambda: around.around(own))
        # An empty draft is shown as the request around a question that is still to come.
        draft = Message(DRAFT_ID, "user", (words,) if words else ())
        if conversation.attached:
            draft = self.pictures(state).asked(conversation, draft)
        question = draft if draft.texts or draft.images else None
        card = self._cards.get(settings.model)
        known = card or self.world.builder.catalogue.find(settings.model)
        known = known.lasting(settings.cache_lifetime)
        results = self.commands.results(words, conversation.turn + 1)
        if settings.tell_undone:
            results = (*self._undone_calls(state.records, conversation.turn + 1), *results)
        warm = self.warmth.look(conversation, settings.model, known)
        # No cache holds the chat's last request any more: it has expired, or its server has forgotten it.
        cold = warm.cold or self.cache.forgot(conversation.previous)
        settings = without_unsupported_tools(settings, known)
        missing = _may_recall(state, settings)
        found = self.recall.found(self.wanted(state, words, settings, known)) if missing else ()
        begun = "" if question is None else beginning_for(known, state.next_prefill)
        rounds = (begun_by_hand(DRAFT_ID, begun),) if begun else ()
        ask = Ask(settings, question, None, results, rounds, card, cold=cold, found=found)
        return NextAsk(ask, warm, around.values)

    def _undone_calls(self, records: tuple[Record, ...], turn: int) -> tuple[Chunk, ...]:
        """Undone tool calls that the model has not been told of; cached, since it is asked at every keystroke."""
        if self._told is None or self._told[0] is not records or self._told[1] != turn:
            self._told = (records, turn, undone_untold(records, turn))
        return self._told[2]

    @staticmethod
    def wanted(state: ChatState, text: str, settings: ContextSettings, card: ModelCard) -> Wanted:
        wanted = wanted_of(state.conversation, text, settings, card)
        return replace(wanted, workspace=state.chat.filed.workspace)

    def pictures(self, state: ChatState) -> ChatPictures:
        return self.world.pictures.of(state.conversation.id)

    def prepared(
        self, shown: ShownRequest, conversation: Conversation, ask: Ask, show: Callable[[], None]
    ) -> Prepared | None:
        """The request; None while a thread builds it, after which `show` is called."""
        if shown.busy:
            shown.missed = True
            return None
        prepared = shown.quickly(conversation, ask)
        if prepared is None:
            shown.busy = True
            work = self._build_in_thread(shown, conversation, ask, show)
            self.world.tasks.spawn(f"build the request of {self.chat}", work)
        return prepared

    def count_soon(self, prepared: Prepared) -> None:
        """Schedule exact counts of what was estimated; one request at a time."""
        if not prepared.built.envelope.exact and not self._counting:
            self._counting = True
            self.world.tasks.spawn(f"count the request of {self.chat}", self._count(prepared))

    async def _build_in_thread(
        self, shown: ShownRequest, conversation: Conversation, ask: Ask, show: Callable[[], None]
    ) -> None:
        shown.missed = False
        priced = shown is self.requests.priced
        try:
            prepared = await shown.build_in_thread(conversation, ask)
        except WorkbenchError as problem:
            if not priced:  # what cannot be built has no price
                self.scope.emit(NoticeGiven(self.chat, str(problem)))
            prepared = None
        finally:
            shown.busy = False
        if self.scope.closed:
            return
        if prepared is not None or shown.missed:
            show()
        if prepared is None or shown.busy or priced:
            return
        shown.busy, shown.missed = True, False  # letters wait for this rather than for a build of their own
        try:
            await shown.look_further(conversation, ask, prepared)
        except WorkbenchError:
            pass  # nobody has typed that yet; whoever does is told
        finally:
            shown.busy = False
        if shown.missed and not self.scope.closed:
            show()

    async def _count(self, prepared: Prepared) -> None:
        """Count exactly what was estimated, while typing goes on; then show the newest request, and count that too."""
        learnt = False
        try:
            learnt = await self._learn_counts(prepared)
        except WorkbenchError:
            pass
        finally:
            self._counting = False
        state = self.scope.state
        if state is None:
            return
        if learnt:
            self.requests.start_over()
            self.scope.refresh()
        elif state.prepared is not None and state.prepared is not prepared:
            self.count_soon(state.prepared)

    async def _learn_counts(self, prepared: Prepared) -> bool:
        """Ask the model's server for exact counts; return whether any were new."""
        name = prepared.built.inputs.settings.model
        model = self.world.models.open(name)
        known = self.world.builder.catalogue.find(name)
        card = await model.card(known)
        news = card != self._cards.get(name, known)
        self._cards[name] = card
        return await learn_counts(prepared, model, self.world.builder, self.world.store) or news


def _may_recall(state: ChatState, settings: ContextSettings) -> bool:
    """Whether anything could be recalled: not if all history is sent and nothing else is searched."""
    if state.prepared is None or settings.history.recall_chats or settings.sections.by_relevance:
        return True
    if state.conversation.folders or any(one.by_relevance for one in state.conversation.attached):
        return True
    return not state.prepared.built.envelope.layer("L4_STRIP").is_whole
