"""The requests of an open chat: what it would ask, and how each was built and shown last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from workbench.context.explain.row_facts import turns_of_attachments
from workbench.domain.chunk import Chunk
from workbench.domain.errors import WorkbenchError
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.message import Message
from workbench.domain.models.model import ModelCard
from workbench.domain.recall import Wanted
from workbench.domain.record import Record
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.shown.envelope_view import RequestMoment
from workbench.domain.workspace import Workspace
from workbench.engine.assembly.building import Preview, is_much_longer, prepare_beside, takes_long
from workbench.engine.assembly.exact_counts import learn_counts
from workbench.engine.assembly.pictures import ChatPictures
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn, suited
from workbench.engine.conversation import Conversation
from workbench.engine.events import NoticeGiven
from workbench.engine.intents import TrySettings
from workbench.engine.open_chat.cache import CacheAhead, Warm, Warmth
from workbench.engine.open_chat.commands import CommandsAhead
from workbench.engine.open_chat.recall import RecallAhead
from workbench.engine.open_chat.scope import Cards, ChatScope
from workbench.engine.recall.finding import wanted_of
from workbench.engine.shown.request_view import Lenses, RequestViewer, Scene
from workbench.engine.state import ChatState
from workbench.engine.turn.planning import undone_untold
from workbench.ports.models import PriceList

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
        """The request, where it can be had at once; None where building it would hold up the loop."""
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
        """Build it with a question, and with longer ones, while nobody types: then letters need no build."""
        preview = self._preview
        question = ask.question or Message(DRAFT_ID, "user", ("x",))
        if ask.question is None:
            ask = replace(ask, question=question)
            prepared = await prepare_beside(conversation, ask, self._builder)
            preview.expect(conversation, ask, prepared)
        envelope = prepared.built.envelope
        for words in FURTHER_WORDS if envelope.sized and envelope.fits else ():
            longer = replace(ask, question=replace(question, texts=(*question.texts, " x" * words)))
            built = await prepare_beside(conversation, longer, self._builder)
            if preview.widen(conversation, longer, built):
                return

    async def built_beside(self, conversation: Conversation, ask: Ask) -> Prepared:
        """Build it beside the loop; what began before everything was to be built anew is not kept."""
        preview = self._preview
        prepared = await prepare_beside(conversation, ask, self._builder)
        if preview is self._preview:
            self.deliver(conversation, ask, prepared)
        return prepared

    def deliver(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Take a request that was built elsewhere."""
        self._delivered = (conversation, ask, prepared)
        self._preview.keep(conversation, ask, prepared)


class OpenRequests:
    """The next request of an open chat; beside it the same for settings that are tried out, an edit, a step's price.

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
        first = self._memo.kept("attached in", (ByIdentity(records),), lambda: turns_of_attachments(records))
        return Scene(first, state.disk, standing, sent_utc)


@dataclass(frozen=True, slots=True)
class NextAsk:
    """What a chat would ask, how the cache stands for it, and what variables become in it."""

    ask: Ask
    warm: Warm
    values: Mapping[str, str]


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
        self._told: tuple[tuple[Record, ...], int, tuple[Chunk, ...]] | None = None
        self._memo = Memo()
        self.requests = OpenRequests(world.builder, world.prices, lenses)
        self.commands = CommandsAhead(scope, self._news)
        self.cache = CacheAhead(scope, self._news)
        self.recall = RecallAhead(world.providers, scope, self._news)
        self.warmth = Warmth(scope, self._news)

    def ask(self, state: ChatState, settings: ContextSettings, tried: Workspace | None = None) -> Ask:
        """What the chat would ask under settings of its own, in its workspace or in one that is tried."""
        return self.asked(state, settings, tried).ask

    def asked(self, state: ChatState, settings: ContextSettings, tried: Workspace | None = None) -> NextAsk:
        """The same, with what was looked at for it."""
        conversation, words = state.conversation, state.next_words
        chat = replace(state.chat, settings=settings)
        around = self.world.workspaces.surroundings(chat, conversation.attached, tried)
        own = settings
        # The same object as long as nothing changed: whoever builds at every key knows it again at a glance.
        name = "settings" if tried is None else "settings that are tried"
        settings = self._memo.kept(name, (own, around), lambda: around.around(own))
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
            results = (*self._undone(state.records, conversation.turn + 1), *results)
        warm = self.warmth.look(conversation, settings.model, known)
        # No cache holds the chat's last request any more: it has expired, or its server has forgotten it.
        cold = warm.cold or self.cache.forgot(conversation.previous)
        settings = suited(settings, known)
        missing = _misses_something(state, settings)
        found = self.recall.found(self.wanted(state, words, settings, known)) if missing else ()
        ask = Ask(settings, question, tool_results=results, card=card, cold=cold, found=found)
        return NextAsk(ask, warm, around.values)

    def _undone(self, records: tuple[Record, ...], turn: int) -> tuple[Chunk, ...]:
        """What was undone and is not told yet; looked for once, not at every key."""
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
        state = self.scope.state
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


def _misses_something(state: ChatState, settings: ContextSettings) -> bool:
    """Whether something could be recalled: nothing can where all of it is sent, and all of it was said here."""
    if state.prepared is None or settings.history.recall_chats or settings.sections.by_relevance:
        return True
    if any(one.by_relevance for one in state.conversation.attached):
        return True
    return not state.prepared.built.envelope.layer("L4_STRIP").is_whole
