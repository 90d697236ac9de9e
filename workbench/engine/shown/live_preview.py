"""The next request of every open chat, built again on every change; what was estimated is counted right after."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.model import ModelCard
from workbench.domain.preferences import ContextSettings
from workbench.domain.recall import Wanted
from workbench.domain.record import Chat
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.workspace import Workspace
from workbench.engine.assembly.counters import keep_counts, recall_counts
from workbench.engine.assembly.exact_counts import learn_counts
from workbench.engine.assembly.pictures import ChatPictures
from workbench.engine.assembly.prepare import Ask, Prepared, suited
from workbench.engine.conversation import Conversation
from workbench.engine.events import (
    EditShown,
    EnvelopeBuilt,
    NoticeGiven,
    RequestSent,
    RequestShown,
    TrialShown,
)
from workbench.engine.intents import EditInPlace, EditQuestion, TrySettings, TurnIntent
from workbench.engine.recall.ahead import RecallAhead
from workbench.engine.recall.finding import wanted_of, wants_messages_only
from workbench.engine.shown.cache_ahead import CacheAhead
from workbench.engine.shown.commands_ahead import CommandsAhead
from workbench.engine.shown.fixing import Fixing
from workbench.engine.shown.open_chat import DRAFT_ID, OpenRequests, ShownRequest
from workbench.engine.shown.request_view import Lenses, RequestViewer
from workbench.engine.shown.step_prices import Around, StepPrices, trial_of
from workbench.engine.shown.warmth import Warmth
from workbench.engine.state import ChatState, EditedQuestion
from workbench.engine.store import StateStore
from workbench.engine.turn.plan import TurnPlan
from workbench.engine.turn.planning import plan_edit
from workbench.engine.world import World
from workbench.ports.tracing import BUILD, VIEW_VALUES

TRIAL = "what if"


def _misses_something(state: ChatState, wanted: Wanted) -> bool:
    """Whether something could come back at all: nothing can where everything is sent, and everything was said here."""
    if state.prepared is None or wanted.settings.history.recall_chats or not wants_messages_only(wanted):
        return True
    return not state.prepared.built.envelope.layer("L4_STRIP").is_whole


@dataclass(frozen=True, slots=True)
class _Edit:
    """A question that is being edited: its newest words, and the turn that asking them would be, once it is read."""

    text: str
    plan: TurnPlan | None = None


class LivePreview:
    """Keeps the shown request true to what would be sent."""

    def __init__(self, world: World, states: StateStore, lenses: Lenses | None = None) -> None:
        self._world, self._states, self._lenses = world, states, lenses
        self._open: dict[str, OpenRequests] = {}
        self._cards: dict[str, ModelCard] = {}
        self._counting: set[str] = set()
        self._edits: dict[str, dict[str, _Edit]] = {}
        self.commands = CommandsAhead(world, self.refresh)
        self._cache = CacheAhead(world, self.refresh)
        self._recall = RecallAhead(world.providers, world.tasks, self.refresh)
        self._warmth = Warmth(world, self.refresh)
        self._fixing = Fixing(world, states, self._ask)
        self.prices = StepPrices(
            world, states, Around(self._requests, self._ask, self._cache.foretold, self._count_soon)
        )

    def refresh(self, chat: str) -> None:
        """Show the next request of an open chat; one that takes long is built beside the loop, the old one stays."""
        state = self._states.state.open.get(chat)
        if state is None:
            return
        requests = self._requests(chat)
        with self._world.trace.span(BUILD):
            ask = self._ask(state, state.chat.settings)
            prepared = self._prepared(chat, requests.next, state.conversation, ask)
            if prepared is None:
                return
            prepared = self._cache.foretold(chat, prepared)
        self._states.emit(EnvelopeBuilt(chat, prepared))
        inputs = prepared.built.inputs
        warm = self._warmth.look(state.conversation, inputs.settings.model, inputs.model)
        self._warmth.watch(chat, warm)
        values = self._world.workspaces.values(state.chat, state.conversation.attached)
        scene = replace(requests.scene(state), warm_until_utc=warm.until_utc, values=values)
        with self._world.trace.span(VIEW_VALUES):
            view = requests.next.viewer.view(prepared, scene)
            attachments = requests.next.viewer.attachments(prepared, view, scene)
        fixes = self._fixing.known(state) if view.over_tokens else ()
        self._states.emit(RequestShown(chat, view, attachments, fixes))
        self._fixing.look(chat)
        self._try(chat)
        self._show_edit(chat)
        self._count_soon(chat, prepared)
        self.prices.again(chat)

    def know_again(self, forget: bool) -> None:
        """Models were asked about themselves, or a person declared something: show every request with that."""
        if forget:
            self._cards.clear()
        for chat, requests in tuple(self._open.items()):
            requests.start_over()
            self.refresh(chat)

    def try_out(self, intent: TrySettings) -> None:
        """Show what the next request would be under other settings, from now on or no longer."""
        if intent.chat not in self._states.state.open:
            return
        wanted = intent.settings is not None or intent.workspace is not None
        self._requests(intent.chat).tried = intent if wanted else None
        if not wanted:
            self._states.emit(TrialShown(intent.chat, None))
        self._try(intent.chat)

    async def edit(self, intent: EditInPlace) -> None:
        """Show the request that an edit of a question would send, from now on or no longer."""
        chat, question, text = intent.chat, intent.question, intent.text
        edits = self._edits.setdefault(chat, {})
        known = edits.pop(question, None)
        if text is None:
            self._states.emit(EditShown(chat, question, None))
            return
        edits[question] = _Edit(text) if known is None else replace(known, text=text)
        self._show_edit(chat)
        if known is None:
            await self._read_for_edit(chat, question)

    def asked(self, intent: TurnIntent) -> None:
        """A question was asked: an edit of it is no longer one; should it not be kept, it is given back."""
        edits = self._edits.get(intent.chat, {})
        if isinstance(intent, EditQuestion) and edits.pop(intent.question, None) is not None:
            self._states.emit(EditShown(intent.chat, intent.question, None))
        self.refresh(intent.chat)

    def forget_edits(self, chat: str) -> None:
        """The chat is gone."""
        self._edits.pop(chat, None)

    def sent(self, event: EnvelopeBuilt) -> None:
        """A request of a turn goes out: show it as the one that is being answered."""
        state = self._states.state.open.get(event.chat)
        if state is None or not event.prepared.built.envelope.fits:
            return
        scene = self._requests(event.chat).scene(state, "in_flight", self._world.utc.utc_now())
        view = RequestViewer(self._world.builder, self._world.prices, self._lenses).view(
            event.prepared, scene
        )
        self._states.emit(RequestSent(event.chat, view))

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        self._open.pop(chat, None)
        self._fixing.forget(chat)
        self.prices.forget(chat)
        self.commands.forget(chat)
        self._cache.forget(chat)
        self._recall.forget(chat)
        self._world.builder.recall.forget(chat)
        self._warmth.forget(chat)

    def cache_moved(self) -> None:
        """A model answered: what its server holds is another by now, for other chats too."""
        self._cache.moved()
        for chat in list(self._open):
            self.refresh(chat)

    async def recall(self, chat: Chat, conversation: Conversation) -> None:
        """Know again what was counted of a chat for its model in earlier sessions."""
        builder = self._world.builder
        encoding = builder.catalogue.find(chat.settings.model).tokenizer
        await recall_counts(self._world.store, builder.counters, encoding, conversation)

    async def keep_counts(self) -> None:
        """Keep what was counted."""
        await keep_counts(self._world.store, self._world.builder.counters)

    def _requests(self, chat: str) -> OpenRequests:
        if chat not in self._open:
            self._open[chat] = OpenRequests(self._world.builder, self._world.prices, self._lenses)
        return self._open[chat]

    def _ask(self, state: ChatState, settings: ContextSettings, tried: Workspace | None = None) -> Ask:
        """What the chat would ask under settings of its own, in its workspace or in one that is tried."""
        settings = self._world.workspaces.effective(state.chat, settings, state.conversation.attached, tried)
        # An empty draft is shown as the request around a question that is still to come.
        draft = Message(DRAFT_ID, "user", (state.next_words,) if state.next_words else ())
        asked = self._pictures(state).asked(state.conversation, draft)
        question = asked if asked.texts or asked.images else None
        card = self._cards.get(settings.model)
        known = card or self._world.builder.catalogue.find(settings.model)
        results = self.commands.results(state.chat.id, state.next_words, state.conversation.turn + 1)
        cold = self._is_cold(state, settings.model, known)
        settings = suited(settings, known)
        wanted = self._wanted(state, state.next_words, settings, known)
        found = self._recall.found(wanted) if _misses_something(state, wanted) else ()
        return Ask(settings, question, tool_results=results, card=card, cold=cold, found=found)

    @staticmethod
    def _wanted(state: ChatState, text: str, settings: ContextSettings, card: ModelCard) -> Wanted:
        wanted = wanted_of(state.conversation, text, settings, card)
        return replace(wanted, workspace=state.chat.filed.workspace)

    def _is_cold(self, state: ChatState, model: str, card: ModelCard) -> bool:
        """Whether no cache holds the chat's last request any more: its time is over, or its server has forgotten it."""
        chat, conversation = state.chat.id, state.conversation
        cold = self._warmth.look(conversation, model, card).cold
        return cold or self._cache.forgot(chat, conversation.previous)

    def _pictures(self, state: ChatState) -> ChatPictures:
        return self._world.pictures.of(state.conversation.id)

    def _prepared(
        self, chat: str, shown: ShownRequest, conversation: Conversation, ask: Ask
    ) -> Prepared | None:
        """The request; None while it is being built beside the loop, after which it is shown."""
        if shown.busy:
            shown.missed = True
            return None
        prepared = shown.quickly(conversation, ask)
        if prepared is None:
            shown.busy = True
            work = self._build_beside(chat, shown, conversation, ask)
            self._world.tasks.spawn(f"build the request of {chat}", work)
        return prepared

    async def _build_beside(
        self, chat: str, shown: ShownRequest, conversation: Conversation, ask: Ask
    ) -> None:
        shown.missed = False
        try:
            prepared = await shown.built_beside(conversation, ask)
        except WorkbenchError as problem:
            self._states.emit(NoticeGiven(chat, str(problem)))
            prepared = None
        finally:
            shown.busy = False
        if prepared is not None or shown.missed:
            self._show_built(chat, shown)
        if prepared is None or shown.busy:
            return
        shown.busy, shown.missed = True, False  # letters wait for this rather than for a build of their own
        try:
            await shown.look_further(conversation, ask, prepared)
        except WorkbenchError:
            pass  # nobody has typed that yet; whoever does is told
        finally:
            shown.busy = False
        if shown.missed:
            self._show_built(chat, shown)

    def _show_built(self, chat: str, shown: ShownRequest) -> None:
        requests = self._open.get(chat)
        if requests is not None and shown is requests.trial:
            self._try(chat)
        elif requests is not None and shown is requests.edit:
            self._show_edit(chat)
        else:
            self.refresh(chat)

    def _try(self, chat: str) -> None:
        """Build the request under the settings that are tried out, if any are."""
        state, requests = self._states.state.open.get(chat), self._open.get(chat)
        if state is None or state.view is None or requests is None or requests.tried is None:
            return
        settings = requests.tried.settings or state.chat.settings
        ask = self._ask(state, settings, requests.tried.workspace)
        tried = self._prepared(chat, requests.trial, state.conversation, ask)
        if tried is not None:
            # Asked of the same server as the request it is compared with.
            tried = self._cache.foretold(chat, tried, TRIAL)
            view = requests.trial.viewer.view(tried, requests.scene(state))
            self._states.emit(TrialShown(chat, trial_of(settings, state.view, view)))

    def _show_edit(self, chat: str) -> None:
        """Show what is being edited on the branch in view, and the request that the last of it would send."""
        state, edits = self._states.state.open.get(chat), self._edits.get(chat)
        if state is None or not edits:
            return
        here = {record.id for record in state.records}
        for question in [question for question in state.edits if question not in here]:
            self._states.emit(EditShown(chat, question, None))
        for question, edit in [(question, edit) for question, edit in edits.items() if question in here]:
            known = state.edits.get(question)
            view = None if known is None else known.view
            if question == next(reversed(edits)):
                view = self._edit_view(state, question, edit) or view
            self._states.emit(EditShown(chat, question, EditedQuestion(question, edit.text, view)))

    def _edit_view(self, state: ChatState, question: str, edit: _Edit) -> EnvelopeView | None:
        """The request that an edit would send; None while what it stands on is read, or it is being built."""
        chat = state.chat.id
        if edit.plan is None:
            return None
        requests, before = self._requests(chat), self._standing(state, question, edit.plan)
        words = replace(edit.plan.question, texts=(edit.text,))
        asked = self._pictures(state).asked(before, words)
        results = self.commands.results(chat, edit.text, before.turn + 1, question)
        ask = self._ask(state, state.chat.settings)
        known = ask.card or self._world.builder.catalogue.find(ask.settings.model)
        wanted = replace(
            self._wanted(state, edit.text, ask.settings, known), history=before.history, times=before.times
        )
        found = self._recall.found(wanted, question)
        ask = replace(ask, question=asked, tool_results=results, found=found)
        prepared = self._prepared(chat, requests.edit, before, ask)
        if prepared is None:
            return None
        self._count_soon(chat, prepared)
        foretold = self._cache.foretold(chat, prepared, question)
        return requests.edit.viewer.view(foretold, requests.scene(state))

    def _standing(self, state: ChatState, question: str, plan: TurnPlan) -> Conversation:
        """The conversation before the question that is edited, with what is attached and decided now."""
        before, now = plan.conversation, state.conversation
        if before.attached == now.attached and before.tuning == now.tuning:
            return before
        standing = replace(before, attached=now.attached, tuning=now.tuning)
        edits = self._edits[state.chat.id]
        edits[question] = replace(edits[question], plan=replace(plan, conversation=standing))
        return standing

    async def _read_for_edit(self, chat: str, question: str) -> None:
        try:
            plan = await plan_edit(EditQuestion(chat, question, ""), self._world, DRAFT_ID)
        except WorkbenchError as problem:
            self._edits.get(chat, {}).pop(question, None)
            self._states.emit(EditShown(chat, question, None))
            self._states.emit(NoticeGiven(chat, str(problem)))
            return
        edits = self._edits.get(chat, {})
        if question in edits:
            edits[question] = replace(edits[question], plan=plan)
            self._show_edit(chat)

    def _count_soon(self, chat: str, prepared: Prepared) -> None:
        """Have what was estimated counted; one chat asks for one request at a time."""
        if not prepared.built.envelope.exact and chat not in self._counting:
            self._counting.add(chat)
            self._world.tasks.spawn(f"count the request of {chat}", self._count(chat, prepared))

    async def _count(self, chat: str, prepared: Prepared) -> None:
        """Count what was estimated; typing goes on meanwhile, and what is newest then is shown, and counted too."""
        learnt = False
        try:
            learnt = await self._learn(prepared)
        except WorkbenchError:
            pass
        finally:
            self._counting.discard(chat)
        requests, state = self._open.get(chat), self._states.state.open.get(chat)
        if requests is None or state is None:
            return
        if learnt:
            requests.start_over()
            self.refresh(chat)
        elif state.prepared is not None and state.prepared is not prepared:
            self._count_soon(chat, state.prepared)

    async def _learn(self, prepared: Prepared) -> bool:
        """Ask the model's server what it knows better; whether that was anything."""
        name = prepared.built.inputs.settings.model
        model = self._world.models.open(name)
        known = self._world.builder.catalogue.find(name)
        card = await model.card(known)
        news = card != self._cards.get(name, known)
        self._cards[name] = card
        return await learn_counts(prepared, model, self._world.builder, self._world.store) or news
