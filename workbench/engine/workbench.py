"""The engine's front door: intents go in, events come out, and there is one state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, nullcontext, suppress

from workbench.domain.errors import WorkbenchError
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import ChatArchive
from workbench.engine.attaching_intents import ChooseParts, StopAttaching
from workbench.engine.chats.changes import title_chat
from workbench.engine.chats.drafts import Drafts, joined
from workbench.engine.chats.new_chats import NewChats
from workbench.engine.chats.queue import Queue
from workbench.engine.chats.watched_attaching import WatchedAttaching
from workbench.engine.errand_events import ModelReadied, ModelsListed, PreferencesChanged
from workbench.engine.errand_intents import Errand
from workbench.engine.errands.errands import Errands
from workbench.engine.events import (
    ChatNamed,
    DraftEdited,
    Event,
    LookedAhead,
    NoticeGiven,
    QueueChanged,
    ToolsCounted,
)
from workbench.engine.folder_intents import FolderIntent
from workbench.engine.in_view.chats import Beside, ChatsInView
from workbench.engine.intents import (
    AcceptRebuild,
    AnswerToolRequest,
    ChatChange,
    CloseChat,
    ContinueAnswer,
    DeleteChat,
    EditDraft,
    EditInPlace,
    EditQuestion,
    Intent,
    ListChats,
    Look,
    LookAhead,
    OpenChat,
    PriceStep,
    QueueIntent,
    RegenerateAnswer,
    SendMessage,
    StartChat,
    StopTurn,
    TrySettings,
    TurnIntent,
)
from workbench.engine.learning import Learning
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.priorities.relevance import RelevanceAhead
from workbench.engine.shown.disk_watch import DiskWatch, Following
from workbench.engine.shown.folders import Folders
from workbench.engine.shown.inspection import tool_tokens
from workbench.engine.shown.mentions_ahead import Around as AroundMentions
from workbench.engine.shown.mentions_ahead import MentionsAhead
from workbench.engine.shown.on_demand import live_lenses
from workbench.engine.state import WorkbenchState
from workbench.engine.store import Listener, StateStore
from workbench.engine.tuning_intents import AboutPriorities, CountTools, TuneAttached
from workbench.engine.turn.plan import TurnPlan
from workbench.engine.turn.rebuilding import propose_rebuild
from workbench.engine.turn.running import Around, RunningTurns, TurnRunning, WorkbenchClosed
from workbench.engine.workspace_intents import WorkspaceIntent
from workbench.engine.workspaces.changing import ChangingWorkspaces
from workbench.engine.world import ChatLocks, World

__all__ = ["TurnRunning", "Workbench", "WorkbenchClosed"]

FLUSH_S = 1.5
MODELS_S = 2.0


class Workbench:
    """Runs chats: several may answer at once, each one question at a time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._states = StateStore(world.tasks.report, world.trace)
        self._open = OpenChats(world, self._states, live_lenses(world, self._states))
        self._relevance = RelevanceAhead(world, self._states)
        self._orders = ChatLocks()
        self._disk = DiskWatch(
            world, self._states, Following(self._orders, self._show_again, self._open.refresh)
        )
        # A chat that was begun is kept now: it is one of those there are.
        self._new = NewChats(world, lambda: world.tasks.spawn("list", self._chats.do(ListChats())))
        self._drafts = Drafts(world.store, world.tasks, self._new)
        self._queue = Queue(world, self._states, self._drafts, self.dispatch)
        self._mentions = MentionsAhead(
            world, self._states, AroundMentions(self._orders, self._new.write_down, self._show_again)
        )
        self._workspaces = ChangingWorkspaces(
            world, self._states, self._show_again, self._write, self._new.write_down
        )
        around = Around(
            self._began,
            self._after,
            self._open.sent,
            self._edit_again,
            self._give_back,
            self._open.taken,
            self._before_sending,
            self._workspaces.keep_soon,
        )
        self._turns = RunningTurns(world, self._states, self._drafts, around)
        self._learning = Learning(world, self._states, lambda: self._open.know_again(forget=False))
        self._errands = Errands(world, self._states)
        self._folders = Folders(world, self._states, self.dispatch, self._new.write_down)
        beside = Beside(
            self._new,
            self._drafts,
            self._queue,
            self._open,
            self._disk,
            self._mentions,
            self._folders,
            self._learning,
        )
        self._chats = ChatsInView(world, self._states, beside)
        self._attaching = WatchedAttaching(world, self._states)
        self._states.subscribe(self._count_again)
        self._closing = False

    @property
    def state(self) -> WorkbenchState:
        """Everything there is to show."""
        return self._states.state

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Be told of every event from now on; what is returned ends that."""
        return self._states.subscribe(listener)

    async def begin(self) -> None:
        """Say what there is when the program starts: chats, presets, for which servers there are keys, preferences."""
        await self._errands.begin()
        await self._workspaces.begin()

    async def adopt(self, archive: ChatArchive) -> str:
        """Take over a chat that the program itself brings, such as its sample; the id it is kept under."""
        return await self._errands.adopt(archive)

    async def dispatch(self, *intents: Intent) -> None:
        """Do what is wanted, one after the other; what changes a chat waits for the changes before it.

        A turn is begun here and goes on by itself. `WorkbenchError` says what cannot be done.
        """
        if self._closing:
            raise WorkbenchClosed
        asked: list[TurnIntent] = []
        try:
            for intent in intents:
                if isinstance(intent, TurnIntent):
                    self._turns.ask(intent)
                    asked.append(intent)
                    self._open.asked(intent)
            about = next((one.chat for one in intents if isinstance(one, ChatChange | TurnIntent)), None)
            async with nullcontext() if about is None else self._orders.of(about):
                for intent in intents:
                    await self._do(intent)
        except BaseException:
            # Whatever kept a turn from beginning, it must not stay asked for: then the chat would wait for ever.
            for turn in asked:
                self._turns.withdraw(turn)
            raise

    async def _do(self, intent: Intent) -> None:
        match intent:
            case SendMessage() | RegenerateAnswer() | EditQuestion() | ContinueAnswer() | AcceptRebuild():
                await self._new.write_down(intent.chat)
                await self._turns.begin(intent)
            case StopTurn() | StopAttaching() | AnswerToolRequest():
                self._meanwhile(intent)
            case EditDraft():
                self._edit_draft(intent)
            case _ if isinstance(intent, QueueIntent):
                await self._queue.do(intent)
            case ListChats() | StartChat() | OpenChat() | CloseChat():
                await self._chats.do(intent)
            case _ if isinstance(intent, Look):
                await self._look(intent)
            case _ if isinstance(intent, Errand):
                await self._errands.do(intent)
            case _ if isinstance(intent, FolderIntent):
                await self._folders.do(intent)
            case _ if isinstance(intent, WorkspaceIntent):
                await self._workspaces.do(intent)
            case _:
                await self._change(intent)

    def _edit_draft(self, intent: EditDraft) -> None:
        """What is written; typed over a draft from before words were given back, it stands behind those."""
        opened = self.state.open.get(intent.chat)
        if opened is not None and intent.seen is not None and intent.seen < opened.draft_number:
            self._give_back(intent.chat, joined(self._drafts.returned(intent.chat), intent.text))
            return
        self._states.emit(DraftEdited(intent.chat, intent.text))
        self._drafts.note(intent.chat, intent.text)
        self._open.refresh(intent.chat)
        self._mentions.written(intent.chat, intent.text)

    def _give_back(self, chat: str, draft: str) -> None:
        """Words are the draft again, not by who writes it."""
        self._states.emit(DraftEdited(chat, draft, given_back=True))
        self._drafts.note(chat, draft)
        self._open.refresh(chat)

    def _meanwhile(self, intent: StopTurn | StopAttaching | AnswerToolRequest) -> None:
        match intent:
            case StopTurn(chat):
                self.stop(chat)
            case StopAttaching(chat):
                self._attaching.stop(chat)
            case AnswerToolRequest():
                self.decide(intent)

    def _write(self, chat: str, words: str) -> None:
        """Words come from elsewhere and are the end of what is written; nobody waits for them in a closed chat."""
        opened = self.state.open.get(chat)
        if opened is not None:
            self._give_back(chat, joined(opened.draft, words))

    def stop(self, chat: str) -> None:
        """End the answer that is arriving in a chat, if one is."""
        self._turns.stop(chat)

    def decide(self, answer: AnswerToolRequest) -> None:
        """Allow or refuse what a model wants done; once, and only while it waits for that."""
        self._turns.decide(answer)

    async def until_ended(self, chat: str) -> TurnOutcome | None:
        """Wait for the turn of a chat to end; how it, or the last one before, ended; None where there was none."""
        outcome = await self._turns.until_ended(chat)
        opened = self.state.open.get(chat)
        return outcome if outcome is not None or opened is None else opened.ended

    async def close(self) -> None:
        """Stop what runs, keep everything within two seconds, then let go of store and models."""
        if self._closing:
            return
        self._closing = True
        await self._turns.close(FLUSH_S)
        world = self._world
        async with AsyncExitStack() as steps:
            steps.push_async_callback(self._close_models)
            steps.push_async_callback(world.store.close)
            steps.push_async_callback(world.attachments.close)
            steps.push_async_callback(self._workspaces.close)
            steps.push_async_callback(world.tasks.close)
            steps.push_async_callback(self._open.keep_counts)
            steps.push_async_callback(self._drafts.flush)
            steps.push_async_callback(world.owed.settle_all, world.store)

    async def _look(self, intent: Look) -> None:
        match intent:
            case TrySettings():
                self._open.try_out(intent)
            case LookAhead(chat):
                self._states.emit(LookedAhead(chat))
            case EditInPlace(chat, question, text):
                await self._open.edit(intent)
                self._mentions.edited(chat, question, text)
            case PriceStep():
                await self._open.price(intent)
            case CountTools(chat, tools):
                counted = tool_tokens(self.state.open.get(chat), tools, self._world.builder)
                if counted is not None:
                    self._states.emit(ToolsCounted(chat, counted))
            case _ if isinstance(intent, AboutPriorities):
                self._relevance.do(intent)
            case _:
                await self._open.look(intent)

    async def _change(self, intent: ChatChange) -> None:
        if isinstance(intent, DeleteChat):
            await self._queue.hold(intent.chat)
        if isinstance(intent, TuneAttached):
            self._relevance.tuned(intent)
        if self._new.change(intent):
            await self._show_again(intent.chat)
            return
        try:
            await self._new.write_down(intent.chat)
            if isinstance(intent, ChooseParts) and (opened := self._open.of(intent.chat)) is not None:
                opened.looks.parts.chosen(intent)
            said = await self._workspaces.spread(intent.chat, self._attaching.change(intent))
            if said.text:
                self._states.emit(NoticeGiven(intent.chat, said.text, said.left_out))
        finally:
            # Something may be kept already when something else is refused.
            await self._show_again(intent.chat)
        if isinstance(intent, DeleteChat):
            self._open.forget_edits(intent.chat)

    async def _after(self, plan: TurnPlan, outcome: TurnOutcome) -> None:
        """What follows from the end of a turn: a better request, the chat as it stands now."""
        try:
            if outcome.report is not None:
                self._learning.note(outcome.report)
            proposal = await propose_rebuild(plan, outcome, self._world)
            if proposal is not None:
                self._states.emit(proposal)
            await self._show_again(plan.chat)
            self._open.cache_moved()
        except WorkbenchError as problem:
            self._states.emit(NoticeGiven(plan.chat, str(problem)))

    async def _before_sending(self, intent: TurnIntent) -> bool:
        """A request that is sent is counted with all that was learnt, and carries files as they are now."""
        await self._learning.known()
        await self._workspaces.ready()
        if isinstance(intent, EditQuestion):
            await self._mentions.before_sending(intent.chat, intent.text, intent.question)
        elif isinstance(intent, SendMessage) and intent.commands:
            await self._mentions.before_sending(intent.chat, intent.text)
        return await self._disk.before_sending(intent.chat)

    async def _began(self, plan: TurnPlan) -> None:
        self._disk.sent(plan.chat)
        self._world.tasks.spawn("note the model that is asked", self._errands.used(plan.settings.model))
        try:
            title = await title_chat(plan.chat, plan.question, self._world)
            if title is not None:
                self._states.emit(ChatNamed(plan.chat, title))
        except WorkbenchError as problem:
            self._states.emit(NoticeGiven(plan.chat, str(problem)))

    def _edit_again(self, edit: EditQuestion) -> None:
        """An edit that could not be asked is open again, with its words."""
        again = EditInPlace(edit.chat, edit.question, edit.text)
        self._world.tasks.spawn(f"edit again in {edit.chat}", self._open.edit(again))

    def _count_again(self, event: Event, state: WorkbenchState) -> None:
        """A model that has just started can count by itself; what is known of models may have changed."""
        if isinstance(event, QueueChanged):
            self._open.refresh(event.chat)
        used = isinstance(event, PreferencesChanged) and event.only_used
        if isinstance(event, PreferencesChanged | ModelsListed) and not used:
            self._open.know_again(forget=isinstance(event, PreferencesChanged))
        if isinstance(event, ModelReadied) and event.readiness.ready:
            for key, opened in state.open.items():
                if opened.chat.settings.model == event.name:
                    self._open.refresh(key)

    async def _show_again(self, chat: str) -> None:
        await self._chats.again(chat)

    async def _close_models(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._world.models.close(), MODELS_S)
