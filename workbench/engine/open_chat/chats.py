"""The open chats, one object each."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.errors import WorkbenchError
from workbench.domain.record import split_draft, whole_draft
from workbench.engine import intents
from workbench.engine.assembly.counters import keep_counts
from workbench.engine.chats.drafts import joined
from workbench.engine.events import (
    ChatClosed,
    ChatLoaded,
    ChatShown,
    DraftEdited,
    EditShown,
    Event,
    ProgramShown,
)
from workbench.engine.open_chat.chat import ChatInView
from workbench.engine.open_chat.edits import Edit, Edited
from workbench.engine.open_chat.scope import ChatScope, Shared
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.tuning_intents import AboutPriorities
from workbench.engine.world import World

if TYPE_CHECKING:
    from workbench.engine.completion import Sources
    from workbench.engine.open_chat.looks import CloserLook


_MOST_FACTS = 8
"""Of so many chats: to another one and back to 100 messages takes 390 ms of processor with them, 460 without."""


class OpenChats:
    """Routes intents and events to the open chat they are about; closed ones show nothing."""

    def __init__(self, world: World, states: StateStore, shared: Shared) -> None:
        self._world, self._states, self._shared = world, states, shared
        self._open: dict[str, ChatInView] = {}
        # Words that somebody wrote outlive the view, until they are asked or the chat is deleted.
        self._edited: dict[str, Edited] = {}
        # Facts of answers, of the chats that were closed last: to find them again, each answer's whole request is read.
        self._facts: dict[str, Mapping[str, AnswerFacts]] = {}
        states.subscribe(self._follow)

    async def do(self, intent: intents.ChatsIntent) -> None:
        match intent:
            case intents.ListChats():
                self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))
                if await self._world.store.changed_elsewhere():
                    await self.read_again()
            case intents.StartChat(chat):
                await self._begin(chat, self._shared.new.begin(intent))
            case intents.OpenChat(chat):
                await self._begin(chat)
            case intents.CloseChat(chat):
                state = self._states.state.open.get(chat)
                known = (
                    {} if state is None else {key: one for key, one in state.facts.items() if not one.problem}
                )
                if known:
                    self._facts = dict([*self._facts.items(), (chat, known)][-_MOST_FACTS:])
                self._drop(chat)
                self._states.emit(ChatClosed(chat))
                # Now and then, so that they do not pile up until the end; without them they are counted again.
                with suppress(WorkbenchError):
                    await self.keep_counts()
            case _:
                assert_never(intent)

    async def look_elsewhere(self) -> None:
        """List and show what another process wrote; no effect if none did."""
        if await self._world.store.changed_elsewhere():
            self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))
            await self.read_again()

    async def read_again(self) -> None:
        """Reload what another process or an import wrote; a chat with a running turn is reloaded at its end."""
        for chat, opened in tuple(self._open.items()):
            state = self._states.state.open.get(chat)
            if state is not None and state.running is None:
                await opened.reload()

    def of(self, chat: str) -> ChatInView | None:
        return self._open.get(chat)

    def at(self, chat: str) -> ChatInView:
        """The open chat; if it is not open, a temporary one that shows nothing."""
        return self._open.get(chat) or self._made(chat, {})

    def refresh(self, chat: str) -> None:
        if (opened := self.of(chat)) is not None:
            opened.refresh()

    async def reload(self, chat: str) -> None:
        if (opened := self.of(chat)) is not None:
            await opened.reload()

    def models_changed(self, forget: bool) -> None:
        """Model data changed: rebuild every request."""
        if forget:
            self._shared.cards.clear()
        for opened in tuple(self._open.values()):
            opened.start_over()

    async def answered(self, chat: str, *, learnt: bool) -> None:
        """A turn ended: the server's cache has changed, and counts may have; reload the chat and refresh the others.

        The chat itself is read again.
        """
        for opened in self._open.values():
            opened.asking.cache.moved()
            if learnt:
                opened.asking.requests.start_over()
        await self.reload(chat)
        for key, opened in tuple(self._open.items()):
            if key != chat:
                opened.refresh()

    def write(self, intent: intents.EditDraft) -> None:
        """Change the draft; if words were given back since it was typed, they stay in front."""
        chat, text, opened = intent.chat, intent.text, self.of(intent.chat)
        state = self._states.state.open.get(chat)
        number = 0 if state is None else state.draft_number
        if opened is not None and intent.seen is not None and intent.seen < number:
            self.give_back(chat, joined(opened.returned, whole_draft(text, intent.prefill or "")))
            return
        begun = intent.prefill
        if begun is None:
            begun = "" if state is None else state.prefill
        self._states.emit(DraftEdited(chat, text, prefill=begun))
        self._shared.drafts.note(chat, whole_draft(text, begun))
        if opened is not None:
            opened.refresh()
            opened.mentions.written(text)

    def give_back(self, chat: str, draft: str, returned: str | None = None) -> None:
        """Set the draft by the engine; `returned` are words that had been sent."""
        opened, state = self.of(chat), self._states.state.open.get(chat)
        if opened is not None and returned is not None:
            opened.returned = returned
        words, begun = split_draft(draft)
        begun = begun or ("" if state is None else state.prefill)
        self._states.emit(DraftEdited(chat, words, given_back=True, prefill=begun))
        self._shared.drafts.note(chat, whole_draft(words, begun))
        self.refresh(chat)

    def sent_words(self, chat: str, words: str) -> None:
        """These words were sent: clear the draft if it still is these words."""
        state = self._states.state.open.get(chat)
        if state is not None and state.draft == words:
            self.give_back(chat, "")

    def add_words(self, chat: str, words: str) -> None:
        """Append words to the draft; no effect if the chat is closed."""
        state = self._states.state.open.get(chat)
        if state is not None:
            self.give_back(chat, joined(state.draft, words))

    async def look(
        self, intent: CloserLook | intents.TrySettings | intents.PriceStep | AboutPriorities
    ) -> None:
        opened = self.of(intent.chat)
        if opened is None:
            return
        match intent:
            case intents.TrySettings():
                opened.try_out(intent)
            case intents.PriceStep():
                await opened.prices.look(intent)
            case _ if isinstance(intent, AboutPriorities):
                opened.relevance.do(intent)
            case _:
                await opened.looks.do(intent)

    async def edit(self, intent: intents.EditInPlace) -> None:
        """Start, change or end the in-place edit of a message."""
        chat, question, text = intent.chat, intent.question, intent.text
        opened = self.of(chat)
        if text is None:
            self._drop_edit(chat, question)
        elif opened is not None:
            await opened.edits.edit(question, text)
        else:
            self._edited.setdefault(chat, {})[question] = Edit(text)
        if opened is not None and opened.edits.answer(question) is None:
            opened.mentions.edited(question, text)

    def edit_again(self, edit: intents.EditQuestion) -> None:
        """Reopen an edit that could not be asked, with its words."""
        again = intents.EditInPlace(edit.chat, edit.question, edit.text)
        self._world.tasks.spawn(f"edit again in {edit.chat}", self.edit(again))

    def asked(self, intent: intents.TurnIntent) -> None:
        """Closes the edit of a question that was asked; it is reopened if the question cannot be stored."""
        if isinstance(intent, intents.EditQuestion) and intent.question in self._edited.get(intent.chat, {}):
            self._drop_edit(intent.chat, intent.question)
        if (opened := self.of(intent.chat)) is not None:
            opened.scope.spawn(f"the request after {intent.chat}'s question", opened.refresh_soon())

    def forget(self, chat: str) -> None:
        """Keep nothing of a chat that was deleted."""
        self._edited.pop(chat, None)
        self._facts.pop(chat, None)

    async def before_sending(self, intent: intents.TurnIntent) -> bool:
        """Attach files that a question names and refresh changed ones; return whether there were any."""
        opened = self.at(intent.chat)
        if isinstance(intent, intents.EditQuestion):
            await opened.mentions.before_sending(intent.text, intent.question)
        elif isinstance(intent, intents.SendMessage) and intent.commands and not intent.side:
            await opened.mentions.before_sending(intent.text)
        return await opened.disk.before_sending()

    async def keep_counts(self) -> None:
        await keep_counts(self._world.store, self._world.builder.counters)

    @cached_property
    def _sources(self) -> Sources:
        from workbench.engine.completion import Sources

        return Sources(self._world, self._states)

    def _made(self, chat: str, edited: Edited) -> ChatInView:
        return ChatInView(
            ChatScope(self._world, self._states, chat), self._shared, edited, lambda: self._sources
        )

    async def _begin(self, chat: str, start: Awaitable[None] | None = None) -> None:
        if chat not in self._open:
            self._open[chat] = self._made(chat, self._edited.setdefault(chat, {}))
        opened = self._open[chat]
        try:
            if start is not None:
                await start
            await opened.load()
        except BaseException:
            if opened.scope.state is None and self._open.get(chat) is opened:
                self._drop(chat)
            raise

    def _drop(self, chat: str) -> None:
        if (opened := self._open.pop(chat, None)) is not None:
            opened.close()
            self._world.builder.counters.let_go()
        if not self._edited.get(chat):
            self._edited.pop(chat, None)

    def _follow(self, event: Event, _state: WorkbenchState) -> None:
        chat = event.chat.id if isinstance(event, ChatLoaded) else getattr(event, "chat", None)
        if chat is not None and (opened := self._open.get(chat)) is not None:
            opened.follow(event)
            if isinstance(event, ChatLoaded) and (facts := self._facts.pop(chat, None)):
                self._states.emit(ChatShown(chat, {"facts": facts}))

    def _drop_edit(self, chat: str, question: str) -> None:
        self._edited.get(chat, {}).pop(question, None)
        self._states.emit(EditShown(chat, question, None))
