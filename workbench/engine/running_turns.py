"""Turns in progress, at most one per chat: started, stopped, given permission, and ended in the state exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from workbench.context.text.at_commands import PlannedCall
from workbench.domain.answer import Failure
from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.message import Message, ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import split_draft, whole_draft
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.tool import ApprovalRule, Ruling, ToolOutcome, ToolPreview
from workbench.domain.translation import tr
from workbench.engine import intents
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.chats.changes import title_chat, update_chat
from workbench.engine.chats.drafts import Drafts, joined
from workbench.engine.chats.queue import Queue
from workbench.engine.events import (
    ChatNamed,
    EnvelopeBuilt,
    NoticeGiven,
    RebuildProposed,
    TurnAsked,
    TurnEnded,
    TurnEvent,
    TurnWithdrawn,
)
from workbench.engine.intents import RegenerateAnswer, TurnIntent
from workbench.engine.learning import Learning
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.program.actions import ProgramActions
from workbench.engine.state import ChatState
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper
from workbench.engine.turn.planning import (
    Front,
    TurnPlan,
    found_for,
    plan_continue,
    plan_edit,
    plan_regenerate,
    plan_send,
    with_pictures,
)
from workbench.engine.turn.run import run_turn
from workbench.engine.workspaces.changing import ChangingWorkspaces
from workbench.engine.world import World

# What is done before a turn, once its question is kept, and after its end; a request that fits is offered there.


_WITHOUT_A_NUMBER = 0.75


async def propose_rebuild(plan: TurnPlan, outcome: TurnOutcome, world: World) -> RebuildProposed | None:
    """Propose the same question for the window that the provider reported; None if that was not the failure."""
    failure = outcome.failure
    if failure is None or failure.kind != "context" or outcome.requests:
        return None  # after its tools ran, a question is not simply asked again
    turn = await world.store.last_turn(plan.chat)
    if turn is None or turn.question != plan.question.id:
        return None
    envelope = turn.built.envelope
    said, thought = failure.limit_tokens, envelope.budget.context_window_tokens
    window = _provider_window(failure, thought, envelope.total_tokens)
    settings = narrowed(plan.settings, window)
    card = turn.built.inputs.model
    found = await found_for(replace(plan, settings=settings), card, world)
    ask = Ask(settings, plan.question, plan.now, plan.tool_results, card=card, found=found)
    rebuilt = prepare_turn(plan.conversation, ask, world.builder)
    if not rebuilt.built.envelope.fits:
        return None
    return RebuildProposed(plan.chat, rebuilt, named=said is not None and said < thought)


def _provider_window(failure: Failure, window: int, total: int) -> int:
    """The provider's window in our tokens; always smaller than was assumed."""
    named = failure.limit_tokens or window
    if failure.asked_tokens and failure.asked_tokens > total:
        # Their tokenizer makes more of the same text: our count must leave room for that.
        named = named * total // failure.asked_tokens
    return named if named < window else int(window * _WITHOUT_A_NUMBER)


def narrowed(settings: ContextSettings, window: int) -> ContextSettings:
    """The settings for a smaller window, with a reply reserve that leaves room for a request."""
    reserve = settings.reserved_output_tokens
    smaller = None if reserve is None else min(reserve, window // 4)
    return replace(settings, context_window=window, reserved_output_tokens=smaller)


async def accept_rebuild(chat: str, state: ChatState | None, world: World) -> TurnPlan:
    """Plan the question again as proposed; the chat keeps the corrected window."""
    inputs = None if state is None or state.proposal is None else state.proposal.built.inputs
    if inputs is None or inputs.question is None:
        raise NotKept(tr("There is no rebuilt request to accept."))
    learnt = inputs.settings
    # Only the window: what the request was built with beyond the chat's own settings is its workspace's.
    await update_chat(
        chat,
        world,
        lambda kept: replace(
            kept,
            settings=replace(
                kept.settings,
                context_window=learnt.context_window,
                reserved_output_tokens=learnt.reserved_output_tokens,
            ),
        ),
    )
    return await plan_regenerate(RegenerateAnswer(chat, inputs.question.id), world)


@dataclass(frozen=True, slots=True)
class AroundTurns:
    """Hooks around every turn: before it is planned, when its question is stored, and after its end."""

    world: World
    states: StateStore
    open: OpenChats
    workspaces: ChangingWorkspaces
    learning: Learning
    program: ProgramActions
    queue: Queue

    async def before(self, intent: TurnIntent) -> bool:
        """Load learnt counts and refresh files before a request is sent; return whether files changed."""
        await self.learning.known()
        await self.workspaces.ready()
        return await self.open.before_sending(intent)

    async def began(self, plan: TurnPlan) -> None:
        """Called when the question is stored, and awaited before the model is asked."""
        if (opened := self.open.of(plan.chat)) is not None:
            opened.disk.sent()
        try:
            if not (await self.world.store.chat(plan.chat)).filed.temporary:
                self.world.tasks.spawn("note the model that is asked", self.program.used(plan.settings.model))
            title = await title_chat(plan.chat, plan.question, self.world)
            if title is not None:
                self.states.emit(ChatNamed(plan.chat, title))
        except WorkbenchError as problem:
            self.states.emit(NoticeGiven(plan.chat, str(problem)))

    async def after(self, plan: TurnPlan, outcome: TurnOutcome) -> None:
        """Act on the end of a turn before it is announced: propose a rebuild, reload the chat."""
        try:
            learnt = outcome.report is not None and self.learning.note(outcome.report)
            proposal = await propose_rebuild(plan, outcome, self.world)
            if proposal is not None:
                self.states.emit(proposal)
            await self.open.answered(plan.chat, learnt=learnt)
            if self.open.of(plan.chat) is None:
                self.world.pictures.forget(plan.chat)
        except WorkbenchError as problem:
            self.states.emit(NoticeGiven(plan.chat, str(problem)))


_BROKEN = Failure(
    "internal",
    tr(
        "The program failed. What had arrived is kept. Ask again; with WORKBENCH_LOG=FILE it writes down why."
    ),
)
_CLOSED = Failure(
    "internal", tr("The program was closed before this turn had ended. What had arrived is kept.")
)


_SIDE_FAILED = tr("The side question was not answered; the chat is as it was.")


class TurnRunning(WorkbenchError):
    """Raised when a question is asked in a chat that is still answering one."""

    def __init__(self) -> None:
        super().__init__(
            tr("An answer is still arriving in this chat. Stop it, or wait for its end, then ask again.")
        )


class WorkbenchClosed(WorkbenchError):
    """Raised when something is wanted of a program that is closing."""

    def __init__(self) -> None:
        super().__init__(tr("The program is being closed; nothing new is begun."))


@dataclass(slots=True)
class _Turn:
    """A turn in progress: its intent, its stopper, pending permissions, and its outcome.

    Attributes:
        question: the id of its question, where that is known before it is planned.
        begun: whether it no longer waits for other changes of its chat.
        kept: whether the question is in the store; until then its words are given back if anything goes wrong.
    """

    intent: intents.TurnIntent
    question: str
    stopper: Stopper
    commands: Mapping[PlannedCall, ToolOutcome] = field(default_factory=dict)
    foretold_tokens: int | None = None
    cold: bool | None = None
    begun: bool = False
    kept: bool = False
    task: asyncio.Task[None] | None = None
    outcome: TurnOutcome = field(default_factory=lambda: TurnOutcome("failed", failure=_BROKEN))
    decisions: dict[str, asyncio.Future[bool]] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)

    def permit(self, call: ToolCall) -> Awaitable[bool]:
        decision: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.decisions[call.id], self.tools[call.id] = decision, call.name
        decision.add_done_callback(lambda _: self.decisions.pop(call.id, None))
        return decision


@dataclass(frozen=True, slots=True)
class _Front(Front):
    """The front of a running turn: emits its events to the state, and asks a person for permission."""

    turn: _Turn
    plan: TurnPlan
    world: World
    states: StateStore
    drafts: Drafts
    around: AroundTurns

    @property
    def commands(self) -> Mapping[PlannedCall, ToolOutcome]:
        return self.turn.commands

    @property
    def foretold_tokens(self) -> int | None:
        return self.turn.foretold_tokens

    def emit(self, event: TurnEvent) -> None:
        # Its end is told after the chat was read again, so that nobody sees a turn that ended without its answer.
        if not isinstance(event, TurnEnded):
            self.states.emit(event)
        if isinstance(event, EnvelopeBuilt) and not self.plan.side:
            self.around.open.at(event.chat).sent(event)

    def permit(self, call: ToolCall, preview: ToolPreview) -> Awaitable[bool]:
        return self.turn.permit(call)

    async def ruling(self) -> Ruling:
        # What is shown of the chat may be older than what is kept.
        return self.world.workspaces.ruling(await self.world.store.chat(self.plan.chat))

    def draft_left(self) -> str | None:
        return self.drafts.left(self.plan.chat)

    async def question_kept(self) -> None:
        self.turn.kept = True
        self.drafts.question_kept(self.plan.chat)
        if not self.plan.side:
            await self.around.began(self.plan)

    def steering(self) -> tuple[tuple[int, str], ...]:
        return self.around.queue.for_this_turn(self.plan.chat)

    async def steered(self, key: int) -> None:
        await self.around.queue.steered(self.plan.chat, key)


class RunningTurns:
    """Runs turns: several chats may answer at once, each one question at a time."""

    def __init__(self, world: World, states: StateStore, drafts: Drafts, around: AroundTurns) -> None:
        self._world, self._states, self._drafts, self._around = world, states, drafts, around
        self._open = around.open
        self._turns: dict[str, _Turn] = {}
        self._closing = False

    def ask(self, intent: intents.TurnIntent) -> None:
        """There is a turn from now on, to be seen and stopped; `TurnRunning` where there is one already.

        Before anything is waited for, so that two clicks cannot begin two turns.
        """
        chat, text = (
            intent.chat,
            intent.text if isinstance(intent, intents.SendMessage | intents.EditQuestion) else "",
        )
        drafted = isinstance(intent, intents.SendMessage) and intent.drafted
        sent = whole_draft(text, intent.prefill) if isinstance(intent, intents.SendMessage) else text
        written = self._draft(chat)
        since = "" if split_draft(written)[0] == text else written
        if chat in self._turns:
            if isinstance(intent, intents.EditQuestion):
                self._open.edit_again(intent)
            elif drafted:
                self._open.give_back(chat, joined(sent, since))
            raise TurnRunning
        self._turns[chat] = _Turn(intent, self._question_of(intent), Stopper(self._world.tasks))
        if drafted:
            self._drafts.sent(chat, sent, since)
        replaces = intent.question if isinstance(intent, intents.EditQuestion) else ""
        if isinstance(intent, intents.SendMessage | intents.EditQuestion):
            self._turns[chat].commands = self._open.at(chat).asking.commands.taken(replaces)
            shown = self._shown_request(intent)
            self._turns[chat].foretold_tokens = None if shown is None else shown.cached_tokens
            self._turns[chat].cold = None if shown is None else shown.cold
        side = isinstance(intent, intents.SendMessage) and intent.side
        if isinstance(intent, intents.SendMessage) and not side:
            replaces = self._failed_question(chat)
        self._states.emit(TurnAsked(chat, self._turns[chat].question, text, drafted, replaces, side))

    def _failed_question(self, chat: str) -> str:
        """Id of the failed question that the next one replaces; empty if the last one did not fail."""
        opened = self._states.state.open.get(chat)
        last = None if opened is None or not opened.records else opened.records[-1].entry
        if opened is None or not isinstance(last, Message) or last.role != "user":
            return ""
        return "" if opened.conversation.last == last.id else last.id

    def _shown_request(self, intent: intents.SendMessage | intents.EditQuestion) -> EnvelopeView | None:
        """The request as it was shown to the person who sends it."""
        opened = self._states.state.open.get(intent.chat)
        if opened is None:
            return None
        if isinstance(intent, intents.EditQuestion):
            edit = opened.edits.get(intent.question)
            return None if edit is None else edit.view
        return opened.view if intent.drafted else None

    async def begin(self, intent: intents.TurnIntent) -> None:
        """Start the turn that was asked for, in the background; `WorkbenchError` says why it cannot start."""
        turn = self._turns.get(intent.chat)
        if turn is None or turn.intent is not intent:
            return  # stopped before it could begin
        turn.begun = True
        async with self._world.locks.of(intent.chat):
            await self._world.owed.settle(intent.chat, self._world.store)
        look = self._around.before(intent)
        # Should it have changed, the forecast that was shown is judged all the same: then the change is to blame.
        await turn.stopper.run(f"read what has changed for {intent.chat}", look, False)
        plan = replace(await with_pictures(await self._plan(turn), self._world), cold=turn.cold)
        if self._closing:
            raise WorkbenchClosed
        turn.task = self._world.tasks.spawn(f"turn of {intent.chat}", self._run(plan, turn))

    def withdraw(self, intent: intents.TurnIntent) -> None:
        """Cancel a turn that could not start; its text goes back to the draft or edit it came from."""
        turn = self._turns.get(intent.chat)
        if turn is not None and turn.intent is intent and turn.task is None:
            del self._turns[intent.chat]
            self._states.emit(TurnWithdrawn(intent.chat))
            self._give_back(turn)

    def stop(self, chat: str) -> None:
        """Stop the answer in a chat, if there is one; a turn that has not started yet does not start."""
        turn = self._turns.get(chat)
        if turn is not None:
            turn.stopper.stop()
            if not turn.begun:
                self.withdraw(turn.intent)

    def decide(self, answer: intents.AnswerToolRequest) -> None:
        """Allow or refuse what a model wants done; once, and only while it waits for that.

        What is decided for more than this call is a rule from now on, of the chat or of its workspace.
        """
        turn = self._turns.get(answer.chat)
        decision = None if turn is None else turn.decisions.get(answer.call)
        if turn is None or decision is None or decision.done():
            return
        tool = turn.tools[answer.call]
        # Who refuses a call refuses that call: it is a rule only where they say for what.
        if answer.lasts != "once" and (answer.allowed or answer.scope is not None):
            rule = ApprovalRule((tool,), decision="allow" if answer.allowed else "never")
            self._around.workspaces.keep_soon(answer.chat, rule, answer.lasts)
        decision.set_result(answer.allowed)

    async def until_ended(self, chat: str) -> TurnOutcome | None:
        """Wait for the turn of a chat to end and return its outcome; None if none is running."""
        turn = self._turns.get(chat)
        if turn is None or turn.task is None:
            return None
        await asyncio.wait([turn.task])
        return turn.outcome

    async def close(self, patience_s: float) -> None:
        """Stop all turns and wait for their ends, up to a limit; no new one starts."""
        self._closing = True
        for turn in self._turns.values():
            turn.stopper.stop()
        waiting = [turn.task for turn in self._turns.values() if turn.task is not None]
        if waiting:
            await asyncio.wait(waiting, timeout=patience_s)

    def _draft(self, chat: str) -> str:
        opened = self._states.state.open.get(chat)
        return "" if opened is None else whole_draft(opened.draft, opened.prefill)

    def _question_of(self, intent: intents.TurnIntent) -> str:
        match intent:
            case intents.SendMessage() | intents.EditQuestion():
                return self._world.new_id()
            case intents.RegenerateAnswer(_, question):
                return question
            case intents.ContinueAnswer() | intents.AcceptRebuild():
                return ""
            case _:
                assert_never(intent)

    def _give_back(self, turn: _Turn) -> None:
        """Return the text of a question that was not stored to where it was written."""
        if isinstance(turn.intent, intents.EditQuestion):
            self._open.edit_again(turn.intent)
        back = self._drafts.give_back(turn.intent.chat)
        if back is not None:
            self._open.give_back(turn.intent.chat, back[1], returned=back[0])

    async def _plan(self, turn: _Turn) -> TurnPlan:
        intent = turn.intent
        match intent:
            case intents.SendMessage():
                return await plan_send(intent, self._world, turn.question)
            case intents.RegenerateAnswer():
                return await plan_regenerate(intent, self._world)
            case intents.EditQuestion():
                return await plan_edit(intent, self._world, turn.question)
            case intents.ContinueAnswer():
                return await plan_continue(intent, self._world)
            case intents.AcceptRebuild(chat):
                return await accept_rebuild(chat, self._states.state.open.get(chat), self._world)
            case _:
                assert_never(intent)

    async def _run(self, plan: TurnPlan, turn: _Turn) -> None:
        """Run a turn and end it in the state, once, with the chat as it stands then."""
        front = _Front(turn, plan, self._world, self._states, self._drafts, self._around)
        try:
            turn.outcome = await run_turn(plan, self._world, front, turn.stopper)
        except InvalidInput as problem:
            turn.outcome = TurnOutcome("failed", failure=Failure("request", str(problem)))
        except WorkbenchError as problem:
            turn.outcome = TurnOutcome("failed", failure=Failure("store", str(problem)))
        except asyncio.CancelledError:
            turn.outcome = TurnOutcome("interrupted", failure=_CLOSED)
            raise
        finally:
            await self._end(plan, turn)

    async def _end(self, plan: TurnPlan, turn: _Turn) -> None:
        try:
            await self._around.after(plan, turn.outcome)
        finally:
            # Given free only now: another turn must not begin before this one was seen to end.
            del self._turns[plan.chat]
            self._states.emit(TurnEnded(plan.chat, plan.number, turn.outcome))
            if plan.side and turn.outcome.failure is not None:
                self._states.emit(
                    NoticeGiven(
                        plan.chat,
                        tr(
                            "{side_failed} {message}",
                            side_failed=_SIDE_FAILED,
                            message=turn.outcome.failure.message,
                        ),
                    )
                )
            if not turn.kept:
                self._give_back(turn)
