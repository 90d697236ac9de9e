"""The next request of every open chat, built again on every change; what was estimated is counted right after."""

from __future__ import annotations

from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.model import ModelCard
from workbench.domain.preferences import ContextSettings
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.build.building import prepare_beside
from workbench.engine.build.counters import keep_counts, recall_counts
from workbench.engine.build.exact_counts import learn_counts
from workbench.engine.build.prepare import Ask, Prepared, suited
from workbench.engine.conversation import Conversation
from workbench.engine.events import EnvelopeBuilt, NoticeGiven, RequestSent, RequestShown, TrialShown
from workbench.engine.intents import TrySettings
from workbench.engine.shown.fixing import Fixing
from workbench.engine.shown.open_chat import Desk, Easel
from workbench.engine.shown.request_view import Lenses, Showing
from workbench.engine.state import ChatState, Trial
from workbench.engine.store import StateStore
from workbench.engine.world import World

# Settings that are tried out: the same request built with them, and what that would change.


def trial_of(settings: ContextSettings, now: EnvelopeView, tried: EnvelopeView) -> Trial:
    """What the settings would make of the next request; `now` is that request as it stands."""
    return Trial(
        settings=settings,
        view=tried,
        lost_tokens=max(0, (now.cached_tokens or 0) - (tried.cached_tokens or 0)),
        extra_cost_usd=_extra_cost(now, tried),
        falls=_only_in(now, tried),
        returns=_only_in(tried, now),
    )


def _extra_cost(now: EnvelopeView, tried: EnvelopeView) -> float | None:
    if now.cost_usd is None or tried.cost_usd is None:
        return None
    return tried.cost_usd - now.cost_usd


def _only_in(view: EnvelopeView, other: EnvelopeView) -> tuple[RowKey, ...]:
    """Rows that are sent in one view and nothing of which is in the other, in whatever layer it may stand there."""
    elsewhere = {
        member for layer in other.layers for row in layer.rows if row.counted for member in row.members
    }
    return tuple(
        row.key
        for layer in view.layers
        for row in layer.rows
        if row.counted and elsewhere.isdisjoint(row.members)
    )


DRAFT_ID = "draft"


class LivePreview:
    """Keeps the shown request true to what would be sent."""

    def __init__(self, world: World, states: StateStore, lenses: Lenses | None = None) -> None:
        self._world, self._states, self._lenses = world, states, lenses
        self._desks: dict[str, Desk] = {}
        self._cards: dict[str, ModelCard] = {}
        self._counting: set[str] = set()
        self._fixing = Fixing(world, states, self._ask)

    def refresh(self, chat: str) -> None:
        """Show the next request of an open chat; one that takes long is built beside the loop, the old one stays."""
        state = self._states.state.open.get(chat)
        if state is None:
            return
        desk = self._desk(chat)
        ask = self._ask(state, state.chat.settings)
        prepared = self._prepared(chat, desk.next, state.conversation, ask)
        if prepared is None:
            return
        self._states.emit(EnvelopeBuilt(chat, prepared))
        scene = desk.scene(state)
        view = desk.next.showing.view(prepared, scene)
        attachments = desk.next.showing.attachments(prepared, view, scene)
        fixes = self._fixing.known(state) if view.over_tokens else ()
        self._states.emit(RequestShown(chat, view, attachments, fixes))
        self._fixing.look(chat)
        self._try(chat)
        self._count_soon(chat, prepared)

    def try_out(self, intent: TrySettings) -> None:
        """Show what the next request would be under other settings, from now on or no longer."""
        if intent.chat not in self._states.state.open:
            return
        self._desk(intent.chat).tried = intent.settings
        if intent.settings is None:
            self._states.emit(TrialShown(intent.chat, None))
        self._try(intent.chat)

    def sent(self, event: EnvelopeBuilt) -> None:
        """A request of a turn goes out: show it as the one that is being answered."""
        state = self._states.state.open.get(event.chat)
        if state is None or not event.prepared.built.envelope.fits:
            return
        scene = self._desk(event.chat).scene(state, "in_flight", self._world.utc.utc_now())
        view = Showing(self._world.builder, self._world.prices, self._lenses).view(event.prepared, scene)
        self._states.emit(RequestSent(event.chat, view))

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        self._desks.pop(chat, None)
        self._fixing.forget(chat)

    async def recall(self, chat: str) -> None:
        """Know again what was counted for a chat's model in earlier sessions."""
        kept = await self._world.store.chat(chat)
        card = self._world.builder.catalogue.find(kept.settings.model)
        await recall_counts(self._world.store, self._world.builder.counters, card.tokenizer)

    async def keep_counts(self) -> None:
        """Keep what was counted."""
        await keep_counts(self._world.store, self._world.builder.counters)

    def _desk(self, chat: str) -> Desk:
        if chat not in self._desks:
            self._desks[chat] = Desk(self._world.builder, self._world.prices, self._lenses)
        return self._desks[chat]

    def _ask(self, state: ChatState, settings: ContextSettings) -> Ask:
        # An empty draft is shown as the request around a question that is still to come.
        question = Message(DRAFT_ID, "user", (state.draft,)) if state.draft else None
        card = self._cards.get(settings.model)
        known = card or self._world.builder.catalogue.find(settings.model)
        return Ask(suited(settings, known), question, card=card)

    def _prepared(self, chat: str, easel: Easel, conversation: Conversation, ask: Ask) -> Prepared | None:
        """The request; None while it is being built beside the loop, after which it is shown."""
        if easel.busy:
            return None
        prepared = easel.quickly(conversation, ask)
        if prepared is None:
            easel.busy = True
            work = self._build_beside(chat, easel, conversation, ask)
            self._world.tasks.spawn(f"build the request of {chat}", work)
        return prepared

    async def _build_beside(self, chat: str, easel: Easel, conversation: Conversation, ask: Ask) -> None:
        try:
            easel.deliver(conversation, ask, await prepare_beside(conversation, ask, self._world.builder))
        except WorkbenchError as problem:
            self._states.emit(NoticeGiven(chat, str(problem)))
            return
        finally:
            easel.busy = False
        desk = self._desks.get(chat)
        if desk is not None and easel is desk.trial:
            self._try(chat)
        else:
            self.refresh(chat)

    def _try(self, chat: str) -> None:
        """Build the request under the settings that are tried out, if any are."""
        state, desk = self._states.state.open.get(chat), self._desks.get(chat)
        if state is None or state.view is None or desk is None or desk.tried is None:
            return
        ask = self._ask(state, desk.tried)
        tried = self._prepared(chat, desk.trial, state.conversation, ask)
        if tried is not None:
            view = desk.trial.showing.view(tried, desk.scene(state))
            self._states.emit(TrialShown(chat, trial_of(desk.tried, state.view, view)))

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
        desk, state = self._desks.get(chat), self._states.state.open.get(chat)
        if desk is None or state is None:
            return
        if learnt:
            desk.start_over()
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
        return await learn_counts(prepared, model, self._world.builder) or news
