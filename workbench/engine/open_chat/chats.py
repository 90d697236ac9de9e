"""The chats that are open, each one object, and what all of them share: model cards and token counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.context.text.at_commands import PlannedCall
from workbench.domain.record import Chat
from workbench.domain.tool import ToolOutcome
from workbench.engine.assembly.counters import keep_counts, recall_counts
from workbench.engine.conversation import Conversation
from workbench.engine.events import ChatLoaded, EditShown, EnvelopeBuilt, Event
from workbench.engine.intents import EditInPlace, EditQuestion, PriceStep, TrySettings, TurnIntent
from workbench.engine.open_chat.asking import Asking, Cards
from workbench.engine.open_chat.chat import OpenChat
from workbench.engine.open_chat.edits import Edit, Edited
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.shown.request_view import Lenses
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import World

if TYPE_CHECKING:
    from workbench.engine.completion.sources import Sources
    from workbench.engine.open_chat.looks import CloserLook


class OpenChats:
    """Finds the open chat that something is about, and passes it on; about one that is closed nothing is done.

    What is edited in place is the exception: words that somebody wrote outlive the view, until the chat is deleted.
    """

    def __init__(self, world: World, states: StateStore, lenses: Lenses | None = None) -> None:
        self._world, self._states, self._lenses = world, states, lenses
        self._open: dict[str, OpenChat] = {}
        self._edited: dict[str, Edited] = {}
        self._cards: Cards = {}
        states.subscribe(self._follow)

    def of(self, chat: str) -> OpenChat | None:
        """The chat, where it is open."""
        if chat in self._open or chat not in self._states.state.open:
            return self._open.get(chat)
        asking = Asking(ChatScope(self._world, self._states, chat), self._cards, self._lenses)
        edited = self._edited.setdefault(chat, {})
        made = self._open[chat] = OpenChat(asking, edited, lambda: self._sources)
        if any(edit.plan is None for edit in edited.values()):
            self._world.tasks.spawn(f"read what edits in {chat} stand on", made.edits.read())
        return made

    @cached_property
    def _sources(self) -> Sources:
        from workbench.engine.completion.sources import Sources

        return Sources(self._world, self._states)

    def _follow(self, event: Event, _state: WorkbenchState) -> None:
        chat = event.chat.id if isinstance(event, ChatLoaded) else getattr(event, "chat", None)
        if chat is not None and (opened := self._open.get(chat)) is not None:
            opened.follow(event)

    def refresh(self, chat: str) -> None:
        """Show the next request of a chat."""
        if (opened := self.of(chat)) is not None:
            opened.refresh()

    def close(self, chat: str) -> None:
        """A chat is no longer in view."""
        opened = self._open.pop(chat, None)
        if opened is not None:
            opened.close()
        if not self._edited.get(chat):
            self._edited.pop(chat, None)

    def know_again(self, forget: bool) -> None:
        """Models were asked about themselves, or a person declared something: show every request with that."""
        if forget:
            self._cards.clear()
        for opened in tuple(self._open.values()):
            opened.start_over()

    def cache_moved(self) -> None:
        """A model answered: what its server holds has changed, for other chats too."""
        for opened in self._open.values():
            opened.asking.cache.moved()
        for opened in tuple(self._open.values()):
            opened.refresh()

    def try_out(self, intent: TrySettings) -> None:
        """Show what the next request would be under other settings, from now on or no longer."""
        if (opened := self.of(intent.chat)) is not None:
            opened.try_out(intent)

    async def look(self, intent: CloserLook) -> None:
        """Take a closer look."""
        if (opened := self.of(intent.chat)) is not None:
            await opened.looks.do(intent)

    async def price(self, intent: PriceStep) -> None:
        """Price a step from now on, or none any longer."""
        if (opened := self.of(intent.chat)) is not None:
            await opened.prices.look(intent)

    async def edit(self, intent: EditInPlace) -> None:
        """Show the request that an edit of a question would send, from now on or no longer."""
        chat, question, text = intent.chat, intent.question, intent.text
        if text is None:
            self._drop_edit(chat, question)
        elif (opened := self.of(chat)) is not None:
            await opened.edits.edit(question, text)
        else:
            self._edited.setdefault(chat, {})[question] = Edit(text)

    def asked(self, intent: TurnIntent) -> None:
        """A question was asked: an edit of it is no longer one; should it not be kept, it is given back."""
        if isinstance(intent, EditQuestion) and intent.question in self._edited.get(intent.chat, {}):
            self._drop_edit(intent.chat, intent.question)
        self.refresh(intent.chat)

    def forget_edits(self, chat: str) -> None:
        """The chat was deleted."""
        self._edited.pop(chat, None)

    def sent(self, event: EnvelopeBuilt) -> None:
        """A request of a turn goes out: show it as the one that is being answered."""
        if (opened := self.of(event.chat)) is not None:
            opened.sent(event)

    def taken(self, chat: str, edited: str = "") -> Mapping[PlannedCall, ToolOutcome]:
        """The results of commands for the question that is sent now."""
        opened = self.of(chat)
        return {} if opened is None else opened.asking.commands.taken(edited)

    async def know_counts(self, chat: Chat, conversation: Conversation) -> None:
        """Know again what was counted of a chat for its model in earlier sessions."""
        builder = self._world.builder
        encoding = builder.catalogue.find(chat.settings.model).tokenizer
        await recall_counts(self._world.store, builder.counters, encoding, conversation)

    async def keep_counts(self) -> None:
        """Keep what was counted."""
        await keep_counts(self._world.store, self._world.builder.counters)

    def _drop_edit(self, chat: str, question: str) -> None:
        self._edited.get(chat, {}).pop(question, None)
        self._states.emit(EditShown(chat, question, None))
