"""The next request of every open chat, built again on every change; what was estimated is counted right after."""

from __future__ import annotations

from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.model_card import ModelCard
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.exact_counts import learn_counts
from workbench.engine.known_counts import keep_counts, recall_counts
from workbench.engine.prepare import Ask, Prepared, suited
from workbench.engine.preview import Preview
from workbench.engine.store import StateStore
from workbench.engine.world import World

DRAFT_ID = "draft"


class LivePreview:
    """Keeps the shown request true to what would be sent."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._previews: dict[str, Preview] = {}
        self._cards: dict[str, ModelCard] = {}
        self._counting: set[str] = set()

    def refresh(self, chat: str) -> None:
        """Build the next request of an open chat and show it."""
        prepared = self._build(chat)
        if prepared is None:
            return
        self._states.emit(EnvelopeBuilt(chat, prepared))
        if not prepared.built.envelope.exact and chat not in self._counting:
            self._counting.add(chat)
            self._world.tasks.spawn(f"count the request of {chat}", self._count(chat, prepared))

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        self._previews.pop(chat, None)

    async def recall(self, chat: str) -> None:
        """Know again what was counted for a chat's model in earlier sessions."""
        kept = await self._world.store.chat(chat)
        card = self._world.builder.catalogue.find(kept.settings.model)
        await recall_counts(self._world.store, self._world.builder.counters, card.tokenizer)

    async def keep_counts(self) -> None:
        """Keep what was counted."""
        await keep_counts(self._world.store, self._world.builder.counters)

    def _build(self, chat: str) -> Prepared | None:
        state = self._states.state.open.get(chat)
        if state is None:
            return None
        # An empty draft is shown as the request around a question that is still to come.
        question = Message(DRAFT_ID, "user", (state.draft,)) if state.draft else None
        settings = state.chat.settings
        card = self._cards.get(settings.model)
        known = card or self._world.builder.catalogue.find(settings.model)
        ask = Ask(suited(settings, known), question, card=card)
        preview = self._previews.setdefault(chat, Preview(self._world.builder))
        return preview.prepare(state.conversation, ask)

    async def _count(self, chat: str, prepared: Prepared) -> None:
        """Count what was estimated; typing goes on meanwhile, and what is newest then is shown, and counted too."""
        learnt = False
        try:
            learnt = await self._learn(prepared)
        except WorkbenchError:
            return
        finally:
            self._counting.discard(chat)
        if learnt:
            self._previews.pop(chat, None)
            self.refresh(chat)

    async def _learn(self, prepared: Prepared) -> bool:
        """Ask the model's server what it knows better; whether that was anything."""
        name = prepared.built.inputs.settings.model
        model = self._world.models.open(name)
        known = self._world.builder.catalogue.find(name)
        card = await model.card(known)
        news = card != self._cards.get(name, known)
        self._cards[name] = card
        return await learn_counts(prepared, model, self._world.builder) or news
