"""One open chat, from opening to closing: its requests are rebuilt and shown on every change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.context.text.at_commands import mentions
from workbench.domain.change import Built
from workbench.domain.errors import WorkbenchError
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.record import Chat
from workbench.domain.shown.completion_view import CompletionView
from workbench.domain.translation import tr
from workbench.domain.workspace import is_template
from workbench.engine.answers.side import kept_sides, with_side
from workbench.engine.assembly.counters import known_counts
from workbench.engine.chats.attaching import Told
from workbench.engine.chats.mentioned import Mentioned, attach_mentioned, keep_mentioned, read_mentioned
from workbench.engine.conversation import Conversation, after_turn, shelved
from workbench.engine.events import (
    ChatLoaded,
    ChatShown,
    DraftEdited,
    EnvelopeBuilt,
    Event,
    NoticeGiven,
    TurnAsked,
)
from workbench.engine.intents import ChangeSettings, ChatChange, OpenTurn, TrySettings
from workbench.engine.open_chat.disk_watch import DiskWatch
from workbench.engine.open_chat.edits import Edited, Edits
from workbench.engine.open_chat.fixes import Fixing
from workbench.engine.open_chat.folders import Folders
from workbench.engine.open_chat.prices import StepPrices, trial_of
from workbench.engine.open_chat.relevance import RelevanceAhead
from workbench.engine.open_chat.requests import ChatRequests
from workbench.engine.open_chat.scope import ChatScope, Shared
from workbench.engine.shown.request_view import RequestViewer
from workbench.engine.shown.turn_rows import list_turns
from workbench.engine.state import ChatState
from workbench.engine.stored_conversation import Branch, branch_in_view, shared_files
from workbench.engine.tasks import Latest
from workbench.engine.tuning_intents import TuneAttached, TuneMessages, TuneSummaries
from workbench.engine.warming import with_refresh
from workbench.ports.history import HistoryStore
from workbench.ports.tracing import BUILD, VIEW_VALUES

if TYPE_CHECKING:
    from workbench.engine.completion import Sources
    from workbench.engine.open_chat.looks import CloserLooks


# Files that a question names (`@notes.md`, `@spec.pdf#p3-5`): attached while it is written, at the latest when sent.
#
# A name is followed once: who detaches what it brought does not have it brought again by the same words.


SETTLE_S = 0.6
"""Delay after the last change of the names: the longer one that a name grows into may be another file."""

ROW_PAINTED_S, PAINTED_S = 0.1, 0.3
"""After so long a question that was sent is painted, and a chat that was opened."""

Names = tuple[str, ...]


@dataclass(slots=True)
class _Text:
    """A text being written: the @names in it that are attached already, and those that will be."""

    settles: Latest[Names]
    followed: set[str] = field(default_factory=set)
    wanted: Names = ()


class Mentions:
    """Attaches the files and chats that are named with @ in the draft and in edited questions."""

    def __init__(self, scope: ChatScope, shared: Shared) -> None:
        self._scope, self._world, self._shared = scope, scope.world, shared
        self._texts: dict[str, _Text] = {}  # by question; the draft has none
        self._memo = Memo()

    def opened(self, draft: str) -> None:
        """The chat is shown with a draft from before: its names brought what they did when they were written.

        They are words from now on: opening a chat, perhaps of somebody else, must attach nothing.
        """
        if "" not in self._texts:
            self._text("").followed.update(self._names_in("", draft))

    def written(self, draft: str) -> None:
        """The draft changed: attach what it names after a pause in typing."""
        self._update_names("", draft)

    def edited(self, question: str, text: str | None) -> None:
        """A question is edited in place: attach what is newly named in it; None ends the edit."""
        if text is None:
            self._discard_text(question)
        elif question not in self._texts:
            self._text(question).followed.update(self._names_in(question, text))
        else:
            self._update_names(question, text)

    async def before_sending(self, text: str, question: str = "") -> None:
        """Attach what a question names and is not attached yet; the caller holds the chat's lock."""
        followed = self._discard_text(question)
        names = [name for name in self._names_in(question, text) if name not in followed]
        if names:
            await self._report(await attach_mentioned(self._scope.chat, names, self._world))

    def follow(self, offered: CompletionView | None) -> None:
        """When no completions are offered any more, treat the typed name as complete."""
        state = self._scope.state
        if state is not None and (offered is None or not offered.offers):
            self.written(state.draft)

    def _text(self, question: str) -> _Text:
        async def bring(names: Names) -> None:
            await self._attach_names(question, names)

        if question not in self._texts:
            self._texts[question] = _Text(Latest(self._scope, bring, lambda: SETTLE_S))
        return self._texts[question]

    def _discard_text(self, question: str) -> set[str]:
        """Forget a text that is no longer edited; return the names in it that were attached."""
        text = self._texts.pop(question, None)
        if text is None:
            return set()
        text.settles.cancel()
        return text.followed

    def _update_names(self, question: str, text: str) -> None:
        names = self._names_in(question, text)
        # What is written no more may be meant when it is written again.
        self._text(question).followed.intersection_update(names)
        self._schedule(question, self._names_in(question, text, self._typed_at(question)) if names else ())

    def _schedule(self, question: str, names: Names) -> None:
        text = self._text(question)
        if text.followed.issuperset(names):
            text.settles.cancel()
            return
        if names != text.wanted:
            text.wanted = names  # else the same object: other letters do not hold up a name
        text.settles.call(f"names in what is written in {self._scope.chat}", text.wanted)

    def _names_in(self, question: str, text: str, typed_at: int | None = None) -> Names:
        if "@" not in text:
            return ()
        found = self._memo.cached(f"names {question}", (text,), lambda: mentions(text))
        return tuple(one.name for one in found if one.start != typed_at)

    async def _attach_names(self, question: str, names: Names) -> None:
        text = self._texts.get(question)
        if text is None:
            return
        if names != (now := self._names_now(question)):
            self._schedule(question, now)  # a name is completed by now, or typed on
            return
        chat, fresh = self._scope.chat, [name for name in names if name not in text.followed]
        await self._shared.new.write_down(chat)
        # Read before it is this change's turn: others of the chat do not wait for a document.
        read = await read_mentioned(chat, fresh, self._world)
        await self._scope.finish(
            f"attach what is named in {chat}", self._store_attached(question, text, fresh, read)
        )

    async def _store_attached(
        self, question: str, text: _Text, fresh: Sequence[str], read: Mentioned
    ) -> None:
        chat = self._scope.chat
        async with self._shared.orders.of(chat):
            # Sent meanwhile, the question has taken what it names along; closed, nobody wants it.
            if self._texts.get(question) is text and not self._scope.closed:
                text.followed.update(fresh)
                await self._report(await keep_mentioned(chat, read, self._world))

    def _names_now(self, question: str) -> Names:
        state = self._scope.state
        if state is None or (question and question not in state.edits):
            return ()
        text = state.edits[question].text if question else state.draft
        return self._names_in(question, text, self._typed_at(question))

    def _typed_at(self, question: str) -> int | None:
        """Position of a name that is still being typed and has completions; it may become another name."""
        state = self._scope.state
        view = None if state is None or question else state.completion
        return view.begun.start if view is not None and view.offers else None

    async def _report(self, told: Told) -> None:
        if told.text:
            self._scope.emit(NoticeGiven(self._scope.chat, told.text, told.left_out))
        if told.changed:
            await self._scope.reload()


class Loading:
    """Loads one chat from the store and shows it, unless it was closed meanwhile.

    Attributes:
        reading: how often it was begun to be read.
    """

    def __init__(self, scope: ChatScope, shared: Shared, mentions: Mentions) -> None:
        self._scope, self._world, self._shared, self._mentions = scope, scope.world, shared, mentions
        self._reading = asyncio.Lock()
        self.reading = 0
        self._shown = 0

    async def load(self) -> bool:
        """Read and show the chat; return whether it is stored and now shown."""
        number = self.reading = self.reading + 1
        # One after the other: what was read first must not be shown last.
        async with self._reading:
            if (new := self._shared.new.held(self._scope.chat)) is not None:
                await self._show_new(new)
                return False
            kept = await self._show_kept()
            self._shown = number
            return kept

    def change(self, intent: ChatChange) -> int | None:
        """Show a change that needs no reload; return the reading it was applied to, None if a reload is needed."""
        state = self._scope.state
        after = None if state is None or self._shown != self.reading else _changed_state(intent, state)
        if state is None or after is None:
            return None
        # A new conversation as after a reading: whatever was found for the old one is looked for again.
        conversation = replace(after.conversation)
        self._scope.emit(ChatLoaded(after.chat, conversation, state.records, state.draft, state.pictures))
        return self.reading

    async def _show_kept(self) -> bool:
        scope, store, chat = self._scope, self._world.store, self._scope.chat
        await self._world.workspaces.ready()
        (kept, path, conversation, sides), listed = await store.at_once(self._read, chat)
        conversation = await with_refresh(await with_side(conversation, self._world, sides), self._world)
        sides = await kept_sides(chat, self._world, sides)
        pictures = await self._world.pictures.fill(conversation, store)
        # Last of all: words may be given back while the rest is read.
        draft = await self._shared.drafts.newest(chat)
        if scope.closed:
            return False
        self._mentions.opened(draft)
        scope.emit(ChatLoaded(kept, conversation, path, draft, pictures.shown()))
        scope.emit(listed)
        if scope.state is not None and scope.state.sides != sides:
            scope.emit(ChatShown(chat, {"sides": sides}))
        return True

    async def _show_new(self, chat: Chat) -> None:
        """Show a chat that is not stored yet and holds only what its workspace gives it."""
        draft = await self._shared.drafts.newest(chat.id)
        await self._world.workspaces.ready()
        files = await shared_files(self._world.store, chat.id, chat.filed.workspace)
        conversation = shelved(Conversation(chat.id, attached=files), files)
        self._scope.emit(ChatLoaded(chat, conversation, (), draft))

    async def _read(self, store: HistoryStore, chat: str) -> tuple[Branch, ChatShown]:
        """The branch in view, and its turns."""
        state = self._scope.state
        branch = await branch_in_view(store, chat)
        return branch, await list_turns(store, chat, branch[1], () if state is None else state.turns)

    async def learn_counts(self) -> None:
        """Learn the counts that earlier sessions made of the texts that are shown, for the chat's model."""
        state = self._scope.state
        if state is None:
            return
        encoding = self._world.builder.catalogue.find(state.chat.settings.model).tokenizer
        counts = await known_counts(self._world.store, encoding, state.conversation, state.draft)
        self._world.builder.counters.learn(encoding, counts)


def _changed_state(intent: ChatChange, state: ChatState) -> ChatState | None:
    """The state after a change that affects nothing else; None if it does, or may."""
    chat, conversation = state.chat, state.conversation
    match intent:
        case ChangeSettings():
            settings = intent.of(chat.settings)
            if settings.freshness != chat.settings.freshness:
                return None  # what the library holds follows from that
            return replace(state, chat=replace(chat, settings=settings))
        case TuneMessages() | TuneSummaries():
            tuned = replace(conversation, tuning=intent.of(conversation.tuning))
            return replace(state, conversation=tuned)
        case TuneAttached() if not is_template(chat.id):
            if conversation.previous is None and conversation.library:
                return None  # before anything was asked, the library holds what is attached
            tuned = replace(conversation, attached=intent.of(conversation.attached))
            return replace(state, conversation=tuned)
        case _:
            return None


TRIAL = tr("what if")


class ChatInView:
    """Everything that belongs to one chat in view.

    Attributes:
        scope: its state, events and tasks. asking: builds its requests.
        edits: questions that are edited in place. prices: of the step that is looked at.
        mentions: files that are named. relevance: of what is attached. disk, folders: what is watched.
        returned: words that were given back to the draft last.
    """

    def __init__(
        self, scope: ChatScope, shared: Shared, edited: Edited, sources: Callable[[], Sources]
    ) -> None:
        self.scope, self._world, self._shared, self._sources = scope, scope.world, shared, sources
        self.asking = ChatRequests(scope, shared.cards, shared.lenses)
        self.asking.warmth.cooling = shared.cooling
        self.edits = Edits(self.asking, edited)
        self._fixing = Fixing(self.asking)
        self.prices = StepPrices(self.asking)
        self.mentions = Mentions(scope, shared)
        self.relevance = RelevanceAhead(scope)
        self.disk = DiskWatch(scope, shared.orders)
        self.folders = Folders(scope, shared)
        self._loading = Loading(scope, shared, self.mentions)
        self.returned = ""
        self._queue_read = self._counts_known = False
        self._newest_watched = 0
        self._answering: Built | None = None
        self._memo = Memo()
        scope.refresh, scope.reload = self.refresh, self.reload

    @cached_property
    def looks(self) -> CloserLooks:
        """Handlers of closer looks; imported on first use to keep single questions fast."""
        from workbench.engine.open_chat.looks import CloserLooks

        return CloserLooks(self.scope, self._sources())

    async def load(self) -> None:
        first, looked_at = self.scope.state is None, self._opened_turn
        kept = await self._loading.load()
        if self._is_watched:
            await self._follow_watched()
            return
        try:
            if kept:
                await self._read_queue()
            if kept and first:
                steps = await self._world.store.steps(self.scope.chat)
                self.scope.emit(ChatShown(self.scope.chat, {"steps": steps}))
                with suppress(WorkbenchError):  # they are counted again
                    await self._loading.learn_counts()
        finally:  # whatever could not be read, the chat has a next request
            self._counts_known |= first
        if first:
            self.edits.read_soon()
        self.refresh()
        if first:
            self.scope.spawn("load the tokenizer", self._load_tokenizer())
        if looked_at is not None and self._opened_turn != looked_at:
            await self._reopen_turn(looked_at[0])
        if kept:
            self.disk.watch()
            self.folders.watch()

    async def _load_tokenizer(self) -> None:
        """Load it once the chat is painted: the next letter is counted by it, and it takes a third of a second."""
        state = self.scope.state
        if state is not None:
            await asyncio.sleep(PAINTED_S)
            builder = self._world.builder
            card = builder.catalogue.find(state.chat.settings.model)
            await asyncio.to_thread(builder.counters.load_tokenizer, card)

    @property
    def _opened_turn(self) -> tuple[int, str | None] | None:
        """Number of the turn that is opened, and the id of its answer on the branch in view."""
        state = self.scope.state
        if state is None or state.opened is None:
            return None
        number = state.opened.turn
        return number, next((row.reply for row in state.turns if row.number == number), None)

    async def _reopen_turn(self, number: int) -> None:
        """Another branch is in view: open its turn of that number, or show the next request if it has none."""
        state = self.scope.state
        there = state is not None and any(row.number == number for row in state.turns)
        await self.looks.do(OpenTurn(self.scope.chat, number if there else None))

    @property
    def _is_watched(self) -> bool:
        state = self.scope.state
        return state is not None and state.chat.filed.watched is not None

    async def _follow_watched(self) -> None:
        """Show the newest request of another program, unless an older one is opened."""
        state = self.scope.state
        if state is None or not state.turns:
            return
        newest, looked_at = state.turns[-1].number, state.opened
        if looked_at is None or looked_at.turn >= self._newest_watched:
            self._newest_watched = newest
            await self.looks.do(OpenTurn(self.scope.chat, newest))

    async def _read_queue(self) -> None:
        if self._queue_read:
            self._shared.queue.tell(self.scope.chat)
            return
        await self._shared.queue.load(self.scope.chat)
        self._queue_read = True

    async def reload(self) -> None:
        if self.scope.state is not None:
            await self.load()

    def change(self, intent: ChatChange) -> int | None:
        """Show a change before it is stored, if it needs no reload; pass the result to `changed`."""
        reading = self._loading.change(intent)
        if reading is not None:
            self.refresh()
        return reading

    async def changed(self, reading: int | None) -> None:
        """A change was stored: reload the chat, unless it is shown already and was not read since."""
        if reading != self._loading.reading:
            await self.reload()

    def follow(self, event: Event) -> None:
        match event:
            case ChatLoaded():
                self.relevance.look()
                self.relevance.show()
            case DraftEdited():
                self.relevance.look()
            case TurnAsked():
                self.relevance.asked()
            case ChatShown(_, {"completion": offered}):
                self.mentions.follow(offered)
            case _:
                pass
        if "looks" in vars(self):
            self.looks.follow(event)

    async def refresh_soon(self) -> None:
        """Show the next request once the question that was asked is painted among the messages."""
        await asyncio.sleep(ROW_PAINTED_S)
        self.refresh()

    def refresh(self) -> None:
        """Show the next request; a slow one is built in a thread while the old one stays."""
        state, asking = self._next_state(), self.asking
        if state is None or self._is_watched or not self._counts_known:
            return  # what another program sends next, nobody here knows; without counts all is counted again
        requests, trace = asking.requests, self._world.trace
        with nullcontext() if trace is None else trace.span(BUILD):
            asked = asking.asked(state, state.chat.settings)
            prepared = asking.prepared(requests.next, state.conversation, asked.ask, self.refresh)
            if prepared is None:
                return
            prepared = asking.cache.foretold(prepared)
        asking.warmth.watch(asked.warm)
        scene = replace(
            requests.scene(state),
            warm_until_utc=asked.warm.until_utc,
            asked_utc=asked.warm.asked_utc,
            values=asked.values,
        )
        with nullcontext() if trace is None else trace.span(VIEW_VALUES):
            view, attachments = requests.next.viewer.view_with_attachments(prepared, scene)
        over = view.over_tokens
        fixes = self._fixing.known(state) if over else ()
        shown = ChatShown(
            asking.chat, {"prepared": prepared, "view": view, "attachments": attachments, "fixes": fixes}
        )
        self.scope.emit(shown)
        if over:
            self._fixing.look()
        if requests.tried is not None:
            self._build_trial()
        if self.edits.edited:
            self.edits.show()
        asking.count_soon(prepared)
        if self.prices.wanted is not None:
            self.prices.again()

    def _next_state(self) -> ChatState | None:
        """The chat as the next question will find it: during a turn, the state after that turn without its answer."""
        state, built = self.scope.state, self._answering
        if state is None or state.running is None or built is None or built.inputs.question is None:
            return state
        now = state.conversation
        if built.inputs.turn != now.turn + 1 or now.last == built.inputs.question.id:
            return state  # another answer to an old question, or what is read again already
        key = (ByIdentity(now), ByIdentity(built))
        after = self._memo.cached(
            "after the answer", key, lambda: after_turn(now, built, built.inputs.rounds)
        )
        return replace(state, conversation=after)

    def start_over(self) -> None:
        """Rebuild everything: counts or model data have changed."""
        self.asking.requests.start_over()
        self.refresh()

    def try_out(self, intent: TrySettings) -> None:
        """Show the next request under other settings, or end that."""
        wanted = intent.settings is not None or intent.workspace is not None
        self.asking.requests.tried = intent if wanted else None
        if not wanted:
            self.scope.emit(ChatShown(intent.chat, {"trial": None}))
        self._build_trial()

    def sent(self, event: EnvelopeBuilt) -> None:
        """A request of a turn is sent: show it as the one being answered."""
        state, asking = self.scope.state, self.asking
        if state is None or not event.prepared.built.envelope.fits:
            return
        self._answering = event.prepared.built
        scene = asking.requests.scene(state, "in_flight", self._world.utc.utc_now())
        viewer = RequestViewer(self._world.builder, self._world.prices, asking.lenses)
        self.scope.emit(ChatShown(event.chat, {"in_flight": viewer.view(event.prepared, scene)}))

    def close(self) -> None:
        self.scope.close()
        self._world.builder.recall.forget(self.scope.chat)
        self._world.pictures.forget(self.scope.chat)

    def _build_trial(self) -> None:
        """Build the request under the settings on trial, if there are any."""
        state, asking = self._next_state(), self.asking
        requests = asking.requests
        if state is None or state.view is None or requests.tried is None:
            return
        settings = requests.tried.settings or state.chat.settings
        ask = asking.ask(state, settings, requests.tried.workspace)
        tried = asking.prepared(requests.trial, state.conversation, ask, self._build_trial)
        if tried is not None:
            # Asked of the same server as the request it is compared with.
            tried = asking.cache.foretold(tried, TRIAL)
            view = requests.trial.viewer.view(tried, requests.scene(state))
            self.scope.emit(ChatShown(asking.chat, {"trial": trial_of(settings, state.view, view)}))
