"""What an open chat would ask, built from its conversation, draft, settings, and what was looked up ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.domain.chunk import Chunk
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.models.model import ModelCard
from workbench.domain.recall import Wanted
from workbench.domain.record import Record
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.workspace import Workspace
from workbench.engine.assembly.exact_counts import learn_counts
from workbench.engine.assembly.pictures import ChatPictures
from workbench.engine.assembly.prepare import Ask, Prepared, suited
from workbench.engine.conversation import Conversation
from workbench.engine.events import NoticeGiven
from workbench.engine.open_chat.cache import CacheAhead
from workbench.engine.open_chat.commands import CommandsAhead
from workbench.engine.open_chat.recall import RecallAhead
from workbench.engine.open_chat.requests import DRAFT_ID, OpenRequests, ShownRequest
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.open_chat.shared import Cards
from workbench.engine.open_chat.warmth import Warmth
from workbench.engine.recall.finding import wanted_of, wants_messages_only
from workbench.engine.shown.request_view import Lenses
from workbench.engine.state import ChatState
from workbench.engine.turn.undone import undone_untold


class Asking:
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
        self._settings = ContextSettings()
        self._told: tuple[tuple[Record, ...], int, tuple[Chunk, ...]] | None = None
        self.requests = OpenRequests(world.builder, world.prices, lenses)
        self.commands = CommandsAhead(scope, self._news)
        self.cache = CacheAhead(scope, self._news)
        self.recall = RecallAhead(world.providers, scope, self._news)
        self.warmth = Warmth(scope, self._news)

    @property
    def state(self) -> ChatState | None:
        """The chat as it is shown; None once it is closed."""
        return self.scope.state

    def ask(self, state: ChatState, settings: ContextSettings, tried: Workspace | None = None) -> Ask:
        """What the chat would ask under settings of its own, in its workspace or in one that is tried."""
        settings = self._effective(state, settings, tried)
        # An empty draft is shown as the request around a question that is still to come.
        draft = Message(DRAFT_ID, "user", (state.next_words,) if state.next_words else ())
        asked = self.pictures(state).asked(state.conversation, draft)
        question = asked if asked.texts or asked.images else None
        card = self._cards.get(settings.model)
        known = card or self.world.builder.catalogue.find(settings.model)
        turn = state.conversation.turn + 1
        results = self.commands.results(state.next_words, turn)
        if settings.tell_undone:
            results = (*self._undone(state.records, turn), *results)
        cold = self._is_cold(state, settings.model, known)
        settings = suited(settings, known)
        wanted = self.wanted(state, state.next_words, settings, known)
        found = self.recall.found(wanted) if _misses_something(state, wanted) else ()
        return Ask(settings, question, tool_results=results, card=card, cold=cold, found=found)

    def _undone(self, records: tuple[Record, ...], turn: int) -> tuple[Chunk, ...]:
        """What was undone and is not told yet; looked for once, not at every key."""
        if self._told is None or self._told[0] is not records or self._told[1] != turn:
            self._told = (records, turn, undone_untold(records, turn))
        return self._told[2]

    def _effective(
        self, state: ChatState, settings: ContextSettings, tried: Workspace | None
    ) -> ContextSettings:
        """The settings with what the workspace adds; the same object as long as nothing changed, so that whoever
        builds at every keystroke knows it again at a glance."""
        made = self.world.workspaces.effective(state.chat, settings, state.conversation.attached, tried)
        if tried is not None:
            return made
        if made != self._settings:
            self._settings = made
        return self._settings

    @staticmethod
    def wanted(state: ChatState, text: str, settings: ContextSettings, card: ModelCard) -> Wanted:
        """What of the past a text asks for."""
        wanted = wanted_of(state.conversation, text, settings, card)
        return replace(wanted, workspace=state.chat.filed.workspace)

    def pictures(self, state: ChatState) -> ChatPictures:
        """The pictures of the chat."""
        return self.world.pictures.of(state.conversation.id)

    def prepared(
        self, shown: ShownRequest, conversation: Conversation, ask: Ask, show: Callable[[], None]
    ) -> Prepared | None:
        """The request; None while it is built in a thread, after which `show` is called."""
        if shown.busy:
            shown.missed = True
            return None
        prepared = shown.quickly(conversation, ask)
        if prepared is None:
            shown.busy = True
            work = self._build_beside(shown, conversation, ask, show)
            self.world.tasks.spawn(f"build the request of {self.chat}", work)
        return prepared

    def count_soon(self, prepared: Prepared) -> None:
        """Have what was estimated counted; one request at a time."""
        if not prepared.built.envelope.exact and not self._counting:
            self._counting = True
            self.world.tasks.spawn(f"count the request of {self.chat}", self._count(prepared))

    def _news(self) -> None:
        self.scope.refresh()

    def _is_cold(self, state: ChatState, model: str, card: ModelCard) -> bool:
        """Whether no cache holds the chat's last request any more: it has expired, or its server has forgotten it."""
        conversation = state.conversation
        cold = self.warmth.look(conversation, model, card).cold
        return cold or self.cache.forgot(conversation.previous)

    async def _build_beside(
        self, shown: ShownRequest, conversation: Conversation, ask: Ask, show: Callable[[], None]
    ) -> None:
        shown.missed = False
        priced = shown is self.requests.priced
        try:
            prepared = await shown.built_beside(conversation, ask)
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
        """Count what was estimated; typing goes on meanwhile, and what is newest then is shown, and counted too."""
        learnt = False
        try:
            learnt = await self._learn(prepared)
        except WorkbenchError:
            pass
        finally:
            self._counting = False
        state = self.state
        if state is None:
            return
        if learnt:
            self.requests.start_over()
            self.scope.refresh()
        elif state.prepared is not None and state.prepared is not prepared:
            self.count_soon(state.prepared)

    async def _learn(self, prepared: Prepared) -> bool:
        """Ask the model's server what it knows better; whether that was anything."""
        name = prepared.built.inputs.settings.model
        model = self.world.models.open(name)
        known = self.world.builder.catalogue.find(name)
        card = await model.card(known)
        news = card != self._cards.get(name, known)
        self._cards[name] = card
        return await learn_counts(prepared, model, self.world.builder, self.world.store) or news


def _misses_something(state: ChatState, wanted: Wanted) -> bool:
    """Whether something could be recalled: nothing can where all of it is sent, and all of it was said here."""
    if state.prepared is None or wanted.settings.history.recall_chats or not wants_messages_only(wanted):
        return True
    return not state.prepared.built.envelope.layer("L4_STRIP").is_whole
