"""The engine's front door: intents go in, events come out, around one state."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import ChatArchive
from workbench.domain.translation import tr
from workbench.engine import events, intents
from workbench.engine.attaching_intents import (
    ChooseParts,
    FolderIntent,
    FollowFolder,
    Following,
    SearchWeb,
    StopAttaching,
)
from workbench.engine.chats.drafts import Drafts, NewChats
from workbench.engine.chats.queue import Queue
from workbench.engine.chats.watched_attaching import WatchedAttaching
from workbench.engine.learning import Learning
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.open_chat.scope import Shared
from workbench.engine.program.actions import ProgramActions
from workbench.engine.program.spending import ShownSpending
from workbench.engine.program_intents import (
    AllowOverCap,
    AskVariants,
    ExperimentIntent,
    InfluenceIntent,
    JobIntent,
    LookAtSpending,
    LookElsewhere,
    ProgramIntent,
    SummaryIntent,
    TidyWatched,
    WatchIntent,
)
from workbench.engine.running_turns import AroundTurns, RunningTurns, TurnRunning, WorkbenchClosed
from workbench.engine.shown.folder_scan import FolderScans
from workbench.engine.shown.inspection import tool_tokens
from workbench.engine.shown.request_view import LiveLenses
from workbench.engine.state import WorkbenchState
from workbench.engine.store import Listener, StateStore
from workbench.engine.tuning_intents import CountTools, KeepSteps, TakeAnswer, TuneAttached
from workbench.engine.warming import KeepingWarm
from workbench.engine.web_search import Searches
from workbench.engine.workspace_intents import AnswerServer, SignIn, SignOut, WorkspaceIntent
from workbench.engine.workspaces.changing import ChangingWorkspaces
from workbench.engine.world import World

if TYPE_CHECKING:
    from workbench.engine.watch.watching import Watching

__all__ = ["TurnRunning", "Workbench", "WorkbenchClosed"]

FLUSH_S = 1.5
_OF_OWN_CHATS = intents.ChatChange | intents.TurnIntent | FollowFolder | SearchWeb
_PUTS_AWAY = (intents.RenameChat, intents.DeleteChat, intents.RestoreChat, intents.ShowBranch)
MODELS_S = 2.0


Handler = Callable[[Any], Awaitable[None] | None]
"""Does one kind of intent; its own parameter says which."""


class WatchedChat(WorkbenchError):
    """Raised for a change of a watched chat, which is read-only."""

    def __init__(self) -> None:
        super().__init__(
            tr(
                "This chat was written by another program and can only be read. "
                "Nothing was changed; “Go on from here” makes a chat of your own from "
                "it."
            )
        )


class Workbench:
    """Runs chats: several may answer at once, each one question at a time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._states = StateStore(world.tasks.report, world.trace)
        # A chat that was begun is kept now: it is one of those there are.
        self._new = NewChats(world, lambda: world.tasks.spawn("list", self._open.do(intents.ListChats())))
        self._drafts = Drafts(world.store, world.tasks, self._new)
        self._queue = Queue(world, self._states, self._drafts, self.dispatch)
        lenses = LiveLenses(world, self._states)
        shared = Shared(
            self._new, self._drafts, self._queue, self.dispatch, lenses, cooling=self._offer_to_keep_warm
        )
        self._orders = shared.orders
        self._open = OpenChats(world, self._states, shared)
        self._workspaces = ChangingWorkspaces(world, self._states, self._open, self._new)
        self._learning = Learning(world, self._states, lambda: self._open.models_changed(forget=False))
        self._program = ProgramActions(world, self._states)
        around = AroundTurns(
            world, self._states, self._open, self._workspaces, self._learning, self._program, self._queue
        )
        self._turns = RunningTurns(world, self._states, self._drafts, around)
        self._scans = FolderScans(world, self._states)
        self._attaching = WatchedAttaching(world, self._states)
        self._searches = Searches(world, self._states, self._workspaces.ready)
        self._states.subscribe(
            self._count_again,
            events.QueueChanged,
            events.PreferencesChanged,
            events.ProgramShown,
            events.ModelReadied,
            events.JobMoved,
        )
        self._spending = ShownSpending(world, self._states)
        self._states.subscribe(self._spending.changed, events.TurnEnded, events.PreferencesChanged)
        self._warming = KeepingWarm(world, self._states, self._open.reload)
        self._closing = False
        self._handlers = self._table()

    @property
    def state(self) -> WorkbenchState:
        return self._states.state

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with every event; returns a function that unsubscribes."""
        return self._states.subscribe(listener)

    async def begin(self) -> None:
        """Emit what there is at start: chats, presets, origins with keys, preferences."""
        await self._program.begin()
        await self._workspaces.begin()

    async def adopt(self, archive: ChatArchive) -> str:
        """Import a chat that comes with the program, such as the sample; return its id."""
        return await self._program.adopt(archive)

    async def dispatch(self, *wanted: intents.Intent) -> None:
        """Do what is wanted, one after the other; what changes a chat waits for the changes before it.

        A turn is begun here and goes on by itself. `WorkbenchError` says what cannot be done.
        """
        if self._closing:
            raise WorkbenchClosed
        asked: list[intents.TurnIntent] = []
        try:
            for intent in wanted:
                if isinstance(intent, intents.TurnIntent):
                    self._turns.ask(intent)
                    asked.append(intent)
                    self._open.asked(intent)
            self._refuse_watched(wanted)
            changed = {one.chat for one in wanted if isinstance(one, intents.ChatChange | intents.TurnIntent)}
            async with AsyncExitStack() as orders:
                for chat in sorted(changed):  # in one order for all: two wishes never wait for each other
                    await orders.enter_async_context(self._orders.of(chat))
                for intent in wanted:
                    done = self._handlers[type(intent)](intent)
                    if done is not None:
                        await done
        except BaseException:
            # Whatever kept a turn from beginning, it must not stay asked for: then the chat would wait for ever.
            for turn in asked:
                self._turns.withdraw(turn)
            raise

    def _refuse_watched(self, wanted: tuple[intents.Intent, ...]) -> None:
        """Refuse to change watched chats, which can only be read, renamed and deleted."""
        changed = {
            one.chat for one in wanted if isinstance(one, _OF_OWN_CHATS) and not isinstance(one, _PUTS_AWAY)
        }
        if not changed:
            return
        known = (*self.state.chats, *(one.chat for one in self.state.open.values()))
        if any(chat.id in changed and chat.filed.watched is not None for chat in known):
            raise WatchedChat

    def _table(self) -> dict[type, Handler]:
        """Handlers by type of intent; a later line overrides an earlier one."""
        opened, program = self._open, self._program
        lines: tuple[tuple[Any, Handler], ...] = (
            (intents.TurnIntent, self._begin_turn),
            (intents.ChatChange, self._change),
            (intents.QueueIntent, self._queue.do),
            (intents.ChatsIntent, self._view),
            (intents.StopTurn, lambda intent: self.stop(intent.chat)),
            (intents.KeepWarm, self._warming.do),
            (intents.AnswerToolRequest, self.decide),
            (intents.EditDraft, opened.write),
            (KeepSteps, self._keep_steps),
            (intents.Look, opened.look),
            (intents.LookAhead, lambda intent: self._states.emit(events.LookedAhead(intent.chat))),
            (intents.EditInPlace, opened.edit),
            (CountTools, self._count_tools),
            (SearchWeb, self._searches.do),
            (StopAttaching, lambda intent: self._attaching.stop(intent.chat)),
            (FolderIntent, self._scans.do),
            (Following, lambda intent: opened.at(intent.chat).folders.do(intent)),
            (WorkspaceIntent, self._workspaces.do),
            (ProgramIntent, program.do),
            (SummaryIntent, lambda intent: program.summaries.do(intent)),  # noqa: PLW0108  (loaded late)
            (InfluenceIntent, lambda intent: program.influence.do(intent)),  # noqa: PLW0108  (loaded late)
            (ExperimentIntent, lambda intent: program.experiments.do(intent)),  # noqa: PLW0108  (loaded late)
            (AskVariants, self._ask_variants),
            (JobIntent, lambda intent: program.jobs.do(intent)),  # noqa: PLW0108  (loaded late)
            (WatchIntent, lambda intent: self._watching.do(intent)),  # noqa: PLW0108  (loaded late)
            (AllowOverCap, self._spending.do),
            (LookAtSpending, self._spending.do),
            (LookElsewhere, lambda intent: opened.look_elsewhere()),
            (TidyWatched, self._tidy),
        )
        return {kind: handler for kinds, handler in lines for kind in get_args(kinds) or (kinds,)}

    def _offer_to_keep_warm(self, chat: str) -> None:
        self._world.tasks.spawn(f"price of keeping {chat} warm", self._warming.offer(chat))

    async def _begin_turn(self, intent: intents.TurnIntent) -> None:
        await self._new.write_down(intent.chat)
        await self._turns.begin(intent)

    async def _keep_steps(self, intent: KeepSteps) -> None:
        with suppress(NotKept):  # a chat that nothing was written in yet
            async with self._world.locks.of(intent.chat):
                await self._world.store.save_steps(intent.chat, intent.steps)

    async def _ask_variants(self, intent: AskVariants) -> None:
        await self._new.write_down(intent.chat)
        self._program.experiments.do(intent)

    async def _tidy(self, intent: TidyWatched) -> None:
        from workbench.engine.watch.limits import tidy  # without all that watches: every start comes here

        await tidy(self._world, self._states, intent.answer)

    def _count_tools(self, intent: CountTools) -> None:
        opened = self.state.open.get(intent.chat)
        counted = tool_tokens(opened, intent.tools, self._world.builder)
        if counted is not None:
            self._states.emit(events.ChatShown(intent.chat, {"tool_tokens": counted}))

    @cached_property
    def _watching(self) -> Watching:
        """The watch; imported on first use, since few need it."""
        from workbench.engine.watch.watching import Watching

        return Watching(self._world, self._states, self._open.reload, self._change, self._workspaces.do)

    async def _view(self, intent: intents.ChatsIntent) -> None:
        if isinstance(intent, intents.StartChat | intents.OpenChat):
            self._learning.begin()
        await self._open.do(intent)

    def stop(self, chat: str) -> None:
        self._turns.stop(chat)

    def decide(self, answer: intents.AnswerToolRequest) -> None:
        self._turns.decide(answer)

    def answer_server(self, answer: AnswerServer) -> None:
        self._workspaces.kept.servers.questions.answer(answer)

    async def sign(self, wanted: SignIn | SignOut) -> str:
        """Sign in to a tool server or out of it; what came of it, in a sentence."""
        await self._workspaces.ready()
        return await self._workspaces.serving.sign(wanted)

    async def until_ended(self, chat: str) -> TurnOutcome | None:
        """Wait for the turn of a chat to end; return its outcome or the last one, None if there was none."""
        outcome = await self._turns.until_ended(chat)
        opened = self.state.open.get(chat)
        return outcome if outcome is not None or opened is None else opened.ended

    async def close(self) -> None:
        """Stop what runs, store everything within two seconds, then close store and models."""
        if self._closing:
            return
        self._closing = True
        if "_watching" in vars(self):
            await self._watching.close()
        await self._turns.close(FLUSH_S)
        world = self._world
        async with AsyncExitStack() as steps:
            steps.push_async_callback(self._close_models)
            steps.push_async_callback(world.store.close)
            steps.push_async_callback(world.attachments.close)
            if world.folders is not None:
                steps.push_async_callback(world.folders.close)
            steps.push_async_callback(self._workspaces.close)
            steps.push_async_callback(world.tasks.close)
            steps.push_async_callback(self._open.keep_counts)
            steps.push_async_callback(self._drafts.flush)
            steps.push_async_callback(world.owed.settle_all, world.store)

    async def _change(self, intent: intents.ChatChange) -> None:
        if isinstance(intent, intents.DeleteChat):
            await self._queue.hold(intent.chat)
        opened = self._open.of(intent.chat)
        if isinstance(intent, TuneAttached) and opened is not None:
            opened.relevance.tuned(intent)
        if self._new.change(intent):
            await self._open.reload(intent.chat)
            return
        shown = None if opened is None else opened.change(intent)
        try:
            await self._new.write_down(intent.chat)
            if isinstance(intent, ChooseParts) and opened is not None:
                opened.looks.parts.chosen(intent)
            said = await self._workspaces.kept.spread(intent.chat, self._attaching.change(intent))
            if said.text:
                self._states.emit(events.NoticeGiven(intent.chat, said.text, said.left_out))
        except BaseException:
            # Something may be kept already when something else is refused.
            await self._open.reload(intent.chat)
            raise
        now = self._open.of(intent.chat)
        if now is not None:
            await now.changed(shown if now is opened else None)
        if isinstance(intent, TakeAnswer) and intent.unsent is not None:
            self._open.sent_words(intent.chat, intent.unsent.words)
            await self._open.do(intents.ListChats())
        if isinstance(intent, intents.DeleteChat):
            self._open.forget(intent.chat)

    def _count_again(self, event: events.Event, state: WorkbenchState) -> None:
        """Recount after a model has started, which can count by itself, or after model data has changed."""
        if isinstance(event, events.QueueChanged):
            self._open.refresh(event.chat)
        if isinstance(event, events.JobMoved) and event.job.chats and event.job.state != "running":
            self._world.tasks.spawn("read chats again that have grown", self._open.read_again())
        if isinstance(event, events.PreferencesChanged) and not event.only_used:
            self._open.models_changed(forget=True)
        if isinstance(event, events.ProgramShown) and "models" in event.fields:
            self._open.models_changed(forget=False)
        if isinstance(event, events.ModelReadied) and event.readiness.ready:
            for key, opened in state.open.items():
                if opened.chat.settings.model == event.name:
                    self._open.refresh(key)

    async def _close_models(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._world.models.close(), MODELS_S)
